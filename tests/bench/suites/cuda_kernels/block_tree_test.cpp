#include "bench/suites/cuda/arithmetic/block_tree.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace steelyard::cuda_suite {
namespace {

TEST(BlockTree, TakesEveryThreadsValueOnceInTheOrderOfTheirNumbers) {
  // Joining texts does not commute: the order in which the tree joins is seen.
  for (const std::size_t threads : {32u, 64u, 96u, 512u, 1024u}) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < threads; ++i) values.push_back("<" + std::to_string(i) + ">");
    const auto joined = [](const std::string& a, const std::string& b) { return a + b; };
    const std::vector<std::string> whole = play_block_tree(values, std::string(), joined);
    ASSERT_EQ(whole.size(), threads);
    for (const std::string& of_thread : whole) ASSERT_EQ(of_thread, whole.front());
    for (const std::string& value : values) {
      const std::size_t at = whole.front().find(value);
      ASSERT_NE(at, std::string::npos) << value;
      EXPECT_EQ(whole.front().find(value, at + 1), std::string::npos) << value << " is joined twice";
    }
  }
}

TEST(BlockTree, AddsAsPlainAdditionDoesWhereNothingRounds) {
  std::vector<float> values(1024);
  std::iota(values.begin(), values.end(), 1.0f);
  const auto sums = play_block_tree(values, 0.0f, [](float a, float b) { return a + b; });
  for (const float sum : sums) EXPECT_EQ(sum, 1024.0f * 1025.0f / 2.0f);
}

}  // namespace
}  // namespace steelyard::cuda_suite
