// A matrix of numbers on the device, row by row, whose rows and columns are read back and decoded for a check.
#pragma once

#include <cstdint>

#include "bench/cuda/device_memory.hpp"
#include "bench/model/result.hpp"
#include "bench/suites/cuda/products/product_check.hpp"
#include "bench/suites/cuda/products/product_type.hpp"

namespace steelyard::cuda_suite {

// Not the owner of the memory. Reading waits for nothing but its own copy: synchronize first. Throws CudaError.
class DeviceMatrix {
 public:
  DeviceMatrix(NumberFormat format, const void* data, std::size_t rows, std::size_t columns)
      : format_(format), data_(static_cast<const std::byte*>(data)), rows_(rows), columns_(columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  Values row(std::size_t i) const;
  Values column(std::size_t j) const;
  // Error (program): a number that is NaN or still what the memory was poisoned with.
  Result<void> all_written(const std::string& name) const;

 private:
  NumberFormat format_;
  const std::byte* data_;
  std::size_t rows_;
  std::size_t columns_;
};

// The memory of one, allocated.
class MatrixMemory {
 public:
  MatrixMemory() = default;
  MatrixMemory(NumberFormat format, std::size_t rows, std::size_t columns)
      : format_(format), rows_(rows), columns_(columns), bytes_(rows * columns * size_of(format)) {}

  void* data() { return bytes_.data(); }
  // Of the given row on.
  void* from_row(std::size_t row) { return bytes_.data() + row * columns_ * size_of(format_); }
  void poison() { bytes_.fill_bytes(poison_byte(format_)); }
  void fill(std::uint64_t seed, float limit = 1.0f);
  DeviceMatrix view() const { return {format_, bytes_.data(), rows_, columns_}; }
  // `count` rows from `first` on, as a matrix.
  DeviceMatrix view(std::size_t first, std::size_t count) const {
    return {format_, bytes_.data() + first * columns_ * size_of(format_), count, columns_};
  }

 private:
  NumberFormat format_ = NumberFormat::f32;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  cuda::DeviceArray<std::byte> bytes_;
};

// Waits for all that was enqueued. Throws CudaError for what failed on the way.
void wait_for_device(const char* what);

}  // namespace steelyard::cuda_suite
