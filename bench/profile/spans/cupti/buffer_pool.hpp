// Memory for CUPTI to fill, all zero when it is handed out: a bounded number of buffers that are used again.
#pragma once

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace steelyard {

inline constexpr std::size_t kBufferBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxBuffers = 64;  // half a gigabyte of addresses; memory as far as they are filled

class BufferPool {
 public:
  // nullptr: all are in use.
  std::uint8_t* take() {
    const std::lock_guard guard(lock_);
    if (free_ > 0) return buffers_[--free_];
    if (made_ == kMaxBuffers) return nullptr;
    void* const memory =
        mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    ++made_;
    return static_cast<std::uint8_t*>(memory);
  }
  void give(std::uint8_t* buffer) {
    madvise(buffer, kBufferBytes, MADV_DONTNEED);
    const std::lock_guard guard(lock_);
    if (free_ < buffers_.size()) buffers_[free_++] = buffer;
  }

 private:
  std::mutex lock_;
  std::array<std::uint8_t*, kMaxBuffers> buffers_{};
  std::size_t free_ = 0, made_ = 0;
};

}  // namespace steelyard
