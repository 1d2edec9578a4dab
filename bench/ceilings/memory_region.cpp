#include "bench/ceilings/memory_region.hpp"

#include <sys/mman.h>

#include <utility>

namespace steelyard {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

MemoryRegion::~MemoryRegion() { release(); }

MemoryRegion::MemoryRegion(MemoryRegion&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryRegion& MemoryRegion::operator=(MemoryRegion&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

bool MemoryRegion::reserve(std::size_t bytes, bool huge_pages) {
  release();
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const data = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return false;
  data_ = data;
  bytes_ = whole;
  // Advice only: a kernel without huge pages refuses it, and nothing else changes. Never MADV_NOHUGEPAGE: a program
  // that asks for nothing has huge pages all the same where the system gives them to all.
  if (huge_pages) static_cast<void>(madvise(data_, bytes_, MADV_HUGEPAGE));
  return true;
}

void MemoryRegion::touch() {
  double* const values = data();
  for (std::size_t i = 0; i < bytes_ / sizeof(double); ++i) values[i] = 1;
}

void MemoryRegion::release() noexcept {
  if (data_ != nullptr) munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace steelyard
