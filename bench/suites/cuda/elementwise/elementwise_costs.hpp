// What elementwise operations cost by definition.
#pragma once

#include "bench/harness/operator_cost.hpp"

namespace steelyard::cuda_suite {

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
