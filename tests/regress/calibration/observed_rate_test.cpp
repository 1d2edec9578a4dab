#include "regress/calibration/observed_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace steelyard {
namespace {

// P(X >= count), by adding up the terms.
double upper_tail(int count, int tries, double share) {
  double sum = 0;
  for (int k = count; k <= tries; ++k) {
    sum += std::exp(std::lgamma(tries + 1) - std::lgamma(k + 1) - std::lgamma(tries - k + 1) + k * std::log(share) +
                    (tries - k) * std::log1p(-share));
  }
  return sum;
}

TEST(BinomialInterval, IsThatOfPublishedTables) {
  // 0 of n: the upper bound is 1 - .025^(1/n).
  EXPECT_NEAR(binomial_interval(0, 10).high, 0.30849710781, 1e-10);
  EXPECT_NEAR(binomial_interval(0, 40).high, 1 - std::pow(0.025, 1.0 / 40), 1e-10);
  EXPECT_EQ(binomial_interval(0, 10).low, 0);
  // R: binom.test(5, 20)$conf.int
  EXPECT_NEAR(binomial_interval(5, 20).low, 0.08657147, 1e-8);
  EXPECT_NEAR(binomial_interval(5, 20).high, 0.49104587, 1e-8);
  EXPECT_EQ(binomial_interval(10, 10).high, 1);
  EXPECT_EQ(binomial_interval(0, 0), (Interval{0, 1}));
}

TEST(BinomialInterval, LeavesATailOfTwoAndAHalfPerCentAtEachEnd) {
  for (const int tries : {1, 7, 40, 300}) {
    for (int count = 0; count <= tries; count += 1 + tries / 7) {
      const Interval interval = binomial_interval(count, tries);
      if (count > 0) {
        EXPECT_NEAR(upper_tail(count, tries, interval.low), 0.025, 1e-6) << count << " of " << tries;
      }
      if (count < tries) {
        EXPECT_NEAR(1 - upper_tail(count + 1, tries, interval.high), 0.025, 1e-6) << count << " of " << tries;
      }
    }
  }
}

TEST(ObservedRate, OfGroupsThatAreAlikeWithinCountsAsFewer) {
  // Twenty gates of ten comparisons: in two of them all alarm, in the others none.
  std::vector<TriedGroup> alike(20, {0, 10});
  alike[3] = alike[11] = {10, 10};
  const ObservedRate rate = observed_rate(alike);
  EXPECT_EQ(rate.count, 20);
  EXPECT_EQ(rate.tries, 200);
  const Interval of_gates = binomial_interval(2, 20);
  EXPECT_NEAR(rate.interval.low, of_gates.low, 0.01);
  EXPECT_NEAR(rate.interval.high, of_gates.high, 0.03);
}

TEST(ObservedRate, OfIndependentTriesIsExact) {
  std::vector<TriedGroup> spread(20, {1, 10});
  EXPECT_EQ(observed_rate(spread).interval, binomial_interval(20, 200));
  EXPECT_EQ(observed_rate(std::vector<TriedGroup>{{3, 10}}).interval, binomial_interval(3, 10));
  EXPECT_EQ(observed_rate(std::vector<TriedGroup>{}).interval, (Interval{0, 1}));
  EXPECT_EQ(observed_rate(std::vector<TriedGroup>{{0, 5}, {0, 5}}).interval, binomial_interval(0, 10));
  EXPECT_EQ(observed_rate(3, 10).interval, binomial_interval(3, 10));
}

}  // namespace
}  // namespace steelyard
