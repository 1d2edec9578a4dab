// What one call of a kernel costs by its definition: arithmetic done, memory read and written. Not what some machine
// makes of it: caches serve part of the traffic, and a cleverer algorithm may need less.
//
// Conventions of the whole suite:
// - an addition, subtraction, multiplication, division, comparison, square root, exp or tanh counts as one operation;
// - a dot product of length n is 2n operations (a multiply-add is two and the sum starts at 0), so a product of an
//   m x k and a k x n matrix is 2mnk: what PyTorch's FlopCounterMode and the roofline literature count;
// - every operand is read once and every result written once per operator; a chain of operators pays for each link.
//
//     constexpr OperatorCost cost = gemv_cost({.rows = 4, .columns = 8});
//     static_assert(cost.flops == Flops(64));
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/model/quantity.hpp"

namespace steelyard::cpu_suite {

struct OperatorCost {
  Flops flops;
  Bytes read;
  Bytes written;

  constexpr Bytes traffic() const { return read + written; }
  constexpr OperatorCost operator+(const OperatorCost& next) const {
    return {flops + next.flops, read + next.read, written + next.written};
  }
  constexpr OperatorCost operator*(std::size_t times) const {
    const auto factor = static_cast<std::int64_t>(times);
    return {flops * factor, read * factor, written * factor};
  }
  constexpr bool operator==(const OperatorCost&) const = default;
};

constexpr Flops operations(std::size_t count) { return Flops(static_cast<std::int64_t>(count)); }

// Memory of `count` single-precision values.
constexpr Bytes floats(std::size_t count) { return Bytes(static_cast<std::int64_t>(count * sizeof(float))); }

}  // namespace steelyard::cpu_suite
