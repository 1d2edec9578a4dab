#include "bench/environment/steal_time.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(StealShare, IsThePartOfTheTimeThatWasNotIdle) {
  const ProcessorTime before{1000, 500, 10};
  EXPECT_EQ(steal_share(before, {1200, 600, 35}), 0.25);
  EXPECT_EQ(steal_share(before, {1200, 600, 10}), 0.0);
}

TEST(StealShare, IsAbsentWhereNothingPassedOrTheCountersWentBack) {
  const ProcessorTime before{1000, 500, 10};
  EXPECT_EQ(steal_share(before, before), std::nullopt);
  EXPECT_EQ(steal_share(before, {1100, 600, 10}), std::nullopt);
  EXPECT_EQ(steal_share(before, {1200, 600, 9}), std::nullopt);
}

TEST(ReadProcessorTime, IsAbsentWhereThereIsNoFile) {
  EXPECT_EQ(read_processor_time("/no/such/machine"), std::nullopt);
}

}  // namespace
}  // namespace steelyard
