// A tensor as a benchmark receives it: elements of one dtype at strides in a storage. And one in coordinates.
//
//     const float* const x = item.tensor("x").data<float>();
//     x[i * strides[0] + j * strides[1]]
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/fuzz/device.hpp"
#include "bench/harness/fuzz/dtype.hpp"
#include "bench/model/sha256.hpp"

namespace steelyard {

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
