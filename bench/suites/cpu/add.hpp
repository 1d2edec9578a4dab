// The sum of two vectors, value by value: one operation for twelve bytes, so the memory's rate and nothing else.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"

namespace steelyard::cpu_suite {

// results: as long as left and right, and none of their memory.
void add(std::span<const float> left, std::span<const float> right, std::span<float> results);

std::vector<double> add_reference(std::span<const float> left, std::span<const float> right);

constexpr OperatorCost add_cost(std::size_t n) { return {operations(n), floats(2 * n), floats(n)}; }

}  // namespace steelyard::cpu_suite
