// What one thread of an elementwise kernel does: it has one pack of each array. More blocks rather than more packs a
// thread keep as much on its way, and end closer together. The last pack of an array whose length is no multiple of the
// lanes is moved lane by lane.
#pragma once

#include <cmath>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/arithmetic/approximate_math.hpp"
#include "bench/suites/cuda/arithmetic/block_tree.hpp"
#include "bench/suites/cuda/arithmetic/pack.hpp"

namespace steelyard::cuda_suite {

// Functions of one or two values, each a kernel of its own: addition, GELU in its tanh form fused into one, and the
// nine links that a framework without fusion makes of it.

inline constexpr float kGeluCubic = 0.044715f;
inline constexpr float kGeluSlope = 0.79788456f;  // sqrt(2/pi)

struct Sum {
  static constexpr int kOperands = 2;
  STEELYARD_HOST_DEVICE float operator()(float a, float b) const { return a + b; }
};
struct Product {
  static constexpr int kOperands = 2;
  STEELYARD_HOST_DEVICE float operator()(float a, float b) const { return a * b; }
};
struct TimesConstant {
  static constexpr int kOperands = 1;
  float factor = 1.0f;
  STEELYARD_HOST_DEVICE float operator()(float a, float) const { return factor * a; }
};
struct PlusOne {
  static constexpr int kOperands = 1;
  STEELYARD_HOST_DEVICE float operator()(float a, float) const { return 1.0f + a; }
};
struct Tanh {
  static constexpr int kOperands = 1;
  STEELYARD_HOST_DEVICE float operator()(float a, float) const {
#ifdef __CUDA_ARCH__
    return ::tanhf(a);  // within 2 units in the last place
#else
    return std::tanh(a);
#endif
  }
};

// x (1 + tanh u) / 2 is x / (1 + e^-2u): one exponential and one reciprocal, which the device has instructions for, in
// place of a tanh of some twenty. The constants are those of u, times -2 log2(e), so that the exponential is one of 2.
// For large negative x it is infinite and the result -0.
struct Gelu {
  static constexpr int kOperands = 1;
  static constexpr double kPower = -2 * 0.79788456080286535588 * 1.44269504088896340736;
  STEELYARD_HOST_DEVICE float operator()(float x, float) const {
    constexpr auto kLinear = static_cast<float>(kPower);
    constexpr auto kCubic = static_cast<float>(kPower * 0.044715);
    return x * reciprocal_fast(1.0f + exp2_fast(x * (kLinear + kCubic * (x * x))));
  }
};

inline constexpr int kElementwiseThreads = 256;

struct BlockPlace {
  std::size_t block = 0;
  int thread = 0;
};

// Values of one block.
template <class T>
inline constexpr std::size_t kTileValues = std::size_t{kElementwiseThreads} * kLanes<T>;

template <class T>
constexpr std::size_t elementwise_blocks(std::size_t n) {
  return (n + kTileValues<T> - 1) / kTileValues<T>;
}

// results[i] = operation(left[i], right[i]) for the thread's share of n values; `right` is not read where the operation
// has one operand. results: none of the operands' memory.
template <class Operation, class T>
STEELYARD_HOST_DEVICE void elementwise_thread(BlockPlace place, const Operation& operation, const T* left,
                                              const T* right, T* results, std::size_t n) {
  const std::size_t at = (place.block * kElementwiseThreads + static_cast<std::size_t>(place.thread)) * kLanes<T>;
  Pack lefts{};
  Pack rights{};
  if (at + kLanes<T> <= n) {
    lefts = load_streaming(left + at);
    if (Operation::kOperands == 2) rights = load_streaming(right + at);
  } else if (at < n) {
    lefts = load_lanes(left + at, static_cast<int>(n - at));
    if (Operation::kOperands == 2) rights = load_lanes(right + at, static_cast<int>(n - at));
  }
  if (at >= n) return;  // behind the loads: whole packs and tails then have code of their own, as was measured
  float a[kLanes<T>];
  float b[kLanes<T>];
  unpack<T>(lefts, a);
  unpack<T>(rights, b);
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) a[i] = operation(a[i], b[i]);
  if (at + kLanes<T> <= n) {
    store_pack(results + at, packed<T>(a));
  } else {
    store_lanes(results + at, a, static_cast<int>(n - at));
  }
}

// The nine links of GELU in the order that a framework without fusion runs them: what each reads and writes. The
// buffers: 0 is the values, the last writes the results; no link writes what it reads.
enum class GeluBuffer { values, scratch, other_scratch, results };
struct GeluLink {
  enum class Function { product, times_cubic, sum, times_slope, tanh, plus_one, times_half };
  Function function;
  GeluBuffer left;
  GeluBuffer right;  // the same as left where there is one operand
  GeluBuffer to;
};
inline constexpr GeluLink kGeluChain[] = {
    {GeluLink::Function::product, GeluBuffer::values, GeluBuffer::values, GeluBuffer::scratch},         // x x
    {GeluLink::Function::product, GeluBuffer::scratch, GeluBuffer::values, GeluBuffer::other_scratch},  // x x x
    {GeluLink::Function::times_cubic, GeluBuffer::other_scratch, GeluBuffer::other_scratch, GeluBuffer::scratch},
    {GeluLink::Function::sum, GeluBuffer::values, GeluBuffer::scratch, GeluBuffer::other_scratch},
    {GeluLink::Function::times_slope, GeluBuffer::other_scratch, GeluBuffer::other_scratch, GeluBuffer::scratch},
    {GeluLink::Function::tanh, GeluBuffer::scratch, GeluBuffer::scratch, GeluBuffer::other_scratch},
    {GeluLink::Function::plus_one, GeluBuffer::other_scratch, GeluBuffer::other_scratch, GeluBuffer::scratch},
    {GeluLink::Function::times_half, GeluBuffer::values, GeluBuffer::values, GeluBuffer::other_scratch},
    {GeluLink::Function::product, GeluBuffer::other_scratch, GeluBuffer::scratch, GeluBuffer::results},
};

// The elementwise kernels. Each call enqueues and returns; T: float, F16 or Bf16; arrays of n values on the device,
// from addresses that are multiples of 16; the results are none of the operands' memory. Throws cuda::CudaError.

template <class T>
void launch_add(const T* left, const T* right, T* results, std::size_t n, cudaStream_t stream);

template <class T>
void launch_gelu(const T* values, T* results, std::size_t n, cudaStream_t stream);

template <class T>
struct GeluChainArrays {
  const T* values = nullptr;
  T* scratch = nullptr;
  T* other_scratch = nullptr;
  T* results = nullptr;
};
// Nine launches.
template <class T>
void launch_gelu_chain(const GeluChainArrays<T>& arrays, std::size_t n, cudaStream_t stream);

}  // namespace steelyard::cuda_suite
