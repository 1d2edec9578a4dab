// Memory of the device with one owner. What the whole process has allocated so, and the most it had at once, is
// counted: a metric of the row.
//
//     DeviceArray<float> x(n);
//     x.fill_bytes(0xFF);             // poison: NaN in every floating type, -1 in integers
//     x.upload(host);                 // waits
//     launch_add(x.data(), n, stream);
//     x.download(host);               // waits for the whole device first
//
// Everything throws CudaError (cuda_handles.hpp); running out of memory says what was asked for and what was free.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

// One allocation, by bytes; 0 bytes are none.
class DeviceBlock {
 public:
  DeviceBlock() = default;
  explicit DeviceBlock(std::size_t bytes);
  ~DeviceBlock();
  DeviceBlock(DeviceBlock&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBlock& operator=(DeviceBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  void fill(int byte);
  // Preconditions: what is copied lies within the block.
  void upload(const void* from, std::size_t bytes);
  void download(void* to, std::size_t bytes, std::size_t first_byte = 0) const;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : block_(bytes_of_values(size)), size_(size) {}
  DeviceArray(DeviceArray&& other) noexcept : block_(std::move(other.block_)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    block_ = std::move(other.block_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() { return static_cast<T*>(block_.data()); }
  const T* data() const { return static_cast<const T*>(block_.data()); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return block_.bytes(); }

  void fill_bytes(int byte) { block_.fill(byte); }
  // At most size() values, from the array's begin or its value `first` on.
  void upload(std::span<const T> from) { block_.upload(from.data(), from.size_bytes()); }
  void download(std::span<T> to, std::size_t first = 0) const {
    block_.download(to.data(), to.size_bytes(), first * sizeof(T));
  }

 private:
  // A size whose bytes pass what can be addressed is asked for as the most there is, which no device has.
  static std::size_t bytes_of_values(std::size_t size) {
    constexpr std::size_t kMax = static_cast<std::size_t>(-1) / 2;
    return size > kMax / sizeof(T) ? kMax : size * sizeof(T);
  }

  DeviceBlock block_;
  std::size_t size_ = 0;
};

struct DeviceMemoryUse {
  Bytes allocated;
  Bytes peak;
};
// Of this process's DeviceBlocks, on all devices.
DeviceMemoryUse device_memory_use();
// The peak begins again at what is allocated now.
void restart_memory_peak();

}  // namespace steelyard::cuda
