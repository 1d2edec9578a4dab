#include "bench/suites/cpu/vector_gelu.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace steelyard::cpu_suite {
namespace {

constexpr float kCubic = 0.044715f;
constexpr float kTwiceSlope = 1.59576912f;  // 2 sqrt(2/pi)

// exp(x) for |x| <= 87: 2^n exp(r) with |r| <= ln(2)/2, and Taylor's polynomial of degree 7 for exp(r), whose remainder
// is below 1e-8 there. ln 2 in two parts, the first of which n times is exact.
STEELYARD_INLINE float exp_bounded(float x) {
  constexpr float kLog2High = 0.693359375f;
  constexpr float kLog2Low = -2.12194440e-4f;
  const float scaled = x * std::numbers::log2e_v<float>;
  const auto n = static_cast<std::int32_t>(scaled + (scaled < 0 ? -0.5f : 0.5f));
  const auto whole = static_cast<float>(n);
  const float r = (x - whole * kLog2High) - whole * kLog2Low;
  float sum = 1.0f / 5040;
  sum = sum * r + 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  return sum * std::bit_cast<float>((n + 127) << 23);
}

STEELYARD_INLINE float logistic(float z) {
  constexpr float kBound = 87.0f;
  const float bounded = z > kBound ? kBound : (z < -kBound ? -kBound : z);
  return 1.0f / (1.0f + exp_bounded(-bounded));
}

STEELYARD_INLINE void gelu_body(std::size_t n, const float* values, float* results) {
  STEELYARD_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const float x = values[i];
    results[i] = x * logistic(kTwiceSlope * (x + kCubic * (x * x * x)));
  }
}

STEELYARD_INLINE void tanh_body(std::size_t n, const float* operand, float* result) {
  STEELYARD_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) result[i] = 2.0f * logistic(2.0f * operand[i]) - 1.0f;
}

STEELYARD_INLINE void gradient_body(std::size_t n, const float* values, const float* upstream, float* results) {
  STEELYARD_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const float x = values[i];
    const float s = logistic(kTwiceSlope * (x + kCubic * (x * x * x)));
    results[i] = upstream[i] * (s + x * (s * (1.0f - s)) * (kTwiceSlope * (1.0f + 3 * kCubic * (x * x))));
  }
}

#if STEELYARD_X86_64
STEELYARD_AVX512 void gelu_avx512(std::size_t n, const float* values, float* results) { gelu_body(n, values, results); }
STEELYARD_AVX2 void gelu_avx2(std::size_t n, const float* values, float* results) { gelu_body(n, values, results); }
STEELYARD_AVX512 void tanh_avx512(std::size_t n, const float* operand, float* result) { tanh_body(n, operand, result); }
STEELYARD_AVX2 void tanh_avx2(std::size_t n, const float* operand, float* result) { tanh_body(n, operand, result); }
STEELYARD_AVX512 void gradient_avx512(std::size_t n, const float* values, const float* upstream, float* results) {
  gradient_body(n, values, upstream, results);
}
STEELYARD_AVX2 void gradient_avx2(std::size_t n, const float* values, const float* upstream, float* results) {
  gradient_body(n, values, upstream, results);
}
#endif

}  // namespace

void gelu_vectorized(std::span<const float> values, std::span<float> results, [[maybe_unused]] VectorSet set) {
  assert(values.size() == results.size());
#if STEELYARD_X86_64
  if (set == VectorSet::avx512) return gelu_avx512(values.size(), values.data(), results.data());
  if (set == VectorSet::avx2) return gelu_avx2(values.size(), values.data(), results.data());
#endif
  gelu_body(values.size(), values.data(), results.data());
}

void gelu_gradient_vectorized(std::span<const float> values, std::span<const float> upstream, std::span<float> results,
                              VectorSet set) {
  assert(values.size() == results.size() && values.size() == upstream.size());
#if STEELYARD_X86_64
  if (set == VectorSet::avx512) return gradient_avx512(values.size(), values.data(), upstream.data(), results.data());
  if (set == VectorSet::avx2) return gradient_avx2(values.size(), values.data(), upstream.data(), results.data());
#endif
  gradient_body(values.size(), values.data(), upstream.data(), results.data());
}

void vectorized_tanh(std::span<const float> operand, std::span<float> result) {
  assert(operand.size() == result.size());
#if STEELYARD_X86_64
  const VectorSet set = widest_vector_set();
  if (set == VectorSet::avx512) return tanh_avx512(operand.size(), operand.data(), result.data());
  if (set == VectorSet::avx2) return tanh_avx2(operand.size(), operand.data(), result.data());
#endif
  tanh_body(operand.size(), operand.data(), result.data());
}

double gelu_gradient_in_double(double x) {
  const double slope = std::sqrt(2 / std::numbers::pi);
  const double t = std::tanh(slope * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope * (1 + 3 * 0.044715 * x * x);
}

}  // namespace steelyard::cpu_suite
