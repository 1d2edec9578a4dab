// What one call of an operator costs by its definition: arithmetic done, memory read and written. Not what some machine
// makes of it: caches serve part of the traffic, and a cleverer algorithm may need less.
//
// Conventions:
// - an addition, subtraction, multiplication, division, comparison, square root, exp or tanh counts as one operation;
// - a dot product of length n is 2n operations (a multiply-add is two and the sum starts at 0), so a product of an
//   m x k and a k x n matrix is 2mnk: what PyTorch's FlopCounterMode and the roofline literature count;
// - an added bias, a scale of the scores and the softmax of an attention count as nothing, and masks give no discount;
// - every operand is read once and every result written once per operator; a chain of operators pays for each link;
// - counts are 64-bit: a shape whose own pass 2^63 (square products from a width of 1.6 million on) is a mistake.
// Operations alone cannot say whether half a percent of the peak is bad: with the bytes, attainable() can.
//
//     constexpr OperatorCost cost = mm_cost({.rows = 3, .inner = 4, .columns = 5});
//     static_assert(cost.flops == Flops(120));
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/model/quantity.hpp"

namespace steelyard {

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

// Memory of `count` values of `size` bytes each.
constexpr Bytes bytes_of(std::size_t count, std::size_t size) { return Bytes(static_cast<std::int64_t>(count * size)); }
// Memory of `count` single-precision values.
constexpr Bytes floats(std::size_t count) { return bytes_of(count, sizeof(float)); }

// `batch` products of a rows x inner and an inner x columns matrix.
struct ProductExtent {
  std::size_t batch = 1;
  std::size_t rows = 0;
  std::size_t inner = 0;
  std::size_t columns = 0;
  std::size_t value_bytes = sizeof(float);
};

constexpr OperatorCost bmm_cost(const ProductExtent& extent) {
  const std::size_t read = extent.batch * extent.inner * (extent.rows + extent.columns);
  const std::size_t written = extent.batch * extent.rows * extent.columns;
  return {operations(2 * written * extent.inner), bytes_of(read, extent.value_bytes),
          bytes_of(written, extent.value_bytes)};
}

// One product. Precondition: batch is 1.
constexpr OperatorCost mm_cost(const ProductExtent& extent) {
  assert(extent.batch == 1);
  return bmm_cost(extent);
}

// A product added to `added` values that are read: a vector of one value a column, or a whole matrix.
constexpr OperatorCost addmm_cost(const ProductExtent& extent, std::size_t added) {
  return bmm_cost(extent) + OperatorCost{Flops(0), bytes_of(added, extent.value_bytes), Bytes(0)};
}
constexpr OperatorCost baddbmm_cost(const ProductExtent& extent, std::size_t added) {
  return addmm_cost(extent, added);
}

// Sizes in space; dimensions that a convolution lacks stay 1.
struct SpatialExtent {
  std::size_t width = 1;
  std::size_t height = 1;
  std::size_t depth = 1;
  constexpr std::size_t points() const { return width * height * depth; }
};

struct Convolution {
  std::size_t batch = 1;
  std::size_t in_channels = 1;
  std::size_t out_channels = 1;
  std::size_t groups = 1;  // divides both numbers of channels
  SpatialExtent input;
  SpatialExtent filter;
  SpatialExtent output;  // what stride, padding and dilation make of the input; they matter nowhere else
  bool transposed = false;
  std::size_t value_bytes = sizeof(float);

