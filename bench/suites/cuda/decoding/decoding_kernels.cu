#include "bench/suites/cuda/decoding/decoding_kernels.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cassert>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/block_join.cuh"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/decoding/decoding_work.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr int kMaxPairThreads = kMaxPairWarps * kWarp;
// Until everything that the kernel before this one wrote can be read; and that one waited in the same way.
__device__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// The kernel behind this one may begin: it waits itself for what is written here.
__device__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ void prefetch(const void* address, std::size_t bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(address), "r"(static_cast<unsigned>(bytes))
               : "memory");
#else
  static_cast<void>(address);
  static_cast<void>(bytes);
#endif
}

__device__ ThreadPlace this_thread() {
  return {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), blockIdx.x};
}
struct Sum {
  template <class Value>
  __device__ Value operator()(const Value& a, const Value& b) const {
    return a + b;
  }
};

// What a warp asks into the second-level cache: of its pairs in their order, `most` bytes behind what it has loaded.
template <int kAhead, class Work>
__device__ void prefetch_pairs(const Work& work, std::size_t pair, std::size_t end, std::size_t row_bytes,
                               std::size_t most, const DecodingShared& shared) {
  std::size_t from = kPairTurn<kAhead> * sizeof(Pack);
  const std::size_t step = blockDim.x / kWarp;
  while (pair < end && most > 0) {
    if (from < row_bytes) {
      const std::size_t bytes = min(row_bytes - from, most / 2) / sizeof(Pack) * sizeof(Pack);
      if (bytes == 0) return;
      const auto rows = work.rows(pair, 0, shared);
      prefetch(reinterpret_cast<const char*>(rows.upper) + from, bytes);
      prefetch(reinterpret_cast<const char*>(rows.lower) + from, bytes);
      most -= 2 * bytes;
    }
    from = 0;
    pair += step;
  }
}

template <class Weight, class Work>
__device__ void choose_rows(const Work& work, const Pack* vector, DecodingShared& shared) {
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (std::size_t expert = threadIdx.x / kWarp; expert < work.model.experts; expert += blockDim.x / kWarp) {
    const float whole = joined_over_warp(work.router_share(vector, expert, lane), Sum{});
    if (lane == 0) shared.router[expert] = whole;
  }
  __syncthreads();
  if (threadIdx.x == 0) work.choose(shared, blockIdx.x);
}

template <class Weight, int kAhead, class Work>
__global__ void __launch_bounds__(kMaxPairThreads, kAhead == kPairAhead ? 2 : 1)
    pair_kernel(Work work, std::size_t prefetched) {
  extern __shared__ Pack vector[];
  __shared__ DecodingShared shared;
  __shared__ float of_warps[kMaxWarps];
  const auto lane = static_cast<std::size_t>(threadIdx.x) % kWarp;
  const std::size_t warps = blockDim.x / kWarp;
  const std::size_t packs = work.columns() / kLanes<Weight>;
  std::size_t pair = first_pair(work.pairs(), blockIdx.x, gridDim.x) + threadIdx.x / kWarp;
  const std::size_t end = first_pair(work.pairs(), blockIdx.x + 1, gridDim.x);
  PairAhead<kAhead> ahead;
  NormedPart normed;
  // What no kernel writes is asked for before this one waits.
  if constexpr (Work::kIsNormed) normed.early(work.norm, work.model.dim, this_thread());
  if (Work::kKnowsItsRows && pair < end) {
    load_pair(work.rows(pair, 0, shared), lane, packs, ahead);
    if (lane == 0) prefetch_pairs<kAhead>(work, pair, end, packs * sizeof(Pack), prefetched, shared);
  }
  wait_for_previous();
  work.place_vector(vector, shared, this_thread());
  if constexpr (Work::kIsNormed) {
    const float own = normed.gather(work.buffers.stream, work.model.dim, this_thread());
    const float squares = joined_over_block(own, 0.0f, of_warps, Sum{});
    normed.template place<Weight>(vector, work.model.dim, this_thread(), squares);
  }
  if constexpr (Work::kHasRouter) choose_rows<Weight>(work, vector, shared);
  __syncthreads();
  if (!Work::kKnowsItsRows && pair < end) load_pair(work.rows(pair, 0, shared), lane, packs, ahead);
  const int parts = work.parts();
  for (; pair < end; pair += warps) {
    if (pair + warps >= end) let_next_begin();
    float whole[2] = {0, 0};
    PairNote note;
    for (int part = 0; part < parts; ++part) {
      note = work.note(pair, part, shared);
      GemvSums<2> sums{};
      const PairRows<Weight> rows = work.rows(pair, part, shared);
      const Pack* const x = vector + static_cast<std::size_t>(part) * packs * kVectorPacks<Weight>;
      for (std::size_t turn = 0;; turn += kPairTurn<kAhead>) {
        add_pair<Weight>(ahead, x, turn + lane, packs, sums);
        if (turn + kPairTurn<kAhead> >= packs) break;
        load_pair(rows, turn + kPairTurn<kAhead> + lane, packs, ahead);
      }
      // What is next is on its way before the warp joins its sums.
      if (part + 1 < parts) {
        load_pair(work.rows(pair, part + 1, shared), lane, packs, ahead);
      } else if (pair + warps < end) {
        load_pair(work.rows(pair + warps, 0, shared), lane, packs, ahead);
      }
      sums = joined_over_warp(sums, [](const GemvSums<2>& a, const GemvSums<2>& b) { return added(a, b); });
      whole[0] += sums.of_row[0] * note.scales[0];
      whole[1] += sums.of_row[1] * note.scales[1];
    }
    if (lane == 0) work.finish(pair, note, whole, shared);
  }
}

