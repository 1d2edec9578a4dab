#include "bench/suites/cpu/gelu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bench/suites/cpu/agreement.hpp"

namespace steelyard::cpu_suite::gelu_test {
namespace {

std::vector<float> evenly_spaced(float first, float last, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = first + (last - first) * static_cast<float>(i) / static_cast<float>(count - 1);
  }
  return values;
}

TEST(Gelu, PassesAgreeWithDoublePrecisionOnBothSidesOfSaturation) {
  const std::vector<float> values = evenly_spaced(-10, 10, 2001);
  std::vector<float> scratch(values.size());
  std::vector<float> results(values.size());
  gelu_passes(values, scratch, results);
  EXPECT_EQ(disagreement(results, gelu_reference(values), 1e-6), std::nullopt);
}

TEST(Gelu, FusedAgreesWithDoublePrecisionOnBothSidesOfSaturation) {
  const std::vector<float> values = evenly_spaced(-10, 10, 2001);
  std::vector<float> results(values.size());
  gelu_fused(values, results);
  EXPECT_EQ(disagreement(results, gelu_reference(values), 1e-6), std::nullopt);
}

TEST(Gelu, FusedWorksInPlace) {
  const std::vector<float> values = evenly_spaced(-3, 3, 13);
  std::vector<float> in_place = values;
  gelu_fused(in_place, in_place);
  EXPECT_EQ(disagreement(in_place, gelu_reference(values), 1e-6), std::nullopt);
}

// The tanh form is an approximation of x times the normal distribution: off by at most 4.74e-4, at |x| = 2.70.
TEST(Gelu, ReferenceIsTheTanhFormOfTheExactOne) {
  double most = 0;
  double max_at = 0;
  for (double x = -10; x <= 10; x += 0.001) {
    const double exact = 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    const double off = std::abs(gelu_in_double(x) - exact);
    if (off > most) max_at = std::abs(x);
    most = std::max(most, off);
  }
  EXPECT_LT(most, 4.74e-4);
  EXPECT_GT(most, 4.72e-4);
  EXPECT_NEAR(max_at, 2.70, 0.01);
}

TEST(Gelu, DeclaresElevenTimesTheTrafficForTheChain) {
  constexpr OperatorCost passes = gelu_passes_cost(1000);
  constexpr OperatorCost fused = gelu_fused_cost(1000);
  EXPECT_EQ(passes.flops, fused.flops);
  EXPECT_EQ(fused.flops, Flops(9000));
  EXPECT_EQ(passes.read, Bytes(4 * 13000));
  EXPECT_EQ(passes.written, Bytes(4 * 9000));
  EXPECT_DOUBLE_EQ(passes.traffic() / fused.traffic(), 11.0);
}

}  // namespace
}  // namespace steelyard::cpu_suite::gelu_test
