#include "regress/ab/steady_digits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace steelyard::regress::steady_digits_test {
namespace {

TEST(SteadyDigits, RoundsToElevenSignificantDigits) {
  EXPECT_EQ(steady(0.123456789012345), 0.12345678901);
  EXPECT_EQ(steady(-98765.4321098765), -98765.43211);
  EXPECT_EQ(steady(1.0), 1.0);
  EXPECT_EQ(steady(0.05), 0.05);
  EXPECT_EQ(steady(0.1 + 0.2), 0.3);
  EXPECT_EQ(steady(0.0), 0.0);
  EXPECT_EQ(steady(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(steady(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(steady(std::numeric_limits<double>::max()), std::numeric_limits<double>::max());
  EXPECT_EQ(steady(std::numeric_limits<double>::denorm_min()), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(steady(std::optional<double>()), std::nullopt);
  EXPECT_EQ(steady(std::optional(Interval{1.0000000000004, 2})), (Interval{1, 2}));
}

TEST(SteadyDigits, TwiceIsOnce) {
  std::mt19937_64 bits(7);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::ldexp(static_cast<double>(bits() >> 11), static_cast<int>(bits() % 200) - 150);
    EXPECT_EQ(steady(steady(value)), steady(value));
    EXPECT_NEAR(steady(value) / value, 1, 1e-10);
  }
}

// Distance in representable doubles.
double ulps(double found, double wanted) {
  if (wanted == 0) return found == 0 ? 0 : 1e9;
  return std::fabs(found - wanted) / (std::nextafter(std::fabs(wanted), INFINITY) - std::fabs(wanted));
}

TEST(SteadyLog, IsTheLibrarysButForTheLastBits) {
  std::mt19937_64 bits(3);
  double worst_log = 0;
  double worst_exp = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double mantissa = 1 + std::ldexp(static_cast<double>(bits() >> 12), -52);
    const double value = std::ldexp(mantissa, static_cast<int>(bits() % 80) - 40);
    worst_log = std::max(worst_log, ulps(steady_log(value), std::log(value)));
    const double power = (mantissa - 1.5) * 60;
    worst_exp = std::max(worst_exp, ulps(steady_exp(power), std::exp(power)));
  }
  EXPECT_LE(worst_log, 2.5);
  EXPECT_LE(worst_exp, 2.5);
}

TEST(SteadyLog, HoldsAtTheEdges) {
  EXPECT_EQ(steady_log(1), 0);
  EXPECT_EQ(steady_exp(0), 1);
  EXPECT_NEAR(steady_log(std::numeric_limits<double>::max()), 709.782712893384, 1e-11);
  EXPECT_NEAR(steady_log(std::numeric_limits<double>::denorm_min()), -744.440071921381, 1e-11);
  EXPECT_EQ(steady_exp(1000), std::numeric_limits<double>::infinity());
  EXPECT_EQ(steady_exp(-1000), 0);
  EXPECT_EQ(steady_exp(-std::numeric_limits<double>::infinity()), 0);
  for (const double near : {1 + 1e-15, 1 - 1e-15, 1 + 1e-9}) EXPECT_LE(ulps(steady_log(near), std::log(near)), 2.5);
}

TEST(SteadyLog, KeepsTheOrderOfNeighbours) {
  for (double value : {0.70710678118654746, 1.0, 1.4142135623730951, 812.4, 1e9}) {
    double last = -INFINITY;
    for (int i = 0; i < 2000; ++i, value = std::nextafter(value, INFINITY)) {
      EXPECT_GE(steady_log(value), last - 4e-15) << value;
      last = steady_log(value);
    }
  }
}

}  // namespace
}  // namespace steelyard::regress::steady_digits_test
