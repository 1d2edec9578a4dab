#include "bench/suites/cuda/arithmetic/answer_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace steelyard::cuda_suite {
namespace {

TEST(SampledIndices, AreAllOfASmallAnswer) {
  EXPECT_EQ(sampled_indices(3, 16, 1), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(sampled_indices(16, 16, 1).size(), 16u);
  EXPECT_TRUE(sampled_indices(0, 16, 1).empty());
}

TEST(SampledIndices, AreAscendingDifferentAndHaveBothEnds) {
  for (const std::size_t count : {17u, 100u, 4096u, 67108864u}) {
    const auto indices = sampled_indices(count, 16, 7);
    ASSERT_EQ(indices.size(), 16u);
    for (std::size_t i = 1; i < indices.size(); ++i) ASSERT_LT(indices[i - 1], indices[i]) << count;
    EXPECT_EQ(indices.front(), 0u);
    EXPECT_EQ(indices.back(), count - 1);
  }
}

TEST(SampledIndices, OfOtherSeedsAreOthersInTheMiddle) {
  EXPECT_NE(sampled_indices(100000, 64, 1), sampled_indices(100000, 64, 2));
  EXPECT_EQ(sampled_indices(100000, 64, 1), sampled_indices(100000, 64, 1));
}

TEST(AllWritten, NamesTheFirstElementThatIsNoNumber) {
  std::vector<Bf16> answer(20, narrowed<Bf16>(1.0f));
  EXPECT_TRUE(all_written("gemv", answer));
  answer[13] = Bf16{0xffff};  // what the memory was filled with
  const auto written = all_written("softmax", answer, 10);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().where, "softmax, row 1, column 3");
  EXPECT_EQ(all_written("gemv", answer).error().where, "gemv, element 13");
}

TEST(AllWritten, FillWithOnesIsNoNumberInEveryType) {
  EXPECT_TRUE(std::isnan(widened(Bf16{0xffff})));
  EXPECT_TRUE(std::isnan(widened(F16{0xffff})));
  EXPECT_TRUE(std::isnan(float_of_bits(0xffffffffu)));
}

TEST(InputRotation, PassesFourTimesTheCacheOrTakesTheMostSetsThereAre) {
  constexpr std::size_t mib = 1 << 20;
  EXPECT_EQ(input_rotation(512 * mib, 50 * mib), 1);
  EXPECT_EQ(input_rotation(200 * mib, 50 * mib), 1);
  EXPECT_EQ(input_rotation(199 * mib, 50 * mib), 2);
  EXPECT_EQ(input_rotation(1 * mib, 50 * mib), 200);
  EXPECT_EQ(input_rotation(1024, 50 * mib), 256);
  EXPECT_EQ(input_rotation(0, 50 * mib), 1);
  EXPECT_EQ(input_rotation(mib, 0), 1);
}

TEST(InputRotation, SetsBeginWhereWholePacksDo) {
  EXPECT_EQ(set_stride(1), 256u);
  EXPECT_EQ(set_stride(256), 256u);
  EXPECT_EQ(set_stride(257), 512u);
}

}  // namespace
}  // namespace steelyard::cuda_suite
