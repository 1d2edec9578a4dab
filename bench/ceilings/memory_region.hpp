// Memory for one measuring thread, in huge pages where it asks for them and the system has them, so that the
// translation of addresses does not count as bandwidth. Pages come to be where they are first touched: by the thread
// that will use them.
#pragma once

#include <cstddef>

namespace steelyard {

class MemoryRegion {
 public:
  MemoryRegion() = default;
  ~MemoryRegion();
  MemoryRegion(MemoryRegion&& other) noexcept;
  MemoryRegion& operator=(MemoryRegion&& other) noexcept;

  // False: no memory. Without `huge_pages` the pages are those that the system gives unasked.
  bool reserve(std::size_t bytes, bool huge_pages);
  void touch();

  double* data() const { return static_cast<double*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void release() noexcept;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace steelyard
