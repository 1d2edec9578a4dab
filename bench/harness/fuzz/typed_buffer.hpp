// A tensor as a benchmark receives it: elements of one dtype at strides in a storage. And one in coordinates.
//
//     const float* const x = item.tensor("x").data<float>();
//     x[i * strides[0] + j * strides[1]]
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/fuzz/device.hpp"
#include "bench/model/sha256.hpp"

namespace steelyard {

// What one element of a typed buffer is. A dtype names storage, not arithmetic: a CPU that cannot calculate in bf16 can
// hold it.

enum class Dtype { f64, f32, f16, bf16, i64, i32, i8, u8, boolean, c64, c128 };

// IEEE 754 binary16 and the upper half of binary32, as bits: neither has a C++20 type.
struct Half {
  std::uint16_t bits = 0;
  bool operator==(const Half&) const = default;
};
struct BFloat16 {
  std::uint16_t bits = 0;
  bool operator==(const BFloat16&) const = default;
};
// Exact: every value of both has one in binary32.
float to_float(Half value);
float to_float(BFloat16 value);

std::int64_t bytes_of(Dtype dtype);     // of one element
std::string_view to_text(Dtype dtype);  // "f32", "bool", ...

// The dtype that a C++ type holds; absent for all others. f16 is Half, bf16 is BFloat16, c64 is std::complex<float>.
template <class T>
constexpr std::optional<Dtype> dtype_of();
template <>
constexpr std::optional<Dtype> dtype_of<double>() {
  return Dtype::f64;
}
template <>
constexpr std::optional<Dtype> dtype_of<float>() {
  return Dtype::f32;
}
template <>
constexpr std::optional<Dtype> dtype_of<Half>() {
  return Dtype::f16;
}
template <>
constexpr std::optional<Dtype> dtype_of<BFloat16>() {
  return Dtype::bf16;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::int64_t>() {
  return Dtype::i64;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::int32_t>() {
  return Dtype::i32;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::int8_t>() {
  return Dtype::i8;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::uint8_t>() {
  return Dtype::u8;
}
template <>
constexpr std::optional<Dtype> dtype_of<bool>() {
  return Dtype::boolean;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::complex<float>>() {
  return Dtype::c64;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::complex<double>>() {
  return Dtype::c128;
}

struct TypedBuffer {
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in elements
  bool is_contiguous = true;          // elements in row order, without gaps
  std::int64_t storage_bytes = 0;     // with what lies between the elements
  std::shared_ptr<void> storage;      // shared by copies of the buffer
  std::string device = "cpu";

  std::int64_t elements() const;
  // The first element; the storage's own memory on another device. Throws std::invalid_argument where T does not hold
  // the dtype: a mistake of the benchmark's.
  template <class T>
  T* data() {
    check_type(dtype_of<T>());
    return static_cast<T*>(storage.get());
  }
  template <class T>
  const T* data() const {
    check_type(dtype_of<T>());
    return static_cast<const T*>(storage.get());
  }

 private:
  void check_type(std::optional<Dtype> asked) const;
};

// A sparse tensor in coordinates. Entry e lies at indices[0..sparse_dimensions)[e] and holds values[e], which is a
// dense block where not all dimensions are sparse.
struct SparseBuffer {
  std::vector<std::int64_t> shape;
  std::int64_t sparse_dimensions = 0;
  double density = 0;
  bool is_coalesced = true;  // indices ascend and none is there twice
  TypedBuffer indices;       // i64, sparse_dimensions x entries
  TypedBuffer values;        // entries x the dense sizes
};

// Dense, contiguous, not initialized. Error (input): the memory is not to be had.
Result<TypedBuffer> make_buffer(Dtype dtype, std::vector<std::int64_t> shape);

// Adds dtype, shape, strides and the elements in row order, without what lies between them. Precondition: on the CPU.
void add_to_hash(const TypedBuffer& buffer, Sha256& hash);
void add_to_hash(const SparseBuffer& buffer, Sha256& hash);

// The same buffer with its storage copied to the device. Precondition: it is on the CPU.
Result<TypedBuffer> copy_to(const TypedBuffer& buffer, Device& device);

}  // namespace steelyard