__global__ void __launch_bounds__(kAttentionThreads, 2)
    attention_kernel(DecodingModel model, DecodingBuffers buffers, std::size_t layer) {
  __shared__ AttentionShared shared;
  AttentionThread own(cache_of(model, buffers, layer, blockIdx.x), static_cast<int>(threadIdx.x));
  // The kernel before this one lets it begin behind its own wait: the step is that of this token, and all earlier
  // positions are whole. The last position is written by that kernel.
  const auto step = static_cast<std::size_t>(load_fresh(buffers.step));
  own.load(0, step);
  wait_for_previous();
  let_next_begin();
  own.load_query(buffers.queries + blockIdx.x * kHeadSize);
  own.load_last(step);
  for (std::size_t turn = 0; turn <= step; turn += kAttentionTurn) {
    if (turn > 0) own.load(turn, step + 1);
    float scores[kPositionsAhead];
#pragma unroll
    for (int k = 0; k < kPositionsAhead; ++k) {
      scores[k] = own.score_share(k);
#pragma unroll
      for (int distance = kHalf / 2; distance > 0; distance /= 2) {
        scores[k] += __shfl_xor_sync(0xffffffffu, scores[k], distance);
      }
    }
    own.take(scores, turn, step);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) shared.sums[own.half()][own.first_value() + i] = own.sum(i);
  if (own.first_value() == 0) {
    shared.largest[own.half()] = own.largest();
    shared.total[own.half()] = own.total();
  }
  __syncthreads();
  if (threadIdx.x >= kHeadSize) return;
  buffers.attended[blockIdx.x * kHeadSize + threadIdx.x] = joined_attention(shared, static_cast<int>(threadIdx.x));
}

// The draw: one block, its threads share the logits.
constexpr int kDrawThreads = 1024;
constexpr int kLogitsOfThread = static_cast<int>(kMaxVocab) / kDrawThreads;

struct Drawn {
  float key;
  int token;
};
__device__ Drawn better(const Drawn& a, const Drawn& b) {
  const bool is_first = a.key > b.key || (a.key == b.key && a.token < b.token);
  return is_first ? a : b;
}

struct DrawShared {
  std::uint32_t values[kDrawThreads];
  int tokens[kDrawThreads];
  int counts[2][kMaxWarps];
  int count;
};

