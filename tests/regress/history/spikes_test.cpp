#include "regress/history/spikes.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(ClipSpikes, MovesASpikeOfTwoValuesToTheReach) {
  const std::vector<double> values = {1, 1, 1, 9, 9, 1, 1, 1, 1, -9, 1};
  EXPECT_EQ(clip_spikes(values, 1), (std::vector<double>{1, 1, 1, 4, 4, 1, 1, 1, 1, -2, 1}));
}

TEST(ClipSpikes, LeavesAStepOfThreeValuesAlone) {
  const std::vector<double> values = {1, 1, 1, 9, 9, 9, 1, 1, 1};
  EXPECT_EQ(clip_spikes(values, 1), values);
  const std::vector<double> at_the_end = {1, 1, 1, 1, 9, 9, 9};
  EXPECT_EQ(clip_spikes(at_the_end, 1), at_the_end);
}

TEST(ClipSpikes, HoldsAValueCloserThatItsOwnSamplesDoNotSupport) {
  const std::vector<double> values = {1, 1, 3, 1, 1};
  const std::vector<double> errors = {0, 0, 6, 0, 0};
  EXPECT_EQ(clip_spikes(values, 1, errors), (std::vector<double>{1, 1, 1.5, 1, 1}));
}

TEST(ClipSpikes, LeavesFewerThanThreeValuesAlone) {
  EXPECT_TRUE(clip_spikes({}, 1).empty());
  EXPECT_EQ(clip_spikes(std::vector<double>{1, 100}, 1), (std::vector<double>{1, 100}));
}

}  // namespace
}  // namespace steelyard
