#include "bench/profile/occupancy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#if defined(HAS_CUDA_OCCUPANCY)
#include <climits>

#include <cuda_occupancy.h>
#endif

namespace steelyard::bench::occupancy_test {
namespace {

// H100.
constexpr MultiprocessorLimits kHopper{9, 0, 64, 32, 65536, 233472};

double occupancy(std::uint32_t threads, std::uint32_t registers, std::uint32_t shared,
                 const MultiprocessorLimits& limits = kHopper) {
  const KernelLaunch launch{
      .grid = {1, 1, 1}, .block = {threads, 1, 1}, .registers = registers, .static_shared_bytes = shared};
  return occupancy_of(launch, limits).value_or(-1);
}

TEST(Occupancy, IsTheLeastThatWarpsBlocksRegistersAndSharedMemoryAllow) {
  EXPECT_EQ(occupancy(1024, 32, 0), 1.0);
  EXPECT_EQ(occupancy(32, 16, 0), 0.5) << "32 blocks of a warp";
  EXPECT_EQ(occupancy(256, 64, 0), 0.5) << "2,048 registers a warp: eight in each quarter of 16,384";
  EXPECT_EQ(occupancy(256, 32, 100'000), 2 * 8 / 64.0) << "two blocks in 228 KiB";
  EXPECT_EQ(occupancy(96, 32, 0), 21 * 3 / 64.0) << "the last of 64 warps belongs to no whole block";
}

TEST(Occupancy, OfABlockThatDoesNotFitIsNothing) {
  EXPECT_EQ(occupancy(1025, 32, 0), 0);
  EXPECT_EQ(occupancy(1024, 255, 0), 0);
  EXPECT_EQ(occupancy(32, 32, 233'472), 0) << "1 KiB of it is reserved";
}

TEST(Occupancy, OfAnUnknownProcessorOrOfNoLaunchIsAbsent) {
  const KernelLaunch launch{.grid = {1, 1, 1}, .block = {32, 1, 1}, .registers = 32};
  EXPECT_EQ(occupancy_of(launch, {13, 0, 64, 32, 65536, 233472}), std::nullopt);
  EXPECT_EQ(occupancy_of(launch, {}), std::nullopt);
  EXPECT_EQ(occupancy_of({}, kHopper), std::nullopt);
  EXPECT_EQ(max_blocks_of(13, 0), 0U);
  EXPECT_EQ(occupancy_of(launch, {9, 0, 64, 0, 65536, 233472}), std::nullopt) << "how many blocks is not known";
}

TEST(Occupancy, ThatAGridAchievesIsOfItsBlocksOrOfThoseThatFit) {
  const auto achieved = [](std::uint32_t threads, std::optional<double> occupancy, std::optional<double> blocks) {
    return achieved_occupancy_of({.block = {threads, 1, 1}, .occupancy = occupancy, .blocks_a_multiprocessor = blocks},
                                 kHopper);
  };
  EXPECT_EQ(achieved(256, 1.0, 2.5), 2.5 * 256 / 2048);
  EXPECT_EQ(achieved(256, 0.5, 100), 0.5);
  EXPECT_EQ(achieved(100, 0.5, 100), 8 * 100 / 2048.0) << "of 32 warps in 8 blocks 28 threads each are none";
  EXPECT_EQ(achieved(256, std::nullopt, 2), std::nullopt);
  EXPECT_EQ(achieved(256, 1.0, std::nullopt), std::nullopt);
  EXPECT_EQ(achieved(0, 1.0, 1), std::nullopt);
}

#if defined(HAS_CUDA_OCCUPANCY)
TEST(Occupancy, IsWhatTheToolkitsOwnHeaderSays) {
  struct Processor {
    int major, minor;
    std::uint32_t warps, shared;
  };
  // V100, T4, A100, A10, L4, H100, B200, RTX 5090.
  constexpr std::array<Processor, 8> kProcessors{{{7, 0, 64, 98304},
                                                  {7, 5, 32, 65536},
                                                  {8, 0, 64, 167936},
                                                  {8, 6, 48, 102400},
                                                  {8, 9, 48, 102400},
                                                  {9, 0, 64, 233472},
                                                  {10, 0, 64, 233472},
                                                  {12, 0, 48, 102400}}};
  int compared = 0;
  for (const Processor& one : kProcessors) {
    cudaOccDeviceProp device;
    device.computeMajor = one.major;
    device.computeMinor = one.minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = static_cast<int>(one.warps * 32);
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 49152;
    device.sharedMemPerMultiprocessor = one.shared;
    device.reservedSharedMemPerBlock = one.major >= 8 ? 1024 : 0;
    device.sharedMemPerBlockOptin = one.shared - device.reservedSharedMemPerBlock;
    device.numSms = 1;
    int blocks_at_most = 0;
    ASSERT_EQ(cudaOccMaxBlocksPerMultiprocessor(&blocks_at_most, &device), CUDA_OCC_SUCCESS);
    EXPECT_EQ(max_blocks_of(one.major, one.minor), static_cast<std::uint32_t>(blocks_at_most));
    for (std::uint32_t threads = 1; threads <= 1024; threads += threads < 64 ? 7 : 61) {
      for (std::uint32_t registers = 1; registers <= 255; registers += 9) {
        for (const std::uint32_t shared : {0U, 1U, 1000U, 16'000U, 40'000U, 60'000U}) {
          cudaOccFuncAttributes kernel;
          kernel.maxThreadsPerBlock = 1024;
          kernel.numRegs = static_cast<int>(registers);
          kernel.sharedSizeBytes = 0;
          kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
          kernel.maxDynamicSharedSizeBytes = shared;
          kernel.numBlockBarriers = 1;
          const cudaOccDeviceState state;
          cudaOccResult result;
          ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
                                                            static_cast<int>(threads), shared),
                    CUDA_OCC_SUCCESS);
          const std::uint32_t warps = (threads + 31) / 32;
          const double wanted = static_cast<double>(result.activeBlocksPerMultiprocessor) * warps / one.warps;
          const KernelLaunch launch{
              .grid = {1, 1, 1}, .block = {threads, 1, 1}, .registers = registers, .dynamic_shared_bytes = shared};
          const auto ours = occupancy_of(
              launch, {one.major, one.minor, one.warps, static_cast<std::uint32_t>(blocks_at_most), 65536, one.shared});
          ASSERT_EQ(ours, wanted) << one.major << '.' << one.minor << ": " << threads << " threads, " << registers
                                  << " registers, " << shared << " bytes";
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 30'000);
}
#endif

}  // namespace
}  // namespace steelyard::bench::occupancy_test