// The largest number that at least kTopTokens of the threads' values reach, bit by bit; 0: fewer of them are above 0.
__device__ std::uint32_t reached_by_top(std::uint32_t value) {
  std::uint32_t threshold = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint32_t candidate = threshold | (1u << bit);
    const int count = __syncthreads_count(value >= candidate ? 1 : 0);
    if (count >= kTopTokens) threshold = candidate;
    if (count == kTopTokens) break;
  }
  return threshold;
}

// The largest number that at least kTopTokens of the threads' values reach, where each thread has many.
__device__ std::uint32_t reached_by_top(const std::uint32_t (&order)[kLogitsOfThread], DrawShared& shared) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  std::uint32_t threshold = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint32_t candidate = threshold | (1u << bit);
    int count = 0;
#pragma unroll
    for (int k = 0; k < kLogitsOfThread; ++k) count += order[k] >= candidate ? 1 : 0;
    count = __reduce_add_sync(0xffffffffu, count);
    if (lane == 0) shared.counts[bit % 2][threadIdx.x / kWarp] = count;
    __syncthreads();
    count = __reduce_add_sync(0xffffffffu, shared.counts[bit % 2][lane]);
    if (count >= kTopTokens) threshold = candidate;
    if (count == kTopTokens) break;
  }
  return threshold;
}

// The best of the kTopTokens largest. None of them is below what as many of the threads' largest reach: few are above
// that, and each is then of one thread. Where too many are equal, all threads share them.
__device__ Drawn best_of_top(const std::uint32_t (&order)[kLogitsOfThread], DrawShared& shared, std::uint64_t seed,
                             int step) {
  const Drawn none{-kInfinity, static_cast<int>(kMaxVocab)};
  const auto drawn = [&](std::uint32_t of, int token) {
    const std::uint32_t bits = (of & 0x80000000u) != 0 ? of & 0x7fffffffu : ~of;
    return Drawn{sampling_key(float_of_bits(bits), exponential_at(seed, step, token)), token};
  };
  const auto token_of = [](int k) { return static_cast<int>(threadIdx.x) + k * kDrawThreads; };
  std::uint32_t largest = 0;
#pragma unroll
  for (int k = 0; k < kLogitsOfThread; ++k) largest = max(largest, order[k]);
  if (threadIdx.x == 0) shared.count = 0;
  shared.values[threadIdx.x] = 0;
  const std::uint32_t bound = max(reached_by_top(largest), 1u);
  int own = 0;
#pragma unroll
  for (int k = 0; k < kLogitsOfThread; ++k) own += order[k] >= bound ? 1 : 0;
  int place = own == 0 ? 0 : atomicAdd(&shared.count, own);
  __syncthreads();
  Drawn best = none;
  if (shared.count > kDrawThreads) {
    const std::uint32_t threshold = max(reached_by_top(order, shared), 1u);
#pragma unroll
    for (int k = 0; k < kLogitsOfThread; ++k) {
      if (order[k] >= threshold) best = better(best, drawn(order[k], token_of(k)));
    }
    return best;
  }
  if (own > 0) {
#pragma unroll
    for (int k = 0; k < kLogitsOfThread; ++k) {
      if (order[k] < bound) continue;
      shared.values[place] = order[k];
      shared.tokens[place++] = token_of(k);
    }
  }
  __syncthreads();
  const std::uint32_t value = shared.values[threadIdx.x];
  if (value != 0) best = drawn(value, shared.tokens[threadIdx.x]);
  // As many as are wanted are there alone: any number below them is reached too.
  const std::uint32_t threshold = max(reached_by_top(value), bound);
  return value >= threshold ? best : none;
}

__device__ void enter(const DecodingModel& model, const DecodingBuffers& buffers, const Bf16* embedding, int token) {
  for (std::size_t i = threadIdx.x; i < model.dim; i += blockDim.x) {
    buffers.stream[i] = widened(embedding[static_cast<std::size_t>(token) * model.dim + i]);
  }
}

