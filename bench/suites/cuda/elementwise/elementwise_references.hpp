// Elementwise operations in double precision, with the bound of a kernel's answer.
#pragma once

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"

namespace steelyard::cuda_suite {

// One addition in single precision, rounded to T.
template <class T>
Wanted add_wanted(double a, double b);

double gelu_in_double(double x);
// Fused: single precision within, rounded once to T.
template <class T>
Wanted gelu_wanted(double x);
// Nine links, each rounded to T.
template <class T>
Wanted gelu_chain_wanted(double x);

// What elementwise operations cost by definition.

constexpr OperatorCost add_cost(std::size_t n, std::size_t value_bytes) {
  return {operations(n), bytes_of(2 * n, value_bytes), bytes_of(n, value_bytes)};
}

// Eight multiplications and additions and one tanh a value.
inline constexpr std::size_t kGeluOperations = 9;

constexpr OperatorCost gelu_cost(std::size_t n, std::size_t value_bytes) {
  return {operations(kGeluOperations * n), bytes_of(n, value_bytes), bytes_of(n, value_bytes)};
}
// Nine links: each writes its result; five of them read one array, four read two (x x reads x twice).
constexpr OperatorCost gelu_chain_cost(std::size_t n, std::size_t value_bytes) {
  return {operations(kGeluOperations * n), bytes_of(13 * n, value_bytes), bytes_of(9 * n, value_bytes)};
}

}  // namespace steelyard::cuda_suite
