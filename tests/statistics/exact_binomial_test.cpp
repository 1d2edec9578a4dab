#include "tests/studies/judging/exact_binomial.hpp"

#include <gtest/gtest.h>

namespace steelyard::judging::exact_binomial_test {
namespace {

TEST(ExactBinomial, TailsAreThoseOfCoins) {
  EXPECT_NEAR(binomial_upper_tail(9, 10, 0.5), 11.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_lower_tail(1, 10, 0.5), 11.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_upper_tail(0, 10, 0.3), 1, 1e-12);
  EXPECT_NEAR(binomial_lower_tail(10, 10, 0.3), 1, 1e-12);
}

}  // namespace
}  // namespace steelyard::judging::exact_binomial_test
