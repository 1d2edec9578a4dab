#include "bench/suites/cuda/decoding/decoding_kernels.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cassert>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/decoding/decoding_block.cuh"

namespace steelyard::cuda_suite {
namespace {

template <class Weight, bool kHasExperts>
__global__ void __launch_bounds__(kMaxStepThreads, 1)
    step_kernel(const __grid_constant__ StepWork<Weight> step, PhaseRange range) {
  extern __shared__ Pack memory[];
  __shared__ DecodingShared shared;
  __shared__ float of_warps[kWorkingWarps + 1];
  RingShared& ring = ring_of(memory);
  Pack* const vector = memory + kRingPacks;
  if (threadIdx.x == 0) {
    for (int i = 0; i < step.depth; ++i) {
      ring.full[i].begin(kFillArrivals);
      ring.empty[i].begin(kWorkingWarps);
    }
    ring.chosen.begin(1);
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }
  __syncthreads();
  if (threadIdx.x >= kAskingThread) {
    const BlockPlace place{blockIdx.x, gridDim.x, step.sweeps};
    ask_for_weights<Weight, kHasExperts>(
        {step, place, threadIdx.x % kWarp, products_before(range.first), products_before(range.end)}, step, shared,
        ring, vector + step.vector_packs + step.sums_packs);
    return;
  }
  const int position = load_fresh(step.buffers.step);
  if (threadIdx.x == 0) shared.step = position;
  sync_block();
  const auto phases = static_cast<unsigned>(step.model.layers) * kPhasesOfLayer;
  StepBlock<Weight, kHasExperts>(step, range, static_cast<unsigned>(position) * phases * gridDim.x, vector, shared,
                                 ring, of_warps)
      .run();
}

// Until everything that the kernel before this one wrote can be read; and that one waited in the same way.
__device__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
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

// The same where a thread has many values.
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
  if (threadIdx.x == 0) {
    *buffers.step = 0;
    *buffers.arrived = 0;
  }
}

// Of all products the most that the warps' sums take of the shared memory, in packs.
template <class Weight>
std::uint32_t packs_of_sums(const DecodingModel& model, const BlockPlace& first_block) {
  std::uint32_t most = 0;
  const auto add = [&](RowShare share, std::size_t parts) {
    ++share.rounds;  // as another block may have
    most = std::max(most, share.part_size() * static_cast<std::uint32_t>(parts));
  };
  const auto count = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  const std::uint32_t dim = count(model.dim);
  add(row_share<Weight, false>(count(model.qkv_rows()), dim, first_block), 1);
  add(row_share<Weight, false>(count(2 * model.active * model.hidden), dim, first_block), 1);
  add(row_share<Weight, true>(dim, count(model.hidden), first_block), model.active);
  add(row_share<Weight, false>(count(model.vocab), dim, first_block), 1);
  constexpr std::uint32_t kFloats = sizeof(Pack) / sizeof(float);
  return (most + kFloats - 1) / kFloats;
}

int most_depth(std::size_t bytes) {
  int device = 0;
  int most = 0;
  cuda::check(cudaGetDevice(&device), "asking for the current device");
  cuda::check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
              "asking for a block's shared memory");
  constexpr std::size_t kStatic = 1024;
  const std::size_t left = static_cast<std::size_t>(most) - std::min(static_cast<std::size_t>(most), bytes + kStatic);
  return static_cast<int>(std::clamp<std::size_t>(left / (kTurnSize * sizeof(Pack)), 1, kMaxDepth));
}

template <class Weight, bool kHasExperts>
void launch_phases(const DecodingLaunch& launch, const StepWork<Weight>& step, PhaseRange range) {
  const std::size_t bytes =
      (kRingPacks + step.vector_packs + step.sums_packs + static_cast<std::size_t>(step.depth) * kTurnSize) *
      sizeof(Pack);
  const auto kernel = &step_kernel<Weight, kHasExperts>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), bytes);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(launch.multiprocessors));
  config.blockDim = dim3(kMaxStepThreads);
  config.dynamicSmemBytes = bytes;
  config.stream = launch.stream;
  // All blocks are there at once, or the launch fails.
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cuda::check(cudaLaunchKernelEx(&config, kernel, step, range), "launching a decoding step");
}

