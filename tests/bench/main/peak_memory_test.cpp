#include "bench/main/memory_use.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cstring>

namespace steelyard::peak_memory_test {
namespace {

TEST(PeakMemory, IsReadFromTheStatusInKibibytes) {
  EXPECT_EQ(peak_memory_of("VmPeak:\t  9 kB\nVmHWM:\t  2048 kB\nVmRSS:\t 7 kB\n"), 2048 * 1024);
  EXPECT_EQ(peak_memory_of(""), std::nullopt);
  EXPECT_EQ(peak_memory_of("VmHWM:"), std::nullopt);
  EXPECT_EQ(peak_memory_of("VmHWM:\t 12 MB\n"), std::nullopt);
  EXPECT_EQ(peak_memory_of("VmHWM:\t 99999999999999999999 kB\n"), std::nullopt);
}

TEST(PeakMemory, OfLongAgoIsForgotten) {
  if (!forget_peak_memory()) GTEST_SKIP() << "this system does not let a process forget its peak";
  constexpr std::size_t kSize = std::size_t{64} << 20;
  // Not the allocator's memory: that may be kept after it is freed.
  void* memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kSize);
  EXPECT_GE(peak_memory().value_or(0), static_cast<std::int64_t>(kSize));
  munmap(memory, kSize);
  ASSERT_TRUE(forget_peak_memory());
  EXPECT_LT(peak_memory().value_or(0), static_cast<std::int64_t>(kSize));
}

}  // namespace
}  // namespace steelyard::peak_memory_test
