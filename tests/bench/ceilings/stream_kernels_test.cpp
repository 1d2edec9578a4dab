#include "bench/ceilings/stream_kernels.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace steelyard::bench::stream_kernels_test {
namespace {

constexpr double kUntouched = -7;

// Three arrays with room to notice a store past their ends.
struct Arrays {
  explicit Arrays(std::size_t length) : storage(3 * (length + kStreamBlock) + kStreamBlock, kUntouched) {
    void* begin = storage.data();
    std::size_t room = storage.size() * sizeof(double);
    begin = std::align(64, room - 64, begin, room);
    arrays.length = length;
    arrays.a = static_cast<double*>(begin);
    arrays.b = arrays.a + length + kStreamBlock;
    arrays.c = arrays.b + length + kStreamBlock;
    for (std::size_t i = 0; i < length; ++i) {
      arrays.a[i] = 0.5;
      arrays.b[i] = static_cast<double>(i);
      arrays.c[i] = 1000 - static_cast<double>(i);
    }
  }
  std::vector<double> storage;
  StreamArrays arrays;
};

std::vector<StreamKernels> all_usable() {
  std::vector<StreamKernels> sets;
  CpuIdentity cpu = identify_cpu();
  sets.push_back(stream_kernels(cpu));
  cpu.avx512 = false;
  sets.push_back(stream_kernels(cpu));
  cpu.avx = false;
  sets.push_back(stream_kernels(cpu));
  return sets;
}

std::vector<StreamKernel> kernels_of(const StreamKernels& set) {
  std::vector<StreamKernel> kernels(set.plain.begin(), set.plain.end());
  kernels.insert(kernels.end(), set.non_temporal.begin(), set.non_temporal.end());
  return kernels;
}

double wanted_in_a(std::string_view access, const StreamArrays& arrays, std::size_t i) {
  if (access.starts_with("write")) return kWritten;
  if (access.starts_with("copy")) return arrays.b[i];
  if (access.starts_with("triad")) return arrays.b[i] + kTriadFactor * arrays.c[i];
  return 0.5;
}

TEST(StreamKernels, StoreWhatTheirNamesSayAndNothingBeyondTheArrays) {
  for (const StreamKernels& set : all_usable()) {
    for (const StreamKernel& kernel : kernels_of(set)) {
      for (const std::size_t length : {kStreamBlock, 5 * kStreamBlock}) {
        Arrays memory(length);
        kernel.run(memory.arrays, 2);
        for (std::size_t i = 0; i < length; ++i) {
          ASSERT_EQ(memory.arrays.a[i], wanted_in_a(kernel.access, memory.arrays, i))
              << set.how << ' ' << kernel.access;
          ASSERT_EQ(memory.arrays.b[i], static_cast<double>(i));
        }
        for (std::size_t i = length; i < length + kStreamBlock; ++i) {
          ASSERT_EQ(memory.arrays.a[i], kUntouched) << set.how << ' ' << kernel.access;
        }
      }
    }
  }
}

TEST(StreamKernels, ReadingReadsEveryElementInEveryPass) {
  for (const StreamKernels& set : all_usable()) {
    Arrays memory(3 * kStreamBlock);
    for (std::size_t i = 0; i < memory.arrays.length; ++i) memory.arrays.a[i] = static_cast<double>(i);
    const double sum = 191.0 * 192 / 2;
    EXPECT_EQ(set.plain[0].run(memory.arrays, 1), sum) << set.how;
    EXPECT_EQ(set.plain[0].run(memory.arrays, 4), 4 * sum) << set.how;
    EXPECT_EQ(set.plain[0].run(memory.arrays, 0), 0) << set.how;
  }
}

TEST(StreamKernels, CountTheArraysThatStreamCounts) {
  const StreamKernels set = stream_kernels(identify_cpu());
  ASSERT_EQ(set.plain.size(), 4U);
  for (const StreamKernel& kernel : kernels_of(set)) {
    const int wanted = kernel.access.starts_with("triad") ? 3 : kernel.access.starts_with("copy") ? 2 : 1;
    EXPECT_EQ(kernel.arrays, wanted) << kernel.access;
  }
}

}  // namespace
}  // namespace steelyard::bench::stream_kernels_test
