#include "bench/counting/costs.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace steelyard {
namespace {

TEST(Costs, AreAddedEventByEventAndMissingOnesAreZero) {
  std::vector<std::int64_t> sum{1, 2, 3};
  EXPECT_TRUE(add_costs(sum, std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(sum, (std::vector<std::int64_t>{11, 22, 3}));
  EXPECT_TRUE(add_costs(sum, {}));
}

TEST(Costs, ASumThatDoesNotFitIsTold) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> sum{0, kMost};
  EXPECT_TRUE(add_costs(sum, std::vector<std::int64_t>{kMost, 0}));
  EXPECT_FALSE(add_costs(sum, std::vector<std::int64_t>{0, 1}));
}

TEST(Costs, AreZeroWhereEachIs) {
  EXPECT_TRUE(is_zero({}));
  EXPECT_TRUE(is_zero(std::vector<std::int64_t>{0, 0}));
  EXPECT_FALSE(is_zero(std::vector<std::int64_t>{0, -1}));
}

}  // namespace
}  // namespace steelyard
