#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/model/adjusted_p.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::adjusted_p_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(Holm, MultipliesByWhatIsLeftAndNeverFalls) {
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005}),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.06), DoubleEq(0.06), DoubleEq(0.02)));
}

TEST(Holm, OneComparisonKeepsItsP) { EXPECT_THAT(holm_adjusted(std::vector<double>{0.03}), ElementsAre(0.03)); }

TEST(Holm, IsAtMostOne) { EXPECT_THAT(holm_adjusted(std::vector<double>{0.9, 0.8}), ElementsAre(1, 1)); }

TEST(Holm, EqualPGetEqualQ) {
  const auto q = holm_adjusted(std::vector<double>{0.01, 0.01, 0.5});
  EXPECT_DOUBLE_EQ(q[0], 0.03);
  EXPECT_DOUBLE_EQ(q[1], 0.03);
}

TEST(Holm, KeepsThePlaceOfEachP) {
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03}), (std::vector<double>{0.03, 0.06, 0.06}));
}

TEST(Holm, CountsMembersThatWereNotTested) {
  const std::vector<double> padded = holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 1, 1});
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03}, 2),
            std::vector<double>(padded.begin(), padded.begin() + 3));
}

TEST(Holm, NothingGivesNothing) { EXPECT_TRUE(holm_adjusted(std::vector<double>{}).empty()); }

// By definition: the least level at which the step-up rule rejects i.
double slow_discovery_q(const std::vector<double>& p, std::size_t i) {
  double least = 1;
  for (const double bound : p) {
    if (bound < p[i]) continue;
    const auto rank = std::count_if(p.begin(), p.end(), [&](double other) { return other <= bound; });
    least = std::min(least, static_cast<double>(p.size()) * bound / static_cast<double>(rank));
  }
  return least;
}

TEST(FalseDiscovery, FindsWhatThePublishedExampleFinds) {
  // Benjamini and Hochberg 1995, section 4.1: at .05 their rule rejects the four smallest, Bonferroni's and Hochberg's
  // three.
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
  const std::vector<double> q = discovery_adjusted(p);
  EXPECT_EQ(std::count_if(q.begin(), q.end(), [](double value) { return value <= 0.05; }), 4);
  const std::vector<double> holm = holm_adjusted(p);
  EXPECT_EQ(std::count_if(holm.begin(), holm.end(), [](double value) { return value <= 0.05; }), 3);
}

TEST(FalseDiscovery, AgreesWithItsDefinitionAndIsNeverAboveHolm) {
  Simulation simulation(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> p;
    for (int i = 0; i < 20; ++i) {
      const double drawn = simulation.uniform();
      p.push_back(i % 4 == 0 ? 0.001 * drawn : i % 5 == 0 ? 0.5 : drawn);
    }
    const std::vector<double> q = discovery_adjusted(p);
    const std::vector<double> holm = holm_adjusted(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(q[i], slow_discovery_q(p, i), 1e-12);
      EXPECT_GE(q[i], p[i]);
      EXPECT_LE(q[i], holm[i] + 1e-12);
      for (std::size_t j = 0; j < p.size(); ++j) EXPECT_TRUE(p[i] > p[j] || q[i] <= q[j]);
    }
  }
}

TEST(FalseDiscovery, NothingGivesNothingAndOneKeepsItsP) {
  EXPECT_TRUE(discovery_adjusted({}).empty());
  EXPECT_THAT(discovery_adjusted(std::vector<double>{0.03}), ::testing::ElementsAre(0.03));
}

}  // namespace

}  // namespace steelyard::regress::adjusted_p_test
