// One tensor of a fuzzer: what its sizes, steps and layout are drawn from, and which bounds an item has to keep. The
// counterpart of PyTorch's FuzzedTensor and FuzzedSparseTensor.
//
//     FuzzedTensor x;
//     x.name = "x";
//     x.sizes = {"k0", "k1"};
//     x.probability_contiguous = 0.6;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/harness/fuzz/fuzzed_parameter.hpp"
#include "bench/harness/fuzz/typed_buffer.hpp"

namespace steelyard {

// A number, or the name of the parameter that gives it.
using FuzzExtent = std::variant<std::int64_t, std::string>;

// A tensor in coordinates: each stored entry has its index in the first `dimensions` dimensions and a dense block of
// the rest. The fields name parameters.
struct FuzzedSparsity {
  std::string dimensions;  // how many are sparse, at most all; empty: all
  std::string density;     // share of the cells of the sparse dimensions that have an entry
  std::string coalesced;   // 1: sorted, each cell once; 0: every entry twice; empty: 1
  // PyTorch's count of entries, ceil(density * (sum of all sizes)), drawn with repetition: only to reproduce it.
  bool entries_from_sum = false;
};

struct FuzzedTensor {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<FuzzExtent> sizes;
  // A tensor of size * step is allocated and every step-th element of it taken; missing ones are 1.
  std::vector<FuzzExtent> steps;
  // Else the dimensions lie in memory in another order than their own, each other order as likely as any.
  double probability_contiguous = 0.5;
  std::optional<std::int64_t> min_elements;
  std::optional<std::int64_t> max_elements;
  std::optional<std::int64_t> max_allocation_bytes;  // before the steps are taken
  // Names the parameter that says how many dimensions there are: sizes and steps beyond it are dropped, missing ones
  // are 1. Empty: as many as sizes.
  std::string dimensions;
  std::optional<FuzzedSparsity> sparsity;

  // Error (input): a name that check_fuzzed_name() refuses, no sizes, a probability outside 0 to 1, bounds that
  // contradict each other, a name that is no parameter, steps or a byte bound together with sparsity.
  Result<void> check(const std::vector<FuzzedParameter>& parameters) const;
};

// What one item's tensor is before it has content.
struct TensorPlan {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> order;    // of the dimensions in memory, slowest first
  std::vector<std::int64_t> strides;  // in elements
  std::int64_t storage_elements = 0;
  bool is_contiguous = true;  // its elements lie in row order without gaps
  std::uint64_t content_seed = 0;

  struct Sparsity {
    std::int64_t dimensions = 0;
    double density = 0;
    std::int64_t entries = 0;  // cells with an entry; stored twice where it is not coalesced
    bool is_coalesced = true;
    bool repeats_cells = false;
    bool operator==(const Sparsity&) const = default;
  };
  std::optional<Sparsity> sparsity;  // strides, steps and order are then without meaning

  std::int64_t elements() const;  // product of the shape
  bool operator==(const TensorPlan&) const = default;
};

// Sizes and steps of one try. Error (input): one that is no whole number, a negative size, a step below 1, a number of
// dimensions below 0, a density outside 0 to 1.
Result<TensorPlan> plan_tensor(const FuzzedTensor& tensor, const FuzzValues& values);

// The bound that the plan breaks, in words ("x: at most 1048576 elements"); empty: none. Exact for any sizes.
std::string broken_bound(const FuzzedTensor& tensor, const TensorPlan& plan);

// Draws the order in memory as PyTorch does, and fills order, strides, storage_elements and is_contiguous. Draws
// nothing for a sparse tensor. Precondition of a dense one: storage_bytes_of(plan) is present.
void draw_layout(const FuzzedTensor& tensor, TensorPlan& plan, NumpyRandom& random);

// Absent where it is more than 2^63 - 1.
std::optional<std::int64_t> storage_bytes_of(const TensorPlan& plan);

// Strides in elements of a shape whose elements lie in row order; all 1 where there are none, or more than 2^63 - 1.
std::vector<std::int64_t> row_strides(const std::vector<std::int64_t>& shape);
// Dimensions of size 1 do not matter; without elements a tensor is contiguous.
bool is_contiguous(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides);

}  // namespace steelyard
