#include "bench/self/judging/exact_binomial.hpp"

#include <gtest/gtest.h>

namespace steelyard::judging {
namespace {

TEST(ExactBinomial, TailsAreThoseOfCoins) {
  EXPECT_NEAR(binomial_upper_tail(9, 10, 0.5), 11.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_lower_tail(1, 10, 0.5), 11.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_upper_tail(0, 10, 0.3), 1, 1e-12);
  EXPECT_NEAR(binomial_lower_tail(10, 10, 0.3), 1, 1e-12);
}

// Clopper and Pearson 1934, the worked example: 6 of 10 at 95 % is .262 to .878. 0 of n: 1 - .025^(1/n).
TEST(ExactBinomial, IntervalsAreThePublishedOnes) {
  EXPECT_NEAR(clopper_pearson(6, 10).low, 0.262, 5e-4);
  EXPECT_NEAR(clopper_pearson(6, 10).high, 0.878, 5e-4);
  EXPECT_EQ(clopper_pearson(0, 10).low, 0);
  EXPECT_NEAR(clopper_pearson(0, 10).high, 0.3085, 5e-5);
  EXPECT_NEAR(clopper_pearson(10, 10).low, 0.6915, 5e-5);
  EXPECT_EQ(clopper_pearson(10, 10).high, 1);
}

TEST(ExactBinomial, NoTriesSayNothing) {
  EXPECT_EQ(clopper_pearson(0, 0).low, 0);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1);
}

}  // namespace
}  // namespace steelyard::judging
