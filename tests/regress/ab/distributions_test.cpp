#include "regress/ab/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steelyard::regress::distributions_test {
namespace {

// R. A. Fisher and F. Yates, Statistical Tables (1938), table III.
TEST(Student, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_quantile(0.995, 14), 2.977, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 30), 1.697, 5e-4);
}

TEST(Student, TailIsTheInverseOfTheQuantileWhateverTheSign) {
  EXPECT_NEAR(student_two_sided_p(student_quantile(0.975, 7), 7), 0.05, 1e-10);
  EXPECT_NEAR(student_two_sided_p(-student_quantile(0.975, 7), 7), 0.05, 1e-10);
  EXPECT_EQ(student_two_sided_p(std::numeric_limits<double>::infinity(), 3), 0);
}

TEST(Normal, QuantilesAndTailsAreThoseOfTheTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.8), 0.841621, 1e-6);
  EXPECT_NEAR(normal_two_sided_p(2.575829), 0.01, 1e-7);
}

}  // namespace
}  // namespace steelyard::regress::distributions_test
