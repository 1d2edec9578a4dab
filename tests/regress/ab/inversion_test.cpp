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

double estimate_of(const Tent& test) { return Inversion(test).estimate(); }

TEST(InversionEstimate, IsWhereTheStatisticChangesSign) {
  EXPECT_NEAR(estimate_of(Tent(2.5)), 2.5, 3e-4);
  EXPECT_NEAR(estimate_of(Tent(-2.5)), -2.5, 3e-4);
  EXPECT_NEAR(estimate_of(Tent(0.304)), 0.304, 3e-4);
}

TEST(InversionEstimate, KeepsAStartThatFitsExactly) { EXPECT_EQ(estimate_of(Tent(0.3)), 0.3); }

TEST(InversionInterval, EndsWhereTheTestBeginsToReject) {
  for (const double centre : {2.5, 0.3, -7.0, 1e-3}) {
    const Tent test(centre);
    Inversion inversion(test);
    const auto wide = inversion.interval(0.05);
    const auto narrow = inversion.interval(0.10);
    ASSERT_TRUE(wide.has_value() && narrow.has_value());
    EXPECT_NEAR(wide->low, centre - 0.95, 2e-4);
    EXPECT_NEAR(wide->high, centre + 0.95, 2e-4);
    EXPECT_NEAR(narrow->low, centre - 0.90, 2e-4);
    EXPECT_NEAR(narrow->high, centre + 0.90, 2e-4);
  }
}

TEST(InversionInterval, IsTheSameInWhicheverOrderItIsAskedFor) {
  const Tent test(1.7);
  Inversion first(test);
  Inversion second(test);
  first.interval(0.05);
  const auto after = first.interval(0.10);
  const auto alone = second.interval(0.10);
  EXPECT_NEAR(after->low, alone->low, 2e-4);
  EXPECT_NEAR(after->high, alone->high, 2e-4);
}

TEST(InversionInterval, HoldsZeroExactlyIfNoEffectIsNotRejected) {
  for (const double centre : {0.9499, 0.94999, 0.95001, 0.9501, -0.94999, -0.95001, 0.0}) {
    const Tent test(centre);
    Inversion inversion(test);
    const auto interval = inversion.interval(0.05);
    ASSERT_TRUE(interval.has_value());
    EXPECT_EQ(interval->low <= 0 && interval->high >= 0, test.p(0) > 0.05) << centre;
  }
}

TEST(InversionInterval, IsAbsentWhereTheTestCannotRejectAnything) {
  const Tent test(0, 0.06);
  EXPECT_FALSE(Inversion(test).interval(0.05).has_value());
}

TEST(InversionInterval, NeedsFewEvaluations) {
  class Counted : public Tent {
   public:
    using Tent::Tent;
    double p(double shift) const override {
      ++count;
      return Tent::p(shift);
    }
    mutable int count = 0;
  };
  const Counted test(0.31);
  Inversion inversion(test);
  inversion.interval(0.05);
  inversion.interval(0.10);
  EXPECT_LT(test.count, 50);
}

}  // namespace
}  // namespace steelyard
