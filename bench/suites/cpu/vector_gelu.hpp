// GELU and its derivative as a numeric library writes them: no call of tanh, but x times the logistic function of twice
// tanh's argument (the same function), with an exp of its own that the compiler makes vectors of. And fused.
#pragma once

#include <span>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cpu/vector_set.hpp"

namespace steelyard::cpu_suite {

// Within 1e-6 * max(1, |x|) of gelu_in_double for |x| <= 1e6. `results` may be `values`.
void gelu_vectorized(std::span<const float> values, std::span<float> results, VectorSet set = widest_vector_set());

// An elementwise tanh for a chain of passes that memory bounds, as 2 logistic(2x) - 1: within 3e-7, though relatively
// worse near 0.
void vectorized_tanh(std::span<const float> operand, std::span<float> result);

// results[i] = upstream[i] * GELU'(values[i]): the backward pass. `results` may be `upstream`.
void gelu_gradient_vectorized(std::span<const float> values, std::span<const float> upstream, std::span<float> results,
                              VectorSet set = widest_vector_set());

double gelu_gradient_in_double(double x);

// By the formula 0.5 (1 + t) + 0.5 x (1 - t^2) c (1 + 3 * 0.044715 x^2) with t = tanh(c (x + 0.044715 x^3)): five
// operations and one tanh for t, eleven more, and the product with what comes from above. As for GELU, what a kernel
// makes of the formula does not matter.
inline constexpr std::size_t kGeluGradientOperations = 18;

constexpr OperatorCost gelu_gradient_cost(std::size_t n) {
  return {operations(kGeluGradientOperations * n), floats(2 * n), floats(n)};
}

}  // namespace steelyard::cpu_suite
