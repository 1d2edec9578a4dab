#include "bench/suites/cuda/products/device_matrix.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/products/product_kernels.hpp"

namespace steelyard::cuda_suite {

Values DeviceMatrix::row(std::size_t i) const {
  std::vector<std::byte> bytes(columns_ * size_of(format_));
  cuda::check(cudaMemcpy(bytes.data(), data_ + i * bytes.size(), bytes.size(), cudaMemcpyDeviceToHost),
              "reading a row back");
  return decoded(format_, bytes);
}

Values DeviceMatrix::column(std::size_t j) const {
  const std::size_t width = size_of(format_);
  std::vector<std::byte> bytes(rows_ * width);
  cuda::check(
      cudaMemcpy2D(bytes.data(), width, data_ + j * width, columns_ * width, width, rows_, cudaMemcpyDeviceToHost),
      "reading a column back");
  return decoded(format_, bytes);
}

Result<void> DeviceMatrix::all_written(const std::string& name) const {
  constexpr std::size_t kAtOnce = std::size_t{64} << 20;
  const std::size_t bytes = rows_ * columns_ * size_of(format_);
  std::vector<std::byte> part(std::min(kAtOnce, bytes));
  for (std::size_t at = 0; at < bytes; at += part.size()) {
    const std::size_t length = std::min(part.size(), bytes - at);
    cuda::check(cudaMemcpy(part.data(), data_ + at, length, cudaMemcpyDeviceToHost), "reading results back");
    const std::size_t numbers = length / size_of(format_);
    const std::size_t first = first_unwritten(format_, std::span(part).first(length));
    if (first == numbers) continue;
    const std::size_t index = at / size_of(format_) + first;
    return program_error(
        name + ", row " + std::to_string(index / columns_) + ", column " + std::to_string(index % columns_),
        "no number, as the memory was before", "every element written");
  }
  return {};
}

void MatrixMemory::fill(std::uint64_t seed, float limit) {
  fill_seeded(format_, data(), rows_ * columns_, seed, nullptr, limit);
}

void wait_for_device(const char* what) { cuda::check(cudaDeviceSynchronize(), what); }

}  // namespace steelyard::cuda_suite
