#include "bench/harness/fuzz/fuzz_item.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "bench/model/random.hpp"
#include "bench/model/run.hpp"

namespace steelyard {
namespace {

// Any of them without those before it.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : start_(split_mix_at(seed, 0)) {}
  std::uint64_t operator[](std::uint64_t position) const { return split_mix_at(start_, position); }

 private:
  std::uint64_t start_;
};

// In [0, most): the high half of a product, whose bias is below most / 2^64.
std::uint64_t below(std::uint64_t most, std::uint64_t number) {
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<std::uint64_t>((static_cast<Wide>(number) * most) >> 64U);
}

void set(double& element, std::uint64_t number) { element = static_cast<double>(number >> 11U) * 0x1p-53; }
void set(float& element, std::uint64_t number) { element = static_cast<float>(number >> 40U) * 0x1p-24F; }

// k / 2^11 for k of 11 bits: exact in binary16, and normal unless 0.
void set(Half& element, std::uint64_t number) {
  const auto k = static_cast<std::uint32_t>(number >> 53U);
  if (k == 0) {
    element.bits = 0;
    return;
  }
  unsigned top = 10;
  while ((k >> top) == 0) --top;
  constexpr unsigned kBias = 15;
  const std::uint32_t exponent = kBias + top - 11;
  const std::uint32_t fraction = (k << (10 - top)) & 1023U;
  element.bits = static_cast<std::uint16_t>((exponent << 10U) | fraction);
}

// k / 2^8 for k of 8 bits, as the upper half of binary32.
void set(BFloat16& element, std::uint64_t number) {
  const float value = static_cast<float>(number >> 56U) * 0x1p-8F;
  element.bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}

template <class Whole>
void set_whole(Whole& element, std::uint64_t number) {
  element = static_cast<Whole>(1 + below(126, number));
}
void set(std::int64_t& element, std::uint64_t number) { set_whole(element, number); }
void set(std::int32_t& element, std::uint64_t number) { set_whole(element, number); }
void set(std::int8_t& element, std::uint64_t number) { set_whole(element, number); }
void set(std::uint8_t& element, std::uint64_t number) { set_whole(element, number); }
void set(bool& element, std::uint64_t number) { element = (number >> 63U) != 0; }

template <class T>
void fill_as(TypedBuffer& buffer, const Numbers& numbers) {
  T* const elements = static_cast<T*>(buffer.storage.get());
  const std::uint64_t count = static_cast<std::uint64_t>(buffer.storage_bytes) / sizeof(T);
  for (std::uint64_t i = 0; i < count; ++i) set(elements[i], numbers[i]);
}

}  // namespace

void fill(TypedBuffer& buffer, std::uint64_t seed) {
  const Numbers numbers(seed);
  switch (buffer.dtype) {
    case Dtype::f64:
    case Dtype::c128:  // a pair of reals
      return fill_as<double>(buffer, numbers);
    case Dtype::f32:
    case Dtype::c64:
      return fill_as<float>(buffer, numbers);
    case Dtype::f16:
      return fill_as<Half>(buffer, numbers);
    case Dtype::bf16:
      return fill_as<BFloat16>(buffer, numbers);
    case Dtype::i64:
      return fill_as<std::int64_t>(buffer, numbers);
    case Dtype::i32:
      return fill_as<std::int32_t>(buffer, numbers);
    case Dtype::i8:
      return fill_as<std::int8_t>(buffer, numbers);
    case Dtype::u8:
      return fill_as<std::uint8_t>(buffer, numbers);
    case Dtype::boolean:
      return fill_as<bool>(buffer, numbers);
  }
}

std::vector<std::int64_t> draw_cells(const TensorPlan::Sparsity& sparsity, std::int64_t cells, std::uint64_t seed) {
  const Numbers numbers(seed);
  std::uint64_t position = 0;
  const auto draw = [&] {
    return static_cast<std::int64_t>(below(static_cast<std::uint64_t>(cells), numbers[position++]));
  };
  std::vector<std::int64_t> drawn;
  if (cells == 0) return drawn;
  drawn.reserve(static_cast<std::size_t>(sparsity.entries));
  if (sparsity.repeats_cells) {
    for (std::int64_t i = 0; i < sparsity.entries; ++i) drawn.push_back(draw());
    if (!sparsity.is_coalesced) return drawn;
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
    return drawn;
  }
  const std::int64_t entries = std::min(sparsity.entries, cells);
  if (entries > cells / 2) {
    // Selection sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S): ascending in one pass.
    for (std::int64_t cell = 0; cell < cells && std::ssize(drawn) < entries; ++cell) {
      const std::int64_t wanted = entries - std::ssize(drawn);
      const auto left = static_cast<std::uint64_t>(cells - cell);
      if (below(left, numbers[position++]) < static_cast<std::uint64_t>(wanted)) drawn.push_back(cell);
    }
    return drawn;
  }
  // Few among many: draw again for each that came twice.
  while (std::ssize(drawn) < entries) {
    for (std::int64_t i = std::ssize(drawn); i < entries; ++i) drawn.push_back(draw());
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
  return drawn;
}

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
