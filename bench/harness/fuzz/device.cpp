#include "bench/harness/fuzz/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace steelyard {
namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

Result<std::shared_ptr<void>> allocate_on_cpu(std::int64_t bytes) {
  const std::size_t wanted = std::max(static_cast<std::size_t>(bytes), kAlignment);
  // aligned_alloc takes whole multiples; above this the rounding would overflow.
  void* const memory = wanted > SIZE_MAX - kAlignment
                           ? nullptr
                           : std::aligned_alloc(kAlignment, (wanted + kAlignment - 1) / kAlignment * kAlignment);
  if (memory == nullptr) {
    return input_error("fuzzed tensor", std::to_string(bytes) + " bytes, which cannot be allocated",
                       "a size that fits the memory", "set max_allocation_bytes");
  }
  return std::shared_ptr<void>(memory, [](void* at) { std::free(at); });
}

Result<std::shared_ptr<void>> CpuDevice::copy_in(std::span<const std::byte> bytes) {
  STEELYARD_TRY(std::shared_ptr<void> memory, allocate_on_cpu(static_cast<std::int64_t>(bytes.size())));
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  return memory;
}

Result<void> CpuDevice::copy_out(const void* storage, std::span<std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(bytes.data(), storage, bytes.size());
  return {};
}

}  // namespace steelyard