__global__ void __launch_bounds__(kDrawThreads)
    draw_kernel(DecodingModel model, DecodingBuffers buffers, const Bf16* embedding, std::uint64_t seed) {
  __shared__ DrawShared draw;
  __shared__ Drawn drawn_of[kMaxWarps];
  wait_for_previous();
  let_next_begin();
  const int step = load_fresh(buffers.step);
  std::uint32_t order[kLogitsOfThread];  // 0: none
#pragma unroll
  for (int k = 0; k < kLogitsOfThread; ++k) {
    const std::size_t token = threadIdx.x + static_cast<std::size_t>(k) * kDrawThreads;
    const float logit = token < model.vocab ? load_fresh(buffers.logits + token) : 0.0f;
    // What is no number is none of the logits: its order would be above or below all others.
    order[k] = token < model.vocab && logit == logit ? ordered_bits(logit) : 0;
  }
  Drawn best = best_of_top(order, draw, seed, step);
  best = joined_over_block(best, Drawn{-kInfinity, static_cast<int>(kMaxVocab)}, drawn_of,
                           [](const Drawn& a, const Drawn& b) { return better(a, b); });
  const int next = step + 1;
  int token = best.token;
  if (next < buffers.given) {
    token = load_fresh(buffers.tokens + next);
  } else if (threadIdx.x == 0 && static_cast<std::size_t>(next) < buffers.positions) {
    buffers.tokens[next] = token;
  }
  // Logits that are no numbers draw nothing; the row of token 0 then stands for none.
  enter(model, buffers, embedding, static_cast<std::size_t>(token) < model.vocab ? token : 0);
  __syncthreads();  // every thread has read the step
  if (threadIdx.x == 0) *buffers.step = next;
}

__global__ void begin_kernel(DecodingModel model, DecodingBuffers buffers, const Bf16* embedding) {
  enter(model, buffers, embedding, buffers.tokens[0]);
  if (threadIdx.x == 0) *buffers.step = 0;
}

struct Shape {
  unsigned blocks;
  int threads;
  std::size_t shared_bytes = 0;
};

template <class... Parameters, class... Arguments>
void launch_after(const DecodingLaunch& launch, const Shape& shape, void (*kernel)(Parameters...),
                  Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks);
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = launch.stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = launch.plan.overlaps ? 1 : 0;
  const auto* address = reinterpret_cast<const void*>(kernel);
  if (shape.shared_bytes > kFreeSharedMemory) allow_shared_memory(address, shape.shared_bytes);
  // Kernels that divide a multiprocessor's memory differently do not run on it at once.
  cuda::check(
      cudaFuncSetAttribute(address, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
      "dividing a multiprocessor's memory");
  cuda::check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
              "launching a kernel of a decoding step");
}

struct PairExtent {
  std::size_t pairs = 0;
  std::size_t vector = 0;  // values
};

template <class Weight, class Work>
void launch_pairs(const DecodingLaunch& launch, const PairExtent& extent, std::size_t prefetched, const Work& work) {
  const auto blocks = static_cast<std::size_t>(launch.multiprocessors * launch.plan.blocks);
  const int warps = pair_warps((extent.pairs + blocks - 1) / blocks);
  const Shape shape{static_cast<unsigned>(std::min(blocks, extent.pairs)), warps * kWarp, extent.vector * sizeof(Bf16)};
  const auto kernel =
      launch.plan.is_deep ? &pair_kernel<Weight, kDeepAhead, Work> : &pair_kernel<Weight, kPairAhead, Work>;
  launch_after(launch, shape, kernel, work, prefetched);
}

template <class Weight, bool kHasExperts>
void launch_perceptron(const DecodingLaunch& launch, const LayerWeights<Weight>& layer) {
  const DecodingModel& model = launch.model;
  launch_pairs<Weight>(
      launch, {model.active * model.hidden, model.dim}, launch.plan.prefetched,
      GateUpWork<Weight, kHasExperts>{model, launch.buffers, layer.mlp_norm, layer.router, layer.gate_up});
  launch_pairs<Weight>(launch, {model.dim / 2, model.active * model.hidden}, launch.plan.prefetched,
                       DownWork<Weight, kHasExperts>{model, launch.buffers, layer.down});
}

