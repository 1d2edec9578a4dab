// One step of decoding: a token in, logits and the next token out. One kernel for the whole model, whose blocks, one a
// multiprocessor, wait for each other between its phases, and a small one for the draw:
//
//     qkv        norm, queries, keys and values of the token, turned by its position; keys and values go to the cache
//     attention  one block a head
//     output     the attention's result times a matrix, added to the residual stream
//     gate_up    norm, router, gate and up of each chosen expert, silu(gate) up
//     down       times a matrix, added to the residual stream
//     head       behind the last layer: norm, logits
//
// Weights are copied into a multiprocessor's shared memory ahead of their use, across phases, so that memory is read
// while blocks wait and attend. Not those of experts: which rows they are is known only behind the router.
//
// What is kept where: the residual stream, queries and logits in single precision; the normed vector, keys, values, the
// attention's result and silu(gate) up rounded to bf16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/suites/cuda/arithmetic/approximate_math.hpp"
#include "bench/suites/cuda/decoding/decoding_model.hpp"
#include "bench/suites/cuda/gemv/gemv_kernels.hpp"

namespace steelyard::cuda_suite {

// Device memory of one generation. The first `given` tokens and `rotary` are there before; the rest the kernels write.
struct DecodingBuffers {
  std::size_t positions = 0;    // room of the cache
  int given = 0;                // tokens of `tokens` that are fed whatever was drawn
  unsigned* arrived = nullptr;  // blocks that were done with a phase, of all phases since step 0
  int* step = nullptr;          // position of the token whose row of the embedding `stream` holds
  int* tokens = nullptr;        // positions
  float* stream = nullptr;      // dim
  float* queries = nullptr;     // heads x kHeadSize
  Bf16* keys = nullptr;         // layers x kv_heads x positions x kHeadSize
  Bf16* values = nullptr;       // as keys
  Bf16* attended = nullptr;     // heads x kHeadSize
  Bf16* activated = nullptr;    // active x hidden
  int* picks = nullptr;         // active: which experts
  float* shares = nullptr;      // active: how much of each
  float* logits = nullptr;      // vocab
  float* rotary = nullptr;      // positions x kHeadSize: cosine and sine of each pair
};

// Weight: Bf16 or std::int8_t, whose scales are one a row.
template <class Weight>
struct ScaledMatrix {
  const Weight* weights = nullptr;
  const Bf16* scales = nullptr;  // null: none
};
template <class Weight>
struct LayerWeights {
  const Bf16* attention_norm = nullptr;
  ScaledMatrix<Weight> qkv;
  ScaledMatrix<Weight> output;
  const Bf16* mlp_norm = nullptr;
  const Bf16* router = nullptr;  // null: no experts
  ScaledMatrix<Weight> gate_up;
  ScaledMatrix<Weight> down;
};
template <class Weight>
struct EndWeights {
  const Bf16* embedding = nullptr;
  const Bf16* final_norm = nullptr;
  ScaledMatrix<Weight> head;
};

// How a step is launched, to be compared on one device.
struct DecodingPlan {
  bool overlaps = true;  // one kernel, else one a phase
  int in_flight = 3;     // turns of weights that a block has asked for and not got
  int depth = 0;         // turns that there is room for; 0: as many as fit
  bool sweeps = true;
};

inline constexpr std::size_t kMaxVocab = 32768;
inline constexpr std::size_t kMaxLayers = 32;

// Values 2i and 2i + 1 turned by the angle of pair i.
struct TurnedPair {
  float even = 0;
  float odd = 0;
};
STEELYARD_HOST_DEVICE inline TurnedPair turned(float even, float odd, float cosine, float sine) {
  return {even * cosine - odd * sine, odd * cosine + even * sine};
}

STEELYARD_HOST_DEVICE inline float silu(float x) { return x / (1.0f + exp_accurate(-x)); }

// A total order of floats that are numbers: larger key, larger value.
STEELYARD_HOST_DEVICE inline std::uint32_t ordered_bits(float value) {
  const std::uint32_t bits = bits_of_float(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// The largest `active` of the logits in order, ties to the lower index; shares are their softmax among each other.
STEELYARD_HOST_DEVICE inline void choose_experts(const float* logits, int experts, int active, int* picks,
                                                 float* shares) {
  float total = 0;
  for (int place = 0; place < active; ++place) {
    int best = -1;
    for (int expert = 0; expert < experts; ++expert) {
      bool is_taken = false;
      for (int earlier = 0; earlier < place; ++earlier) is_taken = is_taken || picks[earlier] == expert;
      if (!is_taken && (best < 0 || logits[expert] > logits[best])) best = expert;
    }
    picks[place] = best;
    shares[place] = exp_accurate(logits[best] - logits[picks[0]]);
    total += shares[place];
  }
  for (int place = 0; place < active; ++place) shares[place] /= total;
}

// All enqueue and return; throw cuda::CudaError. multiprocessors: of the device.
struct DecodingLaunch {
  DecodingModel model;
  DecodingBuffers buffers;
  DecodingPlan plan;
  int multiprocessors = 1;
  bool has_dependent_launch = false;  // programmatic, which came with compute capability 9.0
  cudaStream_t stream = nullptr;
};

// Step 0: the first token's row of the embedding into `stream`.
template <class Weight>
void launch_begin(const DecodingLaunch& launch, const EndWeights<Weight>& ends);
// All layers, the head, the draw, the next token's row, and the step is one more.
template <class Weight>
void launch_step(const DecodingLaunch& launch, std::span<const LayerWeights<Weight>> layers,
                 const EndWeights<Weight>& ends, std::uint64_t seed);

// weights[i] and scales of seeded tensors (decoding_model.hpp).
void fill_norm_weights(Bf16* weights, std::size_t n, std::uint64_t tensor_seed, float limit, cudaStream_t stream);
void fill_row_scales(Bf16* scales, std::size_t n, std::uint64_t scale_seed, float limit, cudaStream_t stream);

}  // namespace steelyard::cuda_suite
