// Small models on a device, token by token against double precision, in every way that the kernels may follow each
// other.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/decoding/decoding_check.hpp"
#include "bench/suites/cuda/decoding/decoding_kernels.hpp"
#include "bench/suites/cuda/decoding/decoding_reference.hpp"
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

// A draw of given logits by the device and by the CPU, step by step.
void expect_drawn(const std::vector<float>& logits, std::uint64_t seed, int steps) {
  const DecodingModel model{.dim = 128, .heads = 1, .kv_heads = 1, .vocab = logits.size()};
  const auto positions = static_cast<std::size_t>(steps) + 1;
  cuda::DeviceArray<float> device_logits(logits.size());
  cuda::DeviceArray<float> stream_values(model.dim);
  cuda::DeviceArray<Bf16> embedding(logits.size() * model.dim);
  cuda::DeviceArray<int> tokens(positions);
  cuda::DeviceArray<int> step(1);
  device_logits.upload(logits);
  embedding.fill_bytes(0);
  tokens.fill_bytes(0);
  step.fill_bytes(0);
  const cuda::Stream stream;
  const DecodingLaunch launch{.model = model,
                              .buffers = {.positions = positions,
                                          .step = step.data(),
                                          .tokens = tokens.data(),
                                          .stream = stream_values.data(),
                                          .logits = device_logits.data()},
                              .plan = {.overlaps = false},
                              .stream = stream.get()};
  for (int i = 0; i < steps; ++i) launch_draw(launch, embedding.data(), seed);
  stream.wait();
  std::vector<int> found(positions);
  tokens.download(found);
  for (int i = 0; i < steps; ++i) {
    if (!draw_is_decided(logits, seed, i)) continue;
    EXPECT_EQ(found[static_cast<std::size_t>(i) + 1], drawn_token(logits, seed, i)) << "step " << i;
  }
}

// Which logits are among the first: spread over threads, of a few threads, as large as the next, too many that are
// equal, or all.
TEST_F(DecodingOnDevice, DrawsAreThoseOfTheCpu) {
  constexpr std::size_t kVocab = 32000;
  constexpr int kSteps = 100;
  std::vector<float> spread;
  for (std::size_t i = 0; i < kVocab; ++i) spread.push_back(seeded_value<float>(7, i, 3.0f));
  expect_drawn(spread, 1, kSteps);
  expect_drawn({spread.begin(), spread.begin() + 1000}, 2, kSteps);

  std::vector<float> of_few_threads = spread;
  for (std::size_t i = 0; i < kVocab; i += 1024) {
    for (std::size_t k = i; k < std::min(i + 7, kVocab); ++k) of_few_threads[k] += 10.0f;
  }
  expect_drawn(of_few_threads, 3, kSteps);

  std::vector<float> sorted = spread;
  std::nth_element(sorted.begin(), sorted.begin() + kTopTokens - 1, sorted.end(), std::greater<>());
  std::vector<float> as_large = spread;
  for (std::size_t i = 5; i < 400; i += 13) as_large[i] = sorted[kTopTokens - 1];
  expect_drawn(as_large, 4, kSteps);

  expect_drawn(std::vector<float>(kVocab, 1.5f), 5, kSteps);

  expect_drawn({spread.begin(), spread.begin() + 30}, 6, kSteps);
}

// A turn of the attention is 128 positions.
TEST_F(DecodingOnDevice, TheSecondTurnOfTheAttentionIsWithinItsBounds) { expect_right(tiny_llama(), {}, 140); }

}  // namespace
}  // namespace steelyard::cuda_suite::decoding_on_device_test
