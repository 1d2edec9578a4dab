// The language models whose decoding is measured, with weights that are functions of a seed: nothing is loaded, and a
// reference on the CPU computes the same bits.
//
//     constexpr DecodingModel model = llama_7b();
//     const ModelWeights weights{.model = model, .seed = 1, .is_whole = false};
//     weights.value({ModelTensor::qkv, 3}, row, column);          // layer 3
//
// A layer: h += output(attention(rotated(qkv(norm(h))))); h += down(silu(gate(norm(h))) up(norm(h))), the perceptron of
// each of the router's best experts weighted where there are experts (Touvron et al., Llama 2, 2023; Jiang et al.,
// Mixtral of Experts, 2024). Every matrix lies row by row, and is read in pairs of rows:
//
//     qkv      heads + 2 kv_heads of 128 rows: queries, keys, values; the rotary embedding turns rows 2i and 2i + 1
//     gate_up  row 2i is gate i, row 2i + 1 is up i
//     experts  lie one after the other
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

namespace steelyard::cuda_suite {

inline constexpr std::size_t kHeadSize = 128;

struct DecodingModel {
  std::size_t layers = 0;
  std::size_t dim = 0;       // of the residual stream; heads x kHeadSize
  std::size_t heads = 0;     // of queries
  std::size_t kv_heads = 0;  // of keys and values; divides heads
  std::size_t hidden = 0;    // of the perceptron, of one expert's
  std::size_t vocab = 0;
  std::size_t experts = 0;  // 0: one perceptron, and no router
  std::size_t active = 1;   // how many experts a token takes
  float rotary_base = 10000.0f;

  STEELYARD_HOST_DEVICE constexpr std::size_t qkv_rows() const { return (heads + 2 * kv_heads) * kHeadSize; }
  constexpr std::size_t stacked() const { return experts == 0 ? 1 : experts; }
};

constexpr DecodingModel llama_7b() {
  return {.layers = 32, .dim = 4096, .heads = 32, .kv_heads = 32, .hidden = 11008, .vocab = 32000};
}
// Half of Mixtral 8x7B's layers, as the published figure has it.
constexpr DecodingModel mixtral_half() {
  return {.layers = 16,
          .dim = 4096,
          .heads = 32,
          .kv_heads = 8,
          .hidden = 14336,
          .vocab = 32000,
          .experts = 8,
          .active = 2,
          .rotary_base = 1000000.0f};
}
// The same code small enough to be held against double precision: grouped queries, tails in every product.
constexpr DecodingModel tiny_llama() {
  return {.layers = 2, .dim = 512, .heads = 4, .kv_heads = 2, .hidden = 1296, .vocab = 1000};
}
constexpr DecodingModel tiny_mixtral() {
  return {.layers = 2,
          .dim = 512,
          .heads = 4,
          .kv_heads = 1,
          .hidden = 1040,
          .vocab = 1000,
          .experts = 4,
          .active = 2,
          .rotary_base = 1000000.0f};
}

// Wide enough for what the tiny ones leave out: several turns of a product, two packs a thread of the norm, more logits
// than the draw has threads.
constexpr DecodingModel wide_llama() {
  return {.layers = 1, .dim = 2560, .heads = 20, .kv_heads = 5, .hidden = 4112, .vocab = 2050};
}

enum class ModelTensor : std::uint8_t {
  embedding,       // vocab x dim
  attention_norm,  // 1 x dim
  qkv,
  output,    // dim x dim
  mlp_norm,  // 1 x dim
  router,    // experts x dim, never quantized
  gate_up,   // stacked() times 2 hidden x dim
  down,      // stacked() times dim x hidden
  final_norm,
  head,  // vocab x dim
};

struct TensorExtent {
  std::size_t rows = 0;  // of all experts
  std::size_t columns = 0;
  constexpr std::size_t values() const { return rows * columns; }
};

constexpr TensorExtent extent_of(const DecodingModel& model, ModelTensor tensor) {
  switch (tensor) {
    case ModelTensor::embedding:
    case ModelTensor::head:
      return {model.vocab, model.dim};
    case ModelTensor::attention_norm:
    case ModelTensor::mlp_norm:
    case ModelTensor::final_norm:
      return {1, model.dim};
    case ModelTensor::qkv:
      return {model.qkv_rows(), model.dim};
    case ModelTensor::output:
      return {model.dim, model.dim};
    case ModelTensor::router:
      return {model.experts, model.dim};
    case ModelTensor::gate_up:
      return {model.stacked() * 2 * model.hidden, model.dim};
    case ModelTensor::down:
      return {model.stacked() * model.dim, model.hidden};
  }
  return {};
}

// Of 8 bits where the model's weights are: the matrices of products, but neither the router nor the embedding.
constexpr bool is_quantized(ModelTensor tensor) {
  return tensor == ModelTensor::qkv || tensor == ModelTensor::output || tensor == ModelTensor::gate_up ||
         tensor == ModelTensor::down || tensor == ModelTensor::head;
}
constexpr bool is_norm(ModelTensor tensor) {
  return tensor == ModelTensor::attention_norm || tensor == ModelTensor::mlp_norm || tensor == ModelTensor::final_norm;
}

struct TensorPlace {
  ModelTensor tensor = ModelTensor::embedding;
  std::size_t layer = 0;  // 0 where there is one for all
};

// Weights are spread evenly with a variance of 1 / columns, so that a product keeps the magnitude of its vector; norms'
// weights lie about 1.
struct ModelWeights {
  DecodingModel model;
  std::uint64_t seed = 0;
  bool is_whole = false;  // 8-bit integers with a scale a row, where the tensor is quantized; else bf16

