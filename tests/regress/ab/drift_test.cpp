#include "regress/ab/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

namespace steelyard::regress::drift_test {
namespace {

Effect effect_at(double log_ratio, double error = 0.005) {
  Effect effect;
  effect.test = TestKind::invocations;
  effect.units = 15;
  effect.log_ratio = log_ratio;
  effect.standard_error = error;
  effect.p = 0.001;
  effect.within_margin = true;
  return effect;
}

std::vector<DriftEvidence> evidence_at(const std::vector<double>& ratios, double error = 0.005) {
  std::vector<DriftEvidence> evidence;
  for (const double ratio : ratios) evidence.push_back({ratio, error, 0});
  return evidence;
}

TEST(EstimateDrift, FewBenchmarksGiveWhatIsUsual) {
  const Drift drift = estimate_drift(evidence_at({0.2, 0.2, 0.2, 0.2}), Layout::sequential);
  EXPECT_FALSE(drift.estimated);
  EXPECT_FALSE(drift.removed);
  EXPECT_EQ(drift.common, 0);
  EXPECT_DOUBLE_EQ(drift.deviation, 0.037);
  EXPECT_DOUBLE_EQ(estimate_drift({}, Layout::sequential, 0.02).deviation, 0.02);
  EXPECT_GT(estimate_drift({}, Layout::separate).deviation, drift.deviation);
}

TEST(EstimateDrift, ManyBenchmarksShowWhatTheyShareAndOneOutlierDoesNotMoveIt) {
  const std::vector<double> ratios{0.06, 0.08, 0.10, 0.12, 0.14};
  const Drift without = estimate_drift(evidence_at(ratios), Layout::separate);
  EXPECT_TRUE(without.removed);
  EXPECT_NEAR(without.common, 0.10, 1e-9);
  EXPECT_GT(without.deviation, 0.015);
  EXPECT_LT(without.deviation, 0.06);
  EXPECT_EQ(without.degrees, 8);
  std::vector<double> with = ratios;
  with.push_back(0.9);
  EXPECT_NEAR(estimate_drift(evidence_at(with), Layout::separate).common, 0.10, 1e-9);
}

TEST(EstimateDrift, AThirdThatChangedAlikeDoesNotCountAsDrift) {
  std::vector<double> ratios{-0.004, -0.003, -0.002, -0.001, 0, 0.001, 0.002, 0.003, 0.004};
  for (int i = 0; i < 4; ++i) ratios.push_back(0.05);
  const Drift drift = estimate_drift(evidence_at(ratios, 0.003), Layout::sequential);
  EXPECT_NEAR(drift.common, 0, 0.002);
  EXPECT_LT(drift.deviation, 0.012);
}

TEST(EstimateDrift, QuietBenchmarksSayMoreThanNoisyOnes) {
  std::vector<DriftEvidence> evidence = evidence_at({0.019, 0.020, 0.021}, 0.002);
  for (const DriftEvidence& noisy : evidence_at({-0.1, -0.08, -0.06, 0.15}, 0.1)) evidence.push_back(noisy);
  EXPECT_NEAR(estimate_drift(evidence, Layout::sequential).common, 0.02, 0.002);
}

TEST(EstimateDrift, AgreementNeverMeansCertainty) {
  const std::vector<DriftEvidence> alike = evidence_at(std::vector<double>(9, 0.01), 0);
  EXPECT_DOUBLE_EQ(estimate_drift(alike, Layout::sequential).deviation, 0.005);
  EXPECT_DOUBLE_EQ(estimate_drift(alike, Layout::separate).deviation, 0.015);
}

TEST(EstimateDrift, MoreThanMachinesDriftIsAChangeAndStays) {
  const std::vector<DriftEvidence> slow = evidence_at({0.298, 0.299, 0.300, 0.301, 0.302});
  const Drift sequential = estimate_drift(slow, Layout::sequential);
  EXPECT_TRUE(sequential.estimated);
  EXPECT_FALSE(sequential.removed);
  EXPECT_GE(sequential.deviation, 0.037);
  EXPECT_LT(*widen(effect_at(0.3), sequential, {}, 0.95).p, 0.001);
  EXPECT_TRUE(estimate_drift(slow, Layout::separate).removed);
}

TEST(EstimateDrift, AMachineThatMovedFarMovedNoTwoBenchmarksAlike) {
  const Drift far = estimate_drift(evidence_at(std::vector<double>(9, 0.4)), Layout::separate);
  EXPECT_TRUE(far.removed);
  EXPECT_NEAR(far.deviation, 0.06, 1e-9);
}

TEST(EstimateDrift, AMachineThatIsRestlessWithinASideMayDriftFartherBetweenThem) {
  std::vector<DriftEvidence> slow = evidence_at({0.298, 0.299, 0.300, 0.301, 0.302});
  for (DriftEvidence& one : slow) one.spread = 0.2;
  EXPECT_TRUE(estimate_drift(slow, Layout::sequential).removed);
}

TEST(SpreadOfProcesses, IsThatOfTheSideWhereTheyLieFarther) {
  std::vector<LogInvocation> calm(9);
  std::vector<LogInvocation> restless(9);
  for (int i = 0; i < 9; ++i) restless[static_cast<std::size_t>(i)].level = 0.1 * i;
  EXPECT_EQ(spread_of_processes(calm, calm), 0);
  EXPECT_NEAR(spread_of_processes(restless, calm), 0.4 / 1.349, 1e-12);
  EXPECT_EQ(spread_of_processes(restless, calm), spread_of_processes(calm, restless));
  EXPECT_EQ(spread_of_processes({}, {}), 0);
}

TEST(Widen, WhatIsRestlessWithinASideIsWidenedMore) {
  const Drift alone{.deviation = 0.037};
  EXPECT_GT(*widen(effect_at(0.3), alone, {.spread = 0.3}, 0.95).p, 0.05);
  EXPECT_LT(*widen(effect_at(0.3), alone, {.spread = 0.03}, 0.95).p, 0.001);
  const Drift of_suite{.deviation = 0.01, .estimated = true, .removed = true};
  EXPECT_EQ(*widen(effect_at(0.1), of_suite, {.spread = 0.05}, 0.95).p, *widen(effect_at(0.1), of_suite, {}, 0.95).p);
  EXPECT_GT(*widen(effect_at(0.1), of_suite, {.spread = 0.4}, 0.95).p, 0.05);
}

TEST(EstimateDrift, DoesNotDependOnTheOrderOfTheBenchmarks) {
  const Drift one = estimate_drift(evidence_at({0.01, 0.05, 0.02, 0.03, 0.9, 0.021}), Layout::sequential);
  const Drift other = estimate_drift(evidence_at({0.9, 0.021, 0.03, 0.02, 0.01, 0.05}), Layout::sequential);
  EXPECT_NEAR(one.common, other.common, 1e-12);
  EXPECT_NEAR(one.deviation, other.deviation, 1e-6);
}

TEST(AutocorrelationFactor, AWalkCountsForLessThanAlternation) {
  std::vector<LogInvocation> walk(12);
  std::vector<LogInvocation> alternation(12);
  for (int i = 0; i < 12; ++i) {
    walk[static_cast<std::size_t>(i)].level = i;
    alternation[static_cast<std::size_t>(i)].level = i % 2;
  }
  EXPECT_GT(autocorrelation_factor(walk, walk), 1.5);
  EXPECT_GT(autocorrelation_factor(walk, walk), autocorrelation_factor(walk, alternation));
  EXPECT_EQ(autocorrelation_factor(alternation, alternation), 1);
  const std::vector<LogInvocation> constant(12);
  EXPECT_EQ(autocorrelation_factor(constant, constant), 1);
  const std::span<const LogInvocation> few = std::span(walk).first(3);
  EXPECT_EQ(autocorrelation_factor(few, few), 1);
}

TEST(PartsOfError, MakeUpTheWidenedErrorAndCountUnrestAsScatter) {
  const Drift quiet{.common = 0.04, .common_error = 0.002, .deviation = 0.015, .estimated = true, .removed = true};
  for (const OwnNoise& own : {OwnNoise{}, OwnNoise{1.5, 0.05}, OwnNoise{1.2, 0.4}}) {
    const ErrorParts parts = parts_of_error(effect_at(0.1), quiet, own, 0.037);
    const double all = *widen(effect_at(0.1), quiet, own, 0.95).standard_error;
    EXPECT_NEAR(std::hypot(parts.scatter, parts.drift), all, 1e-12);
  }
  EXPECT_GT(parts_of_error(effect_at(0.1), quiet, {1, 0.4}).scatter, 0.1) << "half of what exceeds 10 %";
  EXPECT_NEAR(parts_of_error(effect_at(0.1), quiet, {1, 0.4}).drift, 0.002, 1e-12);
}

TEST(PartsOfError, OfTooFewBenchmarksWhatExceedsTheDriftOfMachinesIsScatter) {
  const double machines = drift_of_machines(Layout::sequential, std::nullopt);
  EXPECT_DOUBLE_EQ(machines, 0.037);
  EXPECT_DOUBLE_EQ(drift_of_machines(Layout::sequential, 0.02), 0.02);
  const std::vector<DriftEvidence> noisy{{0.1, 0.05, 0.25}};
  const Drift of_one = estimate_drift(noisy, Layout::sequential);
  for (const double spread : {0.2, 0.25, 0.3}) {
    const OwnNoise own{1, spread};
    const ErrorParts parts = parts_of_error(effect_at(0.1), of_one, own, machines);
    EXPECT_EQ(parts.drift, 0) << "spread " << spread;
    EXPECT_GE(parts.scatter, 0.25);
    EXPECT_NEAR(parts.scatter, *widen(effect_at(0.1), of_one, own, 0.95).standard_error, 1e-12);
  }
  const std::vector<DriftEvidence> quiet{{0.1, 0.05, 0.01}};
  EXPECT_DOUBLE_EQ(parts_of_error(effect_at(0.1), estimate_drift(quiet, Layout::sequential), {}, machines).drift,
                   0.037);
}

TEST(Widen, TheIntervalIsAtLeastAsWideAsTheDrift) {
  const Effect widened = widen(effect_at(0.05), {.common = 0, .deviation = 0.037}, {}, 0.95);
  EXPECT_LT(widened.interval->low, 0.05 - 1.95 * 0.037);
  EXPECT_GT(widened.interval->high, 0.05 + 1.95 * 0.037);
  EXPECT_GT(*widened.p, 0.05);
  EXPECT_FALSE(widened.within_margin);
}

TEST(Widen, WhatAllBenchmarksShareIsNotEvidence) {
  const Drift drift{.common = 0.1, .deviation = 0.01, .estimated = true, .removed = true};
  EXPECT_GT(*widen(effect_at(0.1), drift, {}, 0.95).p, 0.99);
  const Effect beyond = widen(effect_at(0.2), drift, {}, 0.95);
  EXPECT_LT(*beyond.p, 0.001);
  EXPECT_NEAR(beyond.log_ratio, 0.1, 1e-12);
}

TEST(Widen, TheErrorOfTheCommonDriftCounts) {
  const Drift known{.common = 0.1, .deviation = 0.01, .estimated = true, .removed = true};
  Drift guessed = known;
  guessed.common_error = 0.02;
  EXPECT_GT(*widen(effect_at(0.15), guessed, {}, 0.95).p, *widen(effect_at(0.15), known, {}, 0.95).p);
}

TEST(Widen, PAndIntervalNeverDisagree) {
  for (const double common : {-0.03, 0.0, 0.02}) {
    for (double ratio = -0.2; ratio < 0.2; ratio += 0.003) {
      for (const double degrees : {0.0, 6.0}) {
        const Effect widened =
            widen(effect_at(ratio), {.common = common, .deviation = 0.03, .degrees = degrees, .removed = true},
                  {.variance_factor = 1.5}, 0.95);
        EXPECT_EQ(*widened.p > 0.05, widened.interval->low <= 0 && widened.interval->high >= 0) << ratio;
      }
    }
  }
}

TEST(Widen, WithoutAnErrorThereIsNoP) {
  Effect effect = effect_at(0.1);
  effect.standard_error.reset();
  const Effect widened = widen(effect, {.deviation = 0.037}, {}, 0.95);
  EXPECT_FALSE(widened.p.has_value());
  EXPECT_FALSE(widened.interval.has_value());
}

}  // namespace
}  // namespace steelyard::regress::drift_test