void check_model(const DecodingModel& model) {
  assert(model.dim % 16 == 0 && model.dim <= std::size_t{16} * kMinPairWarps * kWarp);
  assert(model.dim == model.heads * kHeadSize && model.heads % model.kv_heads == 0);
  assert(model.hidden % 16 == 0 && model.vocab % 2 == 0 && model.vocab <= kMaxVocab);
  assert(model.experts <= kMaxExperts && model.active <= kMaxActive && model.active >= 1);
  static_cast<void>(model);
}

}  // namespace

template <class Weight>
void launch_begin(const DecodingLaunch& launch, const EndWeights<Weight>& ends) {
  begin_kernel<<<1, kDrawThreads, 0, launch.stream>>>(launch.model, launch.buffers, ends.embedding);
  cuda::check(cudaGetLastError(), "launching the begin of a generation");
}

template <class Weight>
void launch_layer(const DecodingLaunch& launch, const LayerWeights<Weight>& layer, std::size_t number) {
  const DecodingModel& model = launch.model;
  check_model(model);
  launch_pairs<Weight>(launch, {model.qkv_rows() / 2, model.dim}, launch.plan.prefetched,
                       QkvWork<Weight>{model, launch.buffers, layer.attention_norm, layer.qkv, number});
  launch_after(launch, {static_cast<unsigned>(model.heads), kAttentionThreads}, &attention_kernel, model,
               launch.buffers, number);
  launch_pairs<Weight>(launch, {model.dim / 2, model.dim}, launch.plan.after_attention,
                       OutputWork<Weight>{model, launch.buffers, layer.output});
  if (layer.router == nullptr) {
    launch_perceptron<Weight, false>(launch, layer);
  } else {
    launch_perceptron<Weight, true>(launch, layer);
  }
}

void launch_draw(const DecodingLaunch& launch, const Bf16* embedding, std::uint64_t seed) {
  launch_after(launch, {1, kDrawThreads}, &draw_kernel, launch.model, launch.buffers, embedding, seed);
}

template <class Weight>
void launch_end(const DecodingLaunch& launch, const EndWeights<Weight>& ends, std::uint64_t seed) {
  const DecodingModel& model = launch.model;
  launch_pairs<Weight>(launch, {model.vocab / 2, model.dim}, launch.plan.prefetched,
                       HeadWork<Weight>{model, launch.buffers, ends.final_norm, ends.head});
  launch_draw(launch, ends.embedding, seed);
}

#define STEELYARD_DECODING(Weight)                                                                     \
  template void launch_begin<Weight>(const DecodingLaunch&, const EndWeights<Weight>&);                \
  template void launch_layer<Weight>(const DecodingLaunch&, const LayerWeights<Weight>&, std::size_t); \
  template void launch_end<Weight>(const DecodingLaunch&, const EndWeights<Weight>&, std::uint64_t);
STEELYARD_DECODING(Bf16)
STEELYARD_DECODING(std::int8_t)

namespace {

__global__ void norm_weights_kernel(Bf16* weights, std::size_t n, std::uint64_t tensor_seed, float limit) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) weights[i] = ModelWeights::norm_weight(tensor_seed, i, limit);
}
__global__ void row_scales_kernel(Bf16* scales, std::size_t n, std::uint64_t scale_seed, float limit) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) scales[i] = ModelWeights::row_scale(scale_seed, i, limit);
}
unsigned blocks_of(std::size_t n) { return static_cast<unsigned>((n + 255) / 256); }

}  // namespace

void fill_norm_weights(Bf16* weights, std::size_t n, std::uint64_t tensor_seed, float limit, cudaStream_t stream) {
  norm_weights_kernel<<<blocks_of(n), 256, 0, stream>>>(weights, n, tensor_seed, limit);
  cuda::check(cudaGetLastError(), "launching the filling of norms");
}
void fill_row_scales(Bf16* scales, std::size_t n, std::uint64_t scale_seed, float limit, cudaStream_t stream) {
  row_scales_kernel<<<blocks_of(n), 256, 0, stream>>>(scales, n, scale_seed, limit);
  cuda::check(cudaGetLastError(), "launching the filling of scales");
}

}  // namespace steelyard::cuda_suite
