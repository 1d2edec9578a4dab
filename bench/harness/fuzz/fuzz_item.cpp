#include "bench/harness/fuzz/fuzz_item.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/harness/fuzz/content.hpp"
#include "bench/model/run.hpp"

namespace steelyard {
namespace {

// Apart from the seeds of values, which are the tensor's own.
constexpr std::uint64_t kCellSeed = 0x8000000000000000U;

template <class Buffer>
const Buffer& named(const std::vector<std::pair<std::string, Buffer>>& buffers, std::string_view name,
                    const char* what) {
  std::string names;
  for (const auto& [known, buffer] : buffers) {
    if (known == name) return buffer;
    names += ' ' + known;
  }
  throw std::out_of_range("found no " + std::string(what) + " \"" + std::string(name) +
                          "\", wanted one of:" + (names.empty() ? " none" : names));
}

Result<TypedBuffer> make_dense(const TensorPlan& plan) {
  TypedBuffer buffer;
  buffer.dtype = plan.dtype;
  buffer.shape = plan.shape;
  buffer.strides = plan.strides;
  buffer.is_contiguous = plan.is_contiguous;
  buffer.storage_bytes = plan.storage_elements * bytes_of(plan.dtype);
  STEELYARD_TRY(buffer.storage, allocate_on_cpu(buffer.storage_bytes));
  fill(buffer, plan.content_seed);
  return buffer;
}

// Row by row of `indices`, the coordinates of each cell; every entry `copies` times over.
void write_indices(const std::vector<std::int64_t>& cells, std::int64_t copies, const std::vector<std::int64_t>& sizes,
                   TypedBuffer& indices) {
  auto* const at = indices.data<std::int64_t>();
  const std::int64_t entries = std::ssize(cells);
  for (std::int64_t entry = 0; entry < entries; ++entry) {
    std::int64_t cell = cells[static_cast<std::size_t>(entry)];
    for (std::int64_t i = std::ssize(sizes) - 1; i >= 0; --i) {
      const std::int64_t size = sizes[static_cast<std::size_t>(i)];
      for (std::int64_t copy = 0; copy < copies; ++copy) at[(i * copies + copy) * entries + entry] = cell % size;
      cell /= size;
    }
  }
}

Result<SparseBuffer> make_sparse(const TensorPlan& plan) {
  const TensorPlan::Sparsity& sparsity = *plan.sparsity;
  const auto split = plan.shape.begin() + sparsity.dimensions;
  const std::vector<std::int64_t> sparse_sizes(plan.shape.begin(), split);
  TensorPlan cells_plan;
  cells_plan.shape = sparse_sizes;
  const std::int64_t cells = cells_plan.elements();
  const std::int64_t copies = sparsity.is_coalesced ? 1 : 2;
  // Asked for before the cells are drawn: what cannot be held fails here.
  SparseBuffer buffer{plan.shape, sparsity.dimensions, sparsity.density, sparsity.is_coalesced, {}, {}};
  STEELYARD_CHECK(make_buffer(Dtype::i64, {sparsity.dimensions, copies, sparsity.entries}));
  const std::vector<std::int64_t> drawn = draw_cells(sparsity, cells, plan.content_seed ^ kCellSeed);
  STEELYARD_TRY(buffer.indices, make_buffer(Dtype::i64, {sparsity.dimensions, copies * std::ssize(drawn)}));
  write_indices(drawn, copies, sparse_sizes, buffer.indices);
  std::vector<std::int64_t> value_shape{copies * std::ssize(drawn)};
  value_shape.insert(value_shape.end(), split, plan.shape.end());
  STEELYARD_TRY(buffer.values, make_buffer(plan.dtype, value_shape));
  fill(buffer.values, plan.content_seed);
  return buffer;
}

std::string hash_of(const FuzzItem& item) {
  Sha256 hash;
  for (const auto& [name, value] : item.plan.values.all()) hash.add(name + '=' + to_text(value) + '\n');
  for (const auto& [name, buffer] : item.tensors) {
    hash.add(name + ": ");
    add_to_hash(buffer, hash);
  }
  for (const auto& [name, buffer] : item.sparse_tensors) {
    hash.add(name + ": ");
    add_to_hash(buffer, hash);
  }
  return hash.hex();
}

}  // namespace

std::int64_t FuzzItem::parameter(std::string_view name) const {
  if (const auto value = plan.values.whole(name)) return *value;
  std::string names;
  for (const auto& [known, value] : plan.values.all()) names += ' ' + known;
  throw std::out_of_range("found no whole parameter \"" + std::string(name) + "\", wanted one of:" + names);
}

const TypedBuffer& FuzzItem::tensor(std::string_view name) const { return named(tensors, name, "tensor"); }

const SparseBuffer& FuzzItem::sparse_tensor(std::string_view name) const {
  return named(sparse_tensors, name, "sparse tensor");
}

Result<FuzzItem> make_item(const ItemPlan& plan) {
  FuzzItem item;
  item.plan = plan;
  for (const TensorPlan& tensor : plan.tensors) {
    if (tensor.sparsity) {
      STEELYARD_TRY(SparseBuffer buffer, make_sparse(tensor));
      item.sparse_tensors.emplace_back(tensor.name, std::move(buffer));
    } else {
      STEELYARD_TRY(TypedBuffer buffer, make_dense(tensor));
      item.tensors.emplace_back(tensor.name, std::move(buffer));
    }
  }
  item.hash = hash_of(item);
  return item;
}

Result<FuzzItem> make_item(const ItemPlan& plan, Device& device) {
  STEELYARD_TRY(FuzzItem item, make_item(plan));
  for (auto& [name, buffer] : item.tensors) {
    STEELYARD_TRY(buffer, copy_to(buffer, device));
  }
  for (auto& [name, buffer] : item.sparse_tensors) {
    STEELYARD_TRY(buffer.indices, copy_to(buffer.indices, device));
    STEELYARD_TRY(buffer.values, copy_to(buffer.values, device));
  }
  return item;
}

std::int64_t FuzzItem::elements() const {
  std::int64_t sum = 0;
  for (const auto& [name, tensor] : tensors) sum += tensor.elements();
  for (const auto& [name, tensor] : sparse_tensors) sum += tensor.values.elements();
  return sum;
}

std::string item_label(const FuzzItem& item, double rejection_rate) {
  return std::string(kItemWord) + item.hash + ' ' + std::string(kElementsWord) + std::to_string(item.elements()) +
         " seed:" + std::to_string(item.plan.seed) + " index:" + std::to_string(item.plan.index) +
         " rejection_rate:" + to_text(FuzzValue(rejection_rate));
}

Result<std::shared_ptr<const FuzzItem>> FuzzItemCache::get(const ItemPlan& plan,
                                                           const std::shared_ptr<Device>& device) {
  const std::lock_guard lock(mutex_);
  if (item_ != nullptr && item_->plan == plan && device_ == device) return item_;
  item_.reset();  // before the next is made
  device_ = device;
  STEELYARD_TRY(FuzzItem item, device == nullptr ? make_item(plan) : make_item(plan, *device));
  item_ = std::make_shared<const FuzzItem>(std::move(item));
  return item_;
}

}  // namespace steelyard
