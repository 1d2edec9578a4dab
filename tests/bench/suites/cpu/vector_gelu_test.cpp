#include "bench/suites/cpu/vector_gelu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/gelu.hpp"
#include "tests/bench/suites/cpu/vector_sets.hpp"

namespace steelyard::cpu_suite::vector_gelu_test {
namespace {

// Of [-limit, limit], and no multiple of any vector's length.
std::vector<float> evenly_spaced(float limit) {
  constexpr int kHalf = 1000;
  std::vector<float> values;
  for (int i = -kHalf; i <= kHalf; ++i) values.push_back(limit * static_cast<float>(i) / kHalf);
  return values;
}

TEST(VectorGelu, AgreesWithDoublePrecisionInEverySetOfInstructions) {
  for (const VectorSet set : vector_sets_here()) {
    for (const float limit : {1e-3f, 1.0f, 10.0f, 1e6f}) {
      const std::vector<float> values = evenly_spaced(limit);
      std::vector<float> results(values.size(), std::numeric_limits<float>::quiet_NaN());
      gelu_vectorized(values, results, set);
      EXPECT_EQ(disagreement(results, gelu_reference(values), 1e-6), std::nullopt) << to_text(set) << " " << limit;
    }
  }
}

TEST(VectorGelu, GradientAgreesWithDoublePrecisionInEverySetOfInstructions) {
  for (const VectorSet set : vector_sets_here()) {
    for (const float limit : {1e-3f, 1.0f, 10.0f, 1e6f}) {
      const std::vector<float> values = evenly_spaced(limit);
      std::vector<double> wanted;
      for (const float value : values) wanted.push_back(2 * gelu_gradient_in_double(static_cast<double>(value)));
      const std::vector<float> upstream(values.size(), 2.0f);
      std::vector<float> results(values.size(), std::numeric_limits<float>::quiet_NaN());
      gelu_gradient_vectorized(values, upstream, results, set);
      EXPECT_EQ(disagreement(results, wanted, 3e-6), std::nullopt) << to_text(set) << " " << limit;
    }
  }
}

TEST(VectorGelu, ItsTanhMakesAChainOfPassesAgreeWithDoublePrecision) {
  const std::vector<float> values = evenly_spaced(10);
  std::vector<double> wanted;
  for (const float value : values) wanted.push_back(std::tanh(static_cast<double>(value)));
  std::vector<float> results = values;
  vectorized_tanh(results, results);
  EXPECT_EQ(disagreement(results, wanted, 3e-7), std::nullopt);
  std::vector<float> scratch(values.size());
  gelu_passes(values, scratch, results, vectorized_tanh);
  EXPECT_EQ(disagreement(results, gelu_reference(values), 3e-6), std::nullopt);
}

TEST(VectorGelu, WorksInPlaceAndOnNothing) {
  const std::vector<float> values = evenly_spaced(3);
  std::vector<float> in_place = values;
  gelu_vectorized(in_place, in_place);
  EXPECT_EQ(disagreement(in_place, gelu_reference(values), 1e-6), std::nullopt);
  gelu_vectorized({}, {});
  gelu_gradient_vectorized({}, {}, {});
}

TEST(VectorGelu, ReferenceOfTheGradientIsTheSlopeOfGelu) {
  for (double x = -6; x <= 6; x += 0.25) {
    constexpr double kStep = 1e-6;
    const double slope = (gelu_in_double(x + kStep) - gelu_in_double(x - kStep)) / (2 * kStep);
    EXPECT_NEAR(gelu_gradient_in_double(x), slope, 1e-8) << x;
  }
}

TEST(VectorGelu, DeclaresTheBackwardPassAsTwoReadsAndOneWrite) {
  constexpr OperatorCost cost = gelu_gradient_cost(1000);
  EXPECT_EQ(cost.flops, Flops(18000));
  EXPECT_EQ(cost.read, Bytes(8000));
  EXPECT_EQ(cost.written, Bytes(4000));
}

}  // namespace
}  // namespace steelyard::cpu_suite::vector_gelu_test
