#include "bench/suites/cpu/gelu.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/suites/cpu/vector_set.hpp"

namespace steelyard::cpu_suite {
namespace {

constexpr float kCubic = 0.044715f;
constexpr float kSlope = 0.79788456f;  // sqrt(2/pi)

// One elementwise operator: a pass of its own over memory. Not inlined, so that no two passes become one.
template <class Operation>
[[gnu::noinline]] void pass(std::span<const float> operand, std::span<float> result, Operation operation) {
  const std::size_t n = operand.size();
  const float* in = operand.data();
  float* out = result.data();
  STEELYARD_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = operation(in[i]);
}
template <class Operation>
[[gnu::noinline]] void pass(std::span<const float> left, std::span<const float> right, std::span<float> result,
                            Operation operation) {
  const std::size_t n = left.size();
  const float* a = left.data();
  const float* b = right.data();
  float* out = result.data();
  STEELYARD_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = operation(a[i], b[i]);
}

}  // namespace

void library_tanh(std::span<const float> operand, std::span<float> result) {
  for (std::size_t i = 0; i < operand.size(); ++i) result[i] = std::tanh(operand[i]);
}

void gelu_passes(std::span<const float> values, std::span<float> scratch, std::span<float> results,
                 TanhPass tanh_pass) {
  const auto product = [](float a, float b) { return a * b; };
  pass(values, values, scratch, product);
  pass(std::span<const float>(scratch), values, scratch, product);
  pass(std::span<const float>(scratch), scratch, [](float cube) { return kCubic * cube; });
  pass(values, std::span<const float>(scratch), scratch, [](float x, float term) { return x + term; });
  pass(std::span<const float>(scratch), scratch, [](float sum) { return kSlope * sum; });
  tanh_pass(scratch, scratch);
  pass(std::span<const float>(scratch), scratch, [](float bounded) { return 1.0f + bounded; });
  pass(values, results, [](float x) { return 0.5f * x; });
  pass(std::span<const float>(results), std::span<const float>(scratch), results, product);
}

void gelu_fused(std::span<const float> values, std::span<float> results) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float x = values[i];
    results[i] = 0.5f * x * (1.0f + std::tanh(kSlope * (x + kCubic * (x * x * x))));
  }
}

double gelu_in_double(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

std::vector<double> gelu_reference(std::span<const float> values) {
  std::vector<double> results(values.size());
  std::transform(values.begin(), values.end(), results.begin(), gelu_in_double);
  return results;
}

}  // namespace steelyard::cpu_suite
