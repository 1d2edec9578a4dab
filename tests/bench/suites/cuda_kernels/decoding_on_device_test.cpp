// Small models on a device, token by token against double precision, in every way that the kernels may follow each
// other.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "bench/suites/cuda/decoding/decoding_check.hpp"
#include "tests/promised.hpp"

namespace steelyard::cuda_suite::decoding_on_device_test {
namespace {

std::string no_device() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) return std::string("no CUDA device: ") + cudaGetErrorString(code);
  return count > 0 ? "" : "no CUDA device";
}

class DecodingOnDevice : public ::testing::Test {
 protected:
  void SetUp() override { STEELYARD_SKIP_WITHOUT("gpu", no_device().empty(), no_device()); }

  static void expect_right(const DecodingModel& model, const DecodingPlan& plan, std::size_t steps = kCheckedSteps) {
    constexpr std::uint64_t kSeed = 3;
    const auto bf16 = check_tiny_model<Bf16>(model, kSeed, plan, steps);
    EXPECT_TRUE(bf16) << bf16.error().text();
    const auto i8 = check_tiny_model<std::int8_t>(model, kSeed, plan, steps);
    EXPECT_TRUE(i8) << i8.error().text();
  }
};

TEST_F(DecodingOnDevice, KernelsOneAfterTheOtherAreWithinTheirBounds) {
  expect_right(tiny_llama(), {.overlaps = false, .prefetched = 0, .after_attention = 0});
  expect_right(tiny_mixtral(), {.overlaps = false, .prefetched = 0, .after_attention = 0});
}

TEST_F(DecodingOnDevice, KernelsThatOverlapAreWithinTheirBounds) {
  expect_right(tiny_llama(), {});
  expect_right(tiny_mixtral(), {});
}

TEST_F(DecodingOnDevice, KernelsThatShareAMultiprocessorOtherwiseAreWithinTheirBounds) {
  expect_right(tiny_llama(), {.blocks = 2});
  expect_right(tiny_mixtral(), {.blocks = 2});
  expect_right(tiny_llama(), {.is_deep = true});
  expect_right(tiny_mixtral(), {.is_deep = true});
}

TEST_F(DecodingOnDevice, WideProductsAndDrawsAreWithinTheirBounds) {
  expect_right(wide_llama(), {}, 4);
  expect_right(wide_llama(), {.is_deep = true}, 4);
}

// Which tokens are among the first differs from seed to seed.
TEST_F(DecodingOnDevice, DrawsOfManySeedsAreThoseOfTheCpu) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto agreed = check_tiny_model<Bf16>(tiny_llama(), seed, {}, 1);
    EXPECT_TRUE(agreed) << "seed " << seed << ": " << agreed.error().text();
  }
}

// A turn of the attention is 128 positions.
TEST_F(DecodingOnDevice, TheSecondTurnOfTheAttentionIsWithinItsBounds) { expect_right(tiny_llama(), {}, 140); }

}  // namespace
}  // namespace steelyard::cuda_suite::decoding_on_device_test
