#include "regress/ab/inversion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace steelyard {
namespace {

// A test whose inversion is known: p falls linearly from 1 at `centre` to 0 at a distance of 1.
class Tent : public ShiftTest {
 public:
  explicit Tent(double centre, double least = 0) : centre_(centre), least_(least) {}
  double statistic(double shift) const override { return centre_ - shift; }
  double p(double shift) const override { return std::max(least_, 1 - std::fabs(shift - centre_)); }
  double least_p() const override { return least_; }
  double start() const override { return 0.3; }
  double step() const override { return 0.01; }

 private:
  double centre_;
  double least_;
};

TEST(BestShift, IsWhereTheStatisticChangesSign) { EXPECT_NEAR(best_shift(Tent(2.5)), 2.5, 1e-4); }

TEST(BestShift, KeepsAStartThatFitsExactly) { EXPECT_EQ(best_shift(Tent(0.3)), 0.3); }

TEST(ShiftInterval, EndsWhereTheTestBeginsToReject) {
  const Tent test(2.5);
  const auto interval = shift_interval(test, 2.5, 0.05, test.p(0));
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 1.55, 1e-4);
  EXPECT_NEAR(interval->high, 3.45, 1e-4);
}

TEST(ShiftInterval, HoldsZeroExactlyIfNoEffectIsNotRejected) {
  for (const double centre : {0.9499, 0.94999, 0.95001, 0.9501, -0.94999, -0.95001, 0.0}) {
    const Tent test(centre);
    const double p = test.p(0);
    const auto interval = shift_interval(test, best_shift(test), 0.05, p);
    ASSERT_TRUE(interval.has_value());
    EXPECT_EQ(interval->low <= 0 && interval->high >= 0, p > 0.05) << centre;
  }
}

TEST(ShiftInterval, IsAbsentWhereTheTestCannotRejectAnything) {
  EXPECT_FALSE(shift_interval(Tent(0, 0.06), 0, 0.05, 1).has_value());
}

}  // namespace
}  // namespace steelyard
