#include "bench/harness/fuzz/typed_buffer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>

#include "bench/harness/fuzz/fuzzed_tensor.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<DtypeRow, 11> kDtypes{{
    {Dtype::f64, "f64", 8},
    {Dtype::f32, "f32", 4},
    {Dtype::f16, "f16", 2},
    {Dtype::bf16, "bf16", 2},
    {Dtype::i64, "i64", 8},
    {Dtype::i32, "i32", 4},
    {Dtype::i8, "i8", 1},
    {Dtype::u8, "u8", 1},
    {Dtype::boolean, "bool", 1},
    {Dtype::c64, "c64", 8},
    {Dtype::c128, "c128", 16},
}};
static_assert(sizeof(bool) == 1);

const DtypeRow& row_of(Dtype dtype) {
  for (const DtypeRow& row : kDtypes) {
    if (row.dtype == dtype) return row;
  }
  return kDtypes.front();
}

}  // namespace

float to_float(BFloat16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16U); }

float to_float(Half value) {
  constexpr int kFractionBits = 10;
  constexpr int kBias = 15;
  const int exponent = (value.bits >> kFractionBits) & 31;
  const int fraction = value.bits & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction == 0 ? HUGE_VALF : std::nanf("");
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), 1 - kBias - kFractionBits);
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + fraction), exponent - kBias - kFractionBits);
  }
  return (value.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

std::int64_t bytes_of(Dtype dtype) { return row_of(dtype).bytes; }
std::string_view to_text(Dtype dtype) { return row_of(dtype).name; }

namespace {

// The bytes of an element are hashed as they lie; elsewhere the same item would have another hash.
static_assert(std::endian::native == std::endian::little);

std::string list_text(const std::vector<std::int64_t>& numbers) {
  return joined_text(numbers, ",", [](std::int64_t number) { return std::to_string(number); });
}

// Gathers the elements in row order and hands them on in pieces: the tensor is never held twice.
class RowOrder {
 public:
  RowOrder(const TypedBuffer& buffer, Sha256& hash)
      : buffer_(buffer), hash_(hash), bytes_(static_cast<std::size_t>(bytes_of(buffer.dtype))) {}

  void add_all() {
    const auto* const first = static_cast<const std::byte*>(buffer_.storage.get());
    if (buffer_.is_contiguous) {
      hash_.add(std::span(first, static_cast<std::size_t>(buffer_.elements()) * bytes_));
      return;
    }
    std::vector<std::int64_t> index(buffer_.shape.size(), 0);
    std::int64_t offset = 0;
    for (std::int64_t left = buffer_.elements(); left > 0; --left) {
      add(first + static_cast<std::size_t>(offset) * bytes_);
      for (std::size_t i = index.size(); i-- > 0;) {
        offset += buffer_.strides[i];
        if (++index[i] < buffer_.shape[i]) break;
        offset -= buffer_.strides[i] * buffer_.shape[i];
        index[i] = 0;
      }
    }
    hash_.add(std::span(piece_.data(), filled_));
  }

 private:
  void add(const std::byte* element) {
    if (filled_ + bytes_ > piece_.size()) {
      hash_.add(std::span(piece_.data(), filled_));
      filled_ = 0;
    }
    std::memcpy(piece_.data() + filled_, element, bytes_);
    filled_ += bytes_;
  }

  const TypedBuffer& buffer_;
  Sha256& hash_;
  std::size_t bytes_;
  std::vector<std::byte> piece_ = std::vector<std::byte>(std::size_t{1} << 16U);
  std::size_t filled_ = 0;
};

}  // namespace

std::int64_t TypedBuffer::elements() const {
  // Next to a size of 0 the others may be of any size: their product need not be a number.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

void TypedBuffer::check_type(std::optional<Dtype> asked) const {
  if (asked == dtype) return;
  throw std::invalid_argument("found a buffer of " + std::string(to_text(dtype)) + ", wanted " +
                              (asked ? std::string(to_text(*asked)) : "a type that is no dtype"));
}

Result<TypedBuffer> make_buffer(Dtype dtype, std::vector<std::int64_t> shape) {
  TypedBuffer buffer;
  buffer.dtype = dtype;
  buffer.shape = std::move(shape);
  buffer.strides = row_strides(buffer.shape);
  TensorPlan plan;
  plan.dtype = dtype;
  plan.shape = buffer.shape;
  plan.steps.assign(buffer.shape.size(), 1);
  buffer.storage_bytes = storage_bytes_of(plan).value_or(INT64_MAX);
  STEELYARD_TRY(buffer.storage, allocate_on_cpu(buffer.storage_bytes));
  return buffer;
}

void add_to_hash(const TypedBuffer& buffer, Sha256& hash) {
  assert(buffer.device == "cpu");
  hash.add("dense " + std::string(to_text(buffer.dtype)) + " shape " + list_text(buffer.shape) + " strides " +
           list_text(buffer.strides) + '\n');
  RowOrder(buffer, hash).add_all();
}

void add_to_hash(const SparseBuffer& buffer, Sha256& hash) {
  hash.add("sparse shape " + list_text(buffer.shape) + (buffer.is_coalesced ? " coalesced\n" : "\n"));
  add_to_hash(buffer.indices, hash);
  add_to_hash(buffer.values, hash);
}

Result<TypedBuffer> copy_to(const TypedBuffer& buffer, Device& device) {
  assert(buffer.device == "cpu");
  TypedBuffer copy = buffer;
  copy.device = device.name();
  const auto* const bytes = static_cast<const std::byte*>(buffer.storage.get());
  STEELYARD_TRY(copy.storage, device.copy_in(std::span(bytes, static_cast<std::size_t>(buffer.storage_bytes))));
  return copy;
}

}  // namespace steelyard
