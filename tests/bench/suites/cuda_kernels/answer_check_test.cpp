#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/device_needs.hpp"

namespace steelyard::cuda_suite::answer_check_test {
namespace {

using testing::HasSubstr;

TEST(DeviceAgreement, HoldsUpToTheBoundOfEachValue) {
  const std::vector<Wanted> wanted{{1.0, 0.5}, {100.0, 0.0}, {2.0, 0.25}};
  EXPECT_TRUE(agreement("x", std::vector<double>{1.5, 100.0, 1.75}, wanted));
  EXPECT_FALSE(agreement("x", std::vector<double>{1.5, 100.0, 1.74}, wanted));
  EXPECT_FALSE(agreement("x", std::vector<double>{1.5, 100.00001, 2.0}, wanted));
}

TEST(DeviceAgreement, NamesTheWorstValueByDistanceOverBound) {
  const std::vector<Wanted> wanted{{1, 1}, {1, 0.1}, {1, 1}, {1, 1}};
  const auto agreed = agreement("softmax", std::vector<double>{4, 3, 1, 1}, wanted, {.first = 6, .columns = 4});
  ASSERT_FALSE(agreed);
  EXPECT_EQ(agreed.error().kind, ErrorKind::program);
  EXPECT_EQ(agreed.error().where, "softmax, row 1, column 3");
  EXPECT_EQ(agreed.error().found, "3");
  EXPECT_EQ(agreed.error().wanted, "1 within 0.1");
  EXPECT_THAT(agreed.error().fix, HasSubstr("2 of 4"));
}

TEST(DeviceAgreement, NoNumberAgreesWithNoNumberAlone) {
  const double none = std::nan("");
  EXPECT_TRUE(agreement("x", std::vector<double>{none}, std::vector<Wanted>{{none, 0}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{none}, std::vector<Wanted>{{1, 1e300}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{1}, std::vector<Wanted>{{none, 1e300}}));
}

TEST(DeviceAgreement, InfinityAgreesWithItsLikeAlone) {
  EXPECT_TRUE(agreement("x", std::vector<double>{INFINITY}, std::vector<Wanted>{{INFINITY, 0}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{-INFINITY}, std::vector<Wanted>{{INFINITY, INFINITY}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{INFINITY}, std::vector<Wanted>{{1, 1e300}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{1}, std::vector<Wanted>{{INFINITY, INFINITY}}));
}

TEST(DeviceAgreement, OfAnotherLengthIsAMistake) {
  EXPECT_FALSE(agreement("x", std::vector<double>{1}, std::vector<Wanted>{}));
}

TEST(DeviceAgreement, GrowthOfRoundingsIsAtLeastTheirSum) {
  EXPECT_GE(float_growth(100), 100 * 0x1p-24);
  EXPECT_LT(float_growth(100), 101 * 0x1p-24);
}

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

std::string need_of(std::int64_t dim, std::int64_t hidden) {
  const auto points = points_of({*integer_axis("dim", std::vector<std::int64_t>{dim}),
                                 *integer_axis("hidden", std::vector<std::int64_t>{hidden})});
  return size_need(points->front(), {"dim", "hidden"}, 100);
}

TEST(SizeNeed, IsUnmetByTheFirstSizeThatDoesNotFit) {
  EXPECT_EQ(need_of(1, 100), "");
  EXPECT_EQ(need_of(1, 101), "hidden is 1 to 100 here, 101 was asked for");
  EXPECT_EQ(need_of(0, 101), "dim is 1 to 100 here, 0 was asked for");
  EXPECT_EQ(need_of(-5, 1), "dim is 1 to 100 here, -5 was asked for");
}

}  // namespace

}  // namespace steelyard::cuda_suite::answer_check_test
