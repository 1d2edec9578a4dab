// GELU in its tanh form, 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): as the chain of elementwise operators that a
// framework without fusion runs, and fused into one pass. The same arithmetic; the chain moves eleven times the memory.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"

namespace steelyard::cpu_suite {

// One elementwise tanh; the result may be the operand.
using TanhPass = void (*)(std::span<const float> operand, std::span<float> result);
void library_tanh(std::span<const float> operand, std::span<float> result);  // std::tanh of each value

// results, scratch: as long as values, and none of them the same memory.
void gelu_passes(std::span<const float> values, std::span<float> scratch, std::span<float> results,
                 TanhPass tanh_pass = library_tanh);

// `results` may be `values`.
void gelu_fused(std::span<const float> values, std::span<float> results);

double gelu_in_double(double x);
std::vector<double> gelu_reference(std::span<const float> values);

// Eight multiplications and additions and one tanh a value.
inline constexpr std::size_t kGeluOperations = 9;

// Nine passes: each writes its result; five of them read one vector, four read two (x*x reads x twice).
constexpr OperatorCost gelu_passes_cost(std::size_t n) {
  return {operations(kGeluOperations * n), floats(13 * n), floats(9 * n)};
}
constexpr OperatorCost gelu_fused_cost(std::size_t n) {
  return {operations(kGeluOperations * n), floats(n), floats(n)};
}

}  // namespace steelyard::cpu_suite
