// One item of a fuzzer with its content: what a benchmark receives, and the hash by which its results say what they
// were measured on.
//
//     STEELYARD_TRY(const FuzzItem item, make_item(items.items[3]));
//     add(item.tensor("x"), item.tensor("y"));
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/fuzz/fuzzed_tensor.hpp"
#include "bench/harness/fuzz/fuzzer.hpp"
#include "bench/harness/fuzz/typed_buffer.hpp"

namespace steelyard {

// What fuzzed tensors hold: reals even over [0, 1), whole numbers from 1 to 126, truth values by a fair coin. Depends
// on the seed and the position alone, so that no order of making changes it. PyTorch's own content is not reproduced:
// it comes of another generator.

// The whole storage, what lies between the elements too: memory that nobody has written is not really there. Reals have
// as many random bits as their dtype has, so none is rounded up to 1.
void fill(TypedBuffer& buffer, std::uint64_t seed);

// The cells that have an entry, each as its number in row order of the sparse dimensions. Ascending and none twice,
// unless the plan repeats cells or has more entries than cells.
std::vector<std::int64_t> draw_cells(const TensorPlan::Sparsity& sparsity, std::int64_t cells, std::uint64_t seed);

struct FuzzItem {
  ItemPlan plan;
  // In the order of the fuzzer's tensors.
  std::vector<std::pair<std::string, TypedBuffer>> tensors;
  std::vector<std::pair<std::string, SparseBuffer>> sparse_tensors;
  // SHA-256 over the names and values of the parameters and over each tensor: dtype, shape, strides, elements.
  std::string hash;

  // These three throw std::out_of_range, naming what there is: a mistake of the benchmark's.
  std::int64_t parameter(std::string_view name) const;  // a whole one; others: plan.values
  const TypedBuffer& tensor(std::string_view name) const;
  const SparseBuffer& sparse_tensor(std::string_view name) const;

  // Of all its tensors together; of a sparse one those that it stores.
  std::int64_t elements() const;
};

// Makes the buffers and fills them. Errors (input): the memory is not to be had; the device's own.
Result<FuzzItem> make_item(const ItemPlan& plan);
Result<FuzzItem> make_item(const ItemPlan& plan, Device& device);

// "steelyard_item:<64 hex digits> elements:4096 seed:0 index:3 rejection_rate:0.25": the label of the item's results.
std::string item_label(const FuzzItem& item, double rejection_rate);

// Holds the item that was asked for last: a benchmark's function is called several times, and two large items at once
// need not fit the memory. Safe to share between threads.
class FuzzItemCache {
 public:
  // device: where its buffers lie; none: the CPU.
  Result<std::shared_ptr<const FuzzItem>> get(const ItemPlan& plan, const std::shared_ptr<Device>& device = nullptr);

 private:
  std::mutex mutex_;
  std::shared_ptr<Device> device_;  // of item_
  std::shared_ptr<const FuzzItem> item_;
};

}  // namespace steelyard