template <class Weight, bool kHasExperts>
void launch_layers(const DecodingLaunch& launch, const StepWork<Weight>& step) {
  const auto phases = static_cast<int>(kPhasesOfLayer * step.model.layers) + 1;
  if (launch.plan.overlaps) {
    launch_phases<Weight, kHasExperts>(launch, step, {0, phases});
    return;
  }
  for (int phase = 0; phase < phases; ++phase) launch_phases<Weight, kHasExperts>(launch, step, {phase, phase + 1});
}

// The draw may be there before the step has ended, and waits for it.
template <class Weight>
void launch_draw(const DecodingLaunch& launch, const EndWeights<Weight>& ends, std::uint64_t seed) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(kDrawThreads);
  config.stream = launch.stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = launch.has_dependent_launch && launch.plan.overlaps ? 1 : 0;
  cuda::check(cudaLaunchKernelEx(&config, &draw_kernel, launch.model, launch.buffers, ends.embedding, seed),
              "launching the draw of a token");
}

template <class Weight>
void check_model(const DecodingModel& model) {
  assert(model.dim % 16 == 0 && (model.dim <= kMaxStepColumns<Weight, false>));
  assert(model.dim <= std::size_t{8} * kPacksOfNorm * kStepThreads);
  assert(model.hidden % 16 == 0 && (model.hidden <= kMaxStepColumns<Weight, true>));
  assert(model.dim == model.heads * kHeadSize && model.heads % model.kv_heads == 0);
  assert(model.dim % kUnitRows == 0 && 2 * model.hidden % kUnitRows == 0);
  assert(model.vocab % kUnitRows == 0 && model.vocab <= kMaxVocab);
  assert(model.experts <= kMaxExperts && model.active <= kMaxActive && model.active >= 1);
  assert(model.layers <= kMaxLayers);
  static_cast<void>(model);
}

}  // namespace

template <class Weight>
void launch_begin(const DecodingLaunch& launch, const EndWeights<Weight>& ends) {
  begin_kernel<<<1, kDrawThreads, 0, launch.stream>>>(launch.model, launch.buffers, ends.embedding);
  cuda::check(cudaGetLastError(), "launching the begin of a generation");
}

template <class Weight>
void launch_step(const DecodingLaunch& launch, std::span<const LayerWeights<Weight>> layers,
                 const EndWeights<Weight>& ends, std::uint64_t seed) {
  const DecodingModel& model = launch.model;
  check_model<Weight>(model);
  assert(layers.size() == model.layers);
  StepWork<Weight> step{};
  step.model = model;
  step.buffers = launch.buffers;
  step.ends = ends;
  std::copy(layers.begin(), layers.end(), step.layers);
  step.sweeps = launch.plan.sweeps;
  const std::size_t vector = std::max(model.dim, model.active * model.hidden) * sizeof(Bf16);
  step.vector_packs =
      static_cast<std::uint32_t>((std::max(vector, sizeof(AttentionShared)) + sizeof(Pack) - 1) / sizeof(Pack));
  step.sums_packs = packs_of_sums<Weight>(model, {0, static_cast<std::uint32_t>(launch.multiprocessors), step.sweeps});
  const int most = most_depth((kRingPacks + step.vector_packs + step.sums_packs) * sizeof(Pack));
  step.depth = launch.plan.depth == 0 ? most : std::min(launch.plan.depth, most);
  step.in_flight = std::min(launch.plan.in_flight, step.depth);
  if (model.experts > 0) {
    launch_layers<Weight, true>(launch, step);
  } else {
    launch_layers<Weight, false>(launch, step);
  }
  launch_draw(launch, ends, seed);
}

#define STEELYARD_DECODING(Weight)                                                                \
  template void launch_begin<Weight>(const DecodingLaunch&, const EndWeights<Weight>&);           \
  template void launch_step<Weight>(const DecodingLaunch&, std::span<const LayerWeights<Weight>>, \
                                    const EndWeights<Weight>&, std::uint64_t);
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