  constexpr std::size_t inputs() const { return batch * in_channels * input.points(); }
  constexpr std::size_t weights() const {
    assert(groups > 0 && in_channels % groups == 0 && out_channels % groups == 0);
    return in_channels / groups * out_channels * filter.points();
  }
  constexpr std::size_t outputs() const { return batch * out_channels * output.points(); }
  // The filter meets each point of the output; of a transposed convolution, each point of the input.
  constexpr Flops flops() const { return operations(2 * batch * (transposed ? input : output).points() * weights()); }
};

constexpr OperatorCost convolution_cost(const Convolution& shape) {
  return {shape.flops(), bytes_of(shape.inputs() + shape.weights(), shape.value_bytes),
          bytes_of(shape.outputs(), shape.value_bytes)};
}

// The gradient of the input: a convolution the other way round, of the same multiplications as the forward one.
constexpr OperatorCost convolution_input_gradient_cost(const Convolution& shape) {
  return {shape.flops(), bytes_of(shape.outputs() + shape.weights(), shape.value_bytes),
          bytes_of(shape.inputs(), shape.value_bytes)};
}

// The gradient of the weights: each multiplication of the forward pass once more, summed over the points.
constexpr OperatorCost convolution_weight_gradient_cost(const Convolution& shape) {
  return {shape.flops(), bytes_of(shape.outputs() + shape.inputs(), shape.value_bytes),
          bytes_of(shape.weights(), shape.value_bytes)};
}

constexpr OperatorCost convolution_backward_cost(const Convolution& shape) {
  return convolution_input_gradient_cost(shape) + convolution_weight_gradient_cost(shape);
}

struct Attention {
  std::size_t batch = 1;
  std::size_t heads = 1;
  std::size_t queries = 0;
  std::size_t keys = 0;
  std::size_t dim = 0;        // of a query and a key
  std::size_t value_dim = 0;  // of a value and a result
  std::size_t value_bytes = sizeof(float);

  constexpr std::size_t query_values() const { return batch * heads * queries * dim; }
  constexpr std::size_t key_values() const { return batch * heads * keys * dim; }
  constexpr std::size_t value_values() const { return batch * heads * keys * value_dim; }
  constexpr std::size_t result_values() const { return batch * heads * queries * value_dim; }
  // One product of scores with values, and one of queries with keys.
  constexpr Flops value_product() const { return operations(2 * keys * result_values()); }
  constexpr Flops score_product() const { return operations(2 * keys * query_values()); }
};

// Attention as one operator: the scores stay inside.
constexpr OperatorCost attention_cost(const Attention& shape) {
  return {shape.score_product() + shape.value_product(),
          bytes_of(shape.query_values() + shape.key_values() + shape.value_values(), shape.value_bytes),
          bytes_of(shape.result_values(), shape.value_bytes)};
}

// Five products: the scores again, their gradient, and the gradients of queries, keys and values. Reads the forward
// pass's operands, its result and the result's gradient.
constexpr OperatorCost attention_backward_cost(const Attention& shape) {
  const std::size_t operands = shape.query_values() + shape.key_values() + shape.value_values();
  return {shape.score_product() * 3 + shape.value_product() * 2,
          bytes_of(operands + 2 * shape.result_values(), shape.value_bytes), bytes_of(operands, shape.value_bytes)};
}

// Achieved over peak. Work over time over rate: the types take no other order, so that a slower run can never read as a
// better used machine. Absent unless the time and the peak are above 0.
constexpr std::optional<double> utilization(Flops work, Nanoseconds time, FlopsPerSecond peak) {
  if (!(time.count() > 0) || !(peak.count() > 0)) return std::nullopt;
  return work / time / peak;
}
constexpr std::optional<double> utilization(Bytes traffic, Nanoseconds time, BytesPerSecond peak) {
  if (!(time.count() > 0) || !(peak.count() > 0)) return std::nullopt;
  return traffic / time / peak;
}

// Operations per byte; absent where no byte is moved.
constexpr std::optional<double> intensity(const OperatorCost& cost) {
  if (cost.traffic() == Bytes(0)) return std::nullopt;
  return static_cast<double>(cost.flops.count()) / static_cast<double>(cost.traffic().count());
}

// The roofline: the least of the peak and of what the memory can feed (Williams, Waterman and Patterson, Roofline: An
// Insightful Visual Performance Model for Multicore Architectures, 2009).
constexpr FlopsPerSecond attainable(const OperatorCost& cost, FlopsPerSecond peak, BytesPerSecond bandwidth) {
  const std::optional<double> per_byte = intensity(cost);
  return per_byte ? std::min(peak, FlopsPerSecond(*per_byte * bandwidth.count())) : peak;
}

// For people: "120.000", "20.736K", "4194.304K", then M, B and T. The next unit begins at five digits before the point,
// as PyTorch's counter has it. Precondition: not negative.
std::string count_text(Flops count);

}  // namespace steelyard
