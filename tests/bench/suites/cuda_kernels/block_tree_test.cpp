#include "bench/suites/cuda/arithmetic/block_tree.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace steelyard::cuda_suite::block_tree_test {
namespace {

TEST(BlockTree, TakesEveryThreadsValueOnce) {
  // A value counts how often each thread is in it.
  using Counts = std::vector<int>;
  for (const std::size_t threads : {32u, 64u, 96u, 512u, 1024u}) {
    std::vector<Counts> values(threads, Counts(threads, 0));
    for (std::size_t i = 0; i < threads; ++i) values[i][i] = 1;
    const auto joined = [](const Counts& a, const Counts& b) {
      Counts sum = a;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
      return sum;
    };
    const std::vector<Counts> whole = play_block_tree(values, Counts(threads, 0), joined);
    ASSERT_EQ(whole.size(), threads);
    for (const Counts& of_thread : whole) ASSERT_EQ(of_thread, Counts(threads, 1));
  }
}

TEST(BlockTree, GivesEveryThreadTheSameBits) {
  std::vector<float> values;
  for (int i = 0; i < 1024; ++i) values.push_back(1.0f / static_cast<float>(3 + i * 7 % 101));
  const auto sums = play_block_tree(values, 0.0f, [](float a, float b) { return a + b; });
  for (const float sum : sums) ASSERT_EQ(sum, sums.front());
}

TEST(BlockTree, AddsAsPlainAdditionDoesWhereNothingRounds) {
  std::vector<float> values(1024);
  std::iota(values.begin(), values.end(), 1.0f);
  const auto sums = play_block_tree(values, 0.0f, [](float a, float b) { return a + b; });
  for (const float sum : sums) EXPECT_EQ(sum, 1024.0f * 1025.0f / 2.0f);
}

}  // namespace
}  // namespace steelyard::cuda_suite::block_tree_test
