// One step of decoding: a token in, logits and the next token out. Five kernels a layer, then the head and the draw:
//
//     qkv        norm, queries, keys and values of the token, turned by its position; keys and values go to the cache
//     attention  one block a head
//     output     the attention's result times a matrix, added to the residual stream
//     gate_up    norm, router, gate and up of each chosen expert, silu(gate) up
//     down       times a matrix, added to the residual stream
//
// Each kernel that reads weights cuts its rows, two by two, over one block a multiprocessor, and a warp takes a pair at
// a time. It is launched while the one before it still runs (programmatic dependent launch, compute capability 9.0):
// its first weights are on their way before it waits for what that one writes. Not those of experts: which rows they
// are is known only behind the router.
//
// What is kept where: the residual stream, queries and logits in single precision; the normed vector, keys, values, the
// attention's result and silu(gate) up rounded to bf16.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suites/cuda/arithmetic/approximate_math.hpp"
#include "bench/suites/cuda/decoding/decoding_model.hpp"
#include "bench/suites/cuda/gemv/gemv_kernels.hpp"

namespace steelyard::cuda_suite {

// Device memory of one generation. The first `given` tokens and `rotary` are there before; the rest the kernels write.
struct DecodingBuffers {
  std::size_t positions = 0;  // room of the cache
  int given = 0;              // tokens of `tokens` that are fed whatever was drawn
  int* step = nullptr;        // position of the token whose row of the embedding `stream` holds
  int* tokens = nullptr;      // positions
  float* stream = nullptr;    // dim
  float* queries = nullptr;   // heads x kHeadSize
  Bf16* keys = nullptr;       // layers x kv_heads x positions x kHeadSize
  Bf16* values = nullptr;     // as keys
  Bf16* attended = nullptr;   // heads x kHeadSize
  Bf16* activated = nullptr;  // active x hidden
  int* picks = nullptr;       // active: which experts
  float* shares = nullptr;    // active: how much of each
  float* logits = nullptr;    // vocab
  float* rotary = nullptr;    // positions x kHeadSize: cosine and sine of each pair
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

// How the kernels follow each other and share a multiprocessor, to be compared on one device.
struct DecodingPlan {
  bool overlaps = true;                 // each begins while the one before it runs
  std::size_t prefetched = 4096;        // bytes of weights that a warp asks into the second-level cache before it waits
  std::size_t after_attention = 16384;  // the same of the kernel behind the attention
  int blocks = 1;                       // a multiprocessor
  // Twice as many weights of a lane on their way; a block then has its multiprocessor for itself, and the next kernel's
  // begins there when it ends.
  bool is_deep = false;
};

inline constexpr std::size_t kMaxVocab = 32768;
inline constexpr int kMinPairWarps = 8;
inline constexpr int kMaxPairWarps = 16;

// Warps of a block whose largest share is `pairs`: as many of 8 to 16 as leave the fewest idle in the last turn; of
// equal ones the more.
constexpr int pair_warps(std::size_t pairs) {
  int best = kMinPairWarps;
  double best_use = 0;
  for (int warps = kMinPairWarps; warps <= kMaxPairWarps; ++warps) {
    const auto each = static_cast<std::size_t>(warps);
    const std::size_t turns = (pairs + each - 1) / each;
    const double use = static_cast<double>(pairs) / static_cast<double>(turns * each == 0 ? 1 : turns * each);
    if (use >= best_use) {
      best = warps;
      best_use = use;
    }
  }
  return best;
}

// Pairs of block `block` begin here: shares that differ by one at most.
STEELYARD_HOST_DEVICE inline std::size_t first_pair(std::size_t pairs, std::size_t block, std::size_t blocks) {
  return pairs * block / blocks;
}

// Where pack `pack` of a product's vector lies in shared memory: with 16 weights a pack a lane takes two of the vector,
// and those of neighbouring lanes have to be neighbours.
template <class Weight>
STEELYARD_HOST_DEVICE std::size_t vector_place(std::size_t pack, std::size_t packs_of_vector) {
  if constexpr (kVectorPacks<Weight> == 1) return pack;
  return pack % 2 * (packs_of_vector / 2) + pack / 2;
}

// Packs of both rows that a lane has on their way at once: kAhead of each.
inline constexpr int kPairAhead = 4;
inline constexpr int kDeepAhead = 8;
template <int kAhead>
struct PairAhead {
  Pack packs[kAhead][2];
};
// Packs of a row that a warp takes in one turn.
template <int kAhead>
inline constexpr std::size_t kPairTurn = std::size_t{kAhead} * kWarp;
template <class Weight>
struct PairRows {
  const Weight* upper = nullptr;
  const Weight* lower = nullptr;
};

// From pack `first` on every 32nd; what lies past the row is 0.
template <class Weight, int kAhead>
STEELYARD_HOST_DEVICE void load_pair(const PairRows<Weight>& rows, std::size_t first, std::size_t packs,
                                     PairAhead<kAhead>& ahead) {
  STEELYARD_UNROLL
  for (int k = 0; k < kAhead; ++k) {
    const std::size_t pack = first + static_cast<std::size_t>(k) * kWarp;
    ahead.packs[k][0] = Pack{};
    ahead.packs[k][1] = Pack{};
    if (pack >= packs) continue;
    ahead.packs[k][0] = load_streaming(rows.upper + pack * kLanes<Weight>);
    ahead.packs[k][1] = load_streaming(rows.lower + pack * kLanes<Weight>);
  }
}

// vector: as vector_place() has it, packs x kVectorPacks of them.
template <class Weight, int kAhead>
STEELYARD_HOST_DEVICE void add_pair(const PairAhead<kAhead>& ahead, const Pack* vector, std::size_t first,
                                    std::size_t packs, GemvSums<2>& sums) {
  STEELYARD_UNROLL
  for (int k = 0; k < kAhead; ++k) {
    const std::size_t pack = first + static_cast<std::size_t>(k) * kWarp;
    if (pack >= packs) continue;
    Pack x[kVectorPacks<Weight>];
    STEELYARD_UNROLL
    for (int i = 0; i < kVectorPacks<Weight>; ++i) x[i] = vector[static_cast<std::size_t>(i) * packs + pack];
    add_products<Weight, 2>(ahead.packs[k], x, sums);
  }
}

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
  cudaStream_t stream = nullptr;
};

// Step 0: the first token's row of the embedding into `stream`.
template <class Weight>
void launch_begin(const DecodingLaunch& launch, const EndWeights<Weight>& ends);
template <class Weight>
void launch_layer(const DecodingLaunch& launch, const LayerWeights<Weight>& layer, std::size_t number);
// The head, the draw, the next token's row, and the step is one more.
template <class Weight>
void launch_end(const DecodingLaunch& launch, const EndWeights<Weight>& ends, std::uint64_t seed);
// The draw of launch_end alone: of logits and a step that are there.
void launch_draw(const DecodingLaunch& launch, const Bf16* embedding, std::uint64_t seed);

// weights[i] and scales of seeded tensors (decoding_model.hpp).
void fill_norm_weights(Bf16* weights, std::size_t n, std::uint64_t tensor_seed, float limit, cudaStream_t stream);
void fill_row_scales(Bf16* scales, std::size_t n, std::uint64_t scale_seed, float limit, cudaStream_t stream);

}  // namespace steelyard::cuda_suite