  std::uint64_t seed_of(TensorPlace place) const {
    return seed_of_operand(seed, place.layer * 32 + static_cast<std::uint64_t>(place.tensor));
  }
  std::uint64_t scale_seed_of(TensorPlace place) const { return scrambled(seed_of(place), 1); }
  float limit_of(ModelTensor tensor) const {
    if (is_norm(tensor)) return 0.25f;  // about 1
    if (tensor == ModelTensor::embedding) return 1.0f;
    return std::sqrt(3.0f / static_cast<float>(extent_of(model, tensor).columns));
  }
  // Of one row of an 8-bit tensor.
  Bf16 scale(TensorPlace place, std::size_t row) const {
    return row_scale(scale_seed_of(place), row, limit_of(place.tensor));
  }
  // What the model multiplies by, exactly.
  double value(TensorPlace place, std::size_t row, std::size_t column) const {
    const std::uint64_t index = row * extent_of(model, place.tensor).columns + column;
    if (is_whole && is_quantized(place.tensor)) {
      return static_cast<double>(seeded_value<std::int8_t>(seed_of(place), index)) *
             static_cast<double>(widened(scale(place, row)));
    }
    const float limit = limit_of(place.tensor);
    if (is_norm(place.tensor)) return static_cast<double>(widened(norm_weight(seed_of(place), column, limit)));
    return static_cast<double>(widened(seeded_value<Bf16>(seed_of(place), index, limit)));
  }

  STEELYARD_HOST_DEVICE static Bf16 norm_weight(std::uint64_t tensor_seed, std::uint64_t column, float limit) {
    return narrowed<Bf16>(1.0f + seeded_value<float>(tensor_seed, column, limit));
  }
  STEELYARD_HOST_DEVICE static Bf16 row_scale(std::uint64_t scale_seed, std::uint64_t row, float limit) {
    return narrowed<Bf16>(limit / 127.0f * (1.0f + seeded_value<float>(scale_seed, row, 0.25f)));
  }
};

// What is generated: the published prompt, whose tokens are fed one by one, and 200 more.
inline constexpr int kPrompt[] = {1, 15043, 29892, 590, 1024, 338};
inline constexpr int kPromptTokens = static_cast<int>(sizeof(kPrompt) / sizeof(kPrompt[0]));
inline constexpr int kNewTokens = 200;
// Each step but the last has a token that follows: the first new token comes from the prompt's last.
inline constexpr int kGenerationSteps = kPromptTokens + kNewTokens - 1;
// Of the cache, as the published models have it.
inline constexpr std::size_t kGenerationPositions = 208;

// Cosine and sine of each pair of a head's values at each position (Su et al., RoFormer, 2021, equation 34).
inline std::vector<float> rotary_table(const DecodingModel& model, std::size_t positions) {
  std::vector<float> table;
  table.reserve(positions * kHeadSize);
  for (std::size_t position = 0; position < positions; ++position) {
    for (std::size_t i = 0; i < kHeadSize / 2; ++i) {
      const double angle =
          static_cast<double>(position) * std::pow(static_cast<double>(model.rotary_base),
                                                   -2.0 * static_cast<double>(i) / static_cast<double>(kHeadSize));
      table.push_back(static_cast<float>(std::cos(angle)));
      table.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return table;
}

// The next token is drawn of the kTopTokens largest logits (ties with the least of them too), each with probability
// proportional to e^(logit / temperature): the largest logit / temperature - log(E), E from an exponential
// distribution, wins (the Gumbel-max trick: Maddison, Tarlow and Minka, A* Sampling, 2014, section 2); of equal ones
// the lower token.
inline constexpr int kTopTokens = 200;
inline constexpr float kTemperature = 0.8f;

// Exponential with mean 1, of a token at a step: the generator is a counter, so nothing of it is kept.
STEELYARD_HOST_DEVICE inline float exponential_at(std::uint64_t seed, int step, int token) {
  const std::uint64_t index = (static_cast<std::uint64_t>(step) << 32) | static_cast<std::uint32_t>(token);
  const auto bits = static_cast<float>(scrambled(seed, index) >> 41);  // 23 bits
  const float uniform = (bits + 0.5f) * 0x1p-23f;                      // above 0, below 1: exact
#ifdef __CUDA_ARCH__
  return -::logf(uniform);
#else
  return -std::log(uniform);
#endif
}
STEELYARD_HOST_DEVICE inline float sampling_key(float logit, float exponential) {
#ifdef __CUDA_ARCH__
  return logit / kTemperature - ::logf(exponential);
#else
  return logit / kTemperature - std::log(exponential);
#endif
}

}  // namespace steelyard::cuda_suite
