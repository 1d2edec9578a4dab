#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/ab/verdict.hpp"

namespace steelyard::regress {
namespace {

using ::testing::HasSubstr;

struct Given {
  double ratio = 1;
  double error = 0.004;
  double p = 1;
  double q = 1;
  int units = 15;
  bool within_margin = false;
  Layout layout = Layout::duet;
  std::int64_t comparisons = 1;
};

ComparisonRow decided(const Given& given) {
  ComparisonRow row;
  row.metric = *well_known_metric(kRealTime);
  row.layout = given.layout;
  row.q = given.q;
  NoisyEvidence evidence;
  evidence.effect.test = "rounds";
  evidence.effect.units = given.units;
  evidence.effect.log_ratio = std::log(given.ratio);
  evidence.effect.p = given.p;
  evidence.effect.standard_error = given.error;
  evidence.effect.min_p = 1e-6;
  evidence.effect.within_margin = given.within_margin;
  const double half = 1.96 * given.error;
  evidence.effect.interval = Interval{evidence.effect.log_ratio - half, evidence.effect.log_ratio + half};
  evidence.drift.deviation = 0.037;
  decide(evidence, {0.05, given.comparisons}, row);
  return row;
}

TEST(Decide, SignificantAndRelevantIsAVerdict) {
  EXPECT_EQ(decided({.ratio = 1.05, .p = 0.001, .q = 0.01}).verdict, Verdict::regression);
  EXPECT_EQ(decided({.ratio = 0.95, .p = 0.001, .q = 0.01}).verdict, Verdict::improvement);
}

TEST(Decide, TheReasonOfARegressionHasSizeRoundsIntervalAndEvidence) {
  EXPECT_EQ(decided({.ratio = 1.05, .p = 0.001, .q = 0.01}).reason,
            "5 % slower in 15 rounds, 95 % interval +4.18 % to +5.83 %, adjusted p 0.01");
}

TEST(Decide, SignificantBelowTheMinimumEffectIsNoRegression) {
  const ComparisonRow row = decided({.ratio = 1.008, .p = 0.001, .q = 0.01});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("significant but below the minimum effect of 1 %"));
  EXPECT_EQ(decided({.ratio = 1.008, .p = 0.001, .q = 0.01, .within_margin = true}).verdict, Verdict::unchanged);
}

TEST(Decide, WhatHolmTakesBackIsSaid) {
  const ComparisonRow row = decided({.ratio = 1.05, .p = 0.01, .q = 0.4, .comparisons = 40});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("p = 0.01 alone, but 0.4 among 40 comparisons"));
}

TEST(Decide, NotSignificantIsNeverUnchangedByItself) {
  const ComparisonRow row = decided({.ratio = 1.005, .error = 0.02, .p = 0.6, .q = 0.6});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("too noisy"));
  EXPECT_THAT(row.reason, HasSubstr("rounds would tell"));
}

TEST(Decide, FewerThanSixRoundsAreInconclusiveHoweverClear) {
  EXPECT_EQ(decided({.ratio = 1.5, .p = 0.0001, .q = 0.0001, .units = 5}).verdict, Verdict::inconclusive);
  EXPECT_EQ(decided({.units = 5, .within_margin = true}).verdict, Verdict::inconclusive);
}

TEST(Decide, SidesThatWereNotMeasuredTogetherAreNeverShownUnchanged) {
  const ComparisonRow row = decided({.within_margin = true, .layout = Layout::sequential});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("measure both builds together"));
}

TEST(Decide, BeyondDriftTheMinimumEffectMustBeExcludedAsWell) {
  Given given{.ratio = 1.02, .error = 0.0075, .p = 0.01, .q = 0.01, .layout = Layout::sequential};
  EXPECT_EQ(decided(given).verdict, Verdict::inconclusive);
  given.layout = Layout::interleaved;
  EXPECT_EQ(decided(given).verdict, Verdict::regression);
}

ComparisonRow apart(double ratio, const ErrorParts& error, double q = 1) {
  ComparisonRow row;
  row.metric = *well_known_metric(kRealTime);
  row.layout = Layout::sequential;
  row.q = q;
  NoisyEvidence evidence;
  evidence.error = error;
  evidence.effect.test = "drift-widened t";
  evidence.effect.units = 15;
  evidence.effect.log_ratio = std::log(ratio);
  evidence.effect.p = q;
  const double all = std::hypot(error.scatter, error.drift);
  evidence.effect.standard_error = all;
  evidence.effect.interval = Interval{std::log(ratio) - 1.96 * all, std::log(ratio) + 1.96 * all};
  evidence.drift.deviation = error.drift;
  decide(evidence, {0.05, 29}, row);
  return row;
}

TEST(Decide, DriftIsTheReasonOnlyWhereDriftIsWhatWidensTheInterval) {
  const ComparisonRow drift = apart(0.97, {.scatter = 0.004, .drift = 0.037});
  EXPECT_TRUE(drift.notes.has(RowNote::drift_explains)) << drift.reason;
  EXPECT_THAT(drift.reason,
              HasSubstr("drift between the sides could explain the -3.00 % (standard error of drift 3.7 %)"));
  const ComparisonRow scatter = apart(0.834, {.scatter = 0.12, .drift = 0.015});
  EXPECT_TRUE(scatter.notes.has(RowNote::scatter_explains)) << scatter.reason;
  EXPECT_THAT(scatter.reason, testing::Not(HasSubstr("drift")));
  EXPECT_THAT(scatter.reason, HasSubstr("the scatter of invocations could explain the -16.6 %"));
  const ComparisonRow both = apart(1.025, {.scatter = 0.01, .drift = 0.01});
  EXPECT_TRUE(both.notes.has(RowNote::both_explain)) << both.reason;
}

TEST(Decide, WhatOlderRulesKeptIsToldInTheirWords) {
  ComparisonRow row;
  row.metric = *well_known_metric(kRealTime);
  row.layout = Layout::sequential;
  NoisyEvidence evidence;
  evidence.told_by_rounds_2 = true;
  evidence.effect.units = 15;
  evidence.effect.log_ratio = std::log(0.834);
  evidence.seen = std::log(0.868);
  evidence.drift = {.common = std::log(1.041), .deviation = 0.015, .benchmarks = 29, .removed = true};
  decide(evidence, {0.05, 29}, row);
  EXPECT_EQ(
      row.reason,
      "all of one side was measured before the other: -13.2 % were seen, of which all 29 benchmarks share +4.10 %; "
      "the drift of one alone (standard deviation 1.5 %) could explain the remaining -16.6 %; measure both builds "
      "together with `steelyard ab`");
  EXPECT_EQ(row.notes, RowNotes{});
}

TEST(Decide, WhatNeitherDriftNorScatterExplainsIsNotSaidToBe) {
  const ComparisonRow small = apart(1.012, {.scatter = 0.004, .drift = 0.003}, 0.01);
  EXPECT_EQ(small.verdict, Verdict::inconclusive);
  EXPECT_EQ(small.notes, RowNotes{}) << small.reason;
  EXPECT_THAT(small.reason, HasSubstr("does not exclude a change below the minimum effect of 1 %"));
  EXPECT_THAT(small.reason, HasSubstr("measure both builds together"));
}

TEST(Decide, TheNotesAreThoseThatTheReasonTells) {
  for (const ComparisonRow& row :
       {apart(0.97, {0.004, 0.037}), apart(0.834, {0.12, 0.015}), apart(1.025, {0.01, 0.01}),
        apart(1.012, {0.004, 0.003}, 0.01), decided({.ratio = 1.005, .error = 0.02, .p = 0.6})}) {
    EXPECT_EQ(read_notes(row.reason), row.notes) << row.reason;
  }
}

Effect effect_with(double log_ratio, double error, int units = 16) {
  Effect effect;
  effect.units = units;
  effect.log_ratio = log_ratio;
  effect.standard_error = error;
  effect.min_p = 1e-6;
  return effect;
}

// 1.959964 + 0.841621 standard errors.
TEST(MinimumDetectableEffect, IsTheUsualSumOfTwoQuantiles) {
  EXPECT_NEAR(*minimum_detectable_effect(effect_with(0, 0.01), {0.05, 1}), std::expm1(0.02801585), 1e-7);
}

TEST(MinimumDetectableEffect, GrowsWithTheNumberOfComparisons) {
  const Effect effect = effect_with(0, 0.01);
  EXPECT_GT(*minimum_detectable_effect(effect, {0.05, 50}), *minimum_detectable_effect(effect, {0.05, 1}));
}

TEST(MinimumDetectableEffect, IsAbsentWhereTheLevelCannotBeReached) {
  Effect effect = effect_with(0, 0.01, 6);
  effect.min_p = 2.0 / 64;
  EXPECT_TRUE(minimum_detectable_effect(effect, {0.05, 1}).has_value());
  EXPECT_FALSE(minimum_detectable_effect(effect, {0.05, 2}).has_value());
  effect.standard_error.reset();
  EXPECT_FALSE(minimum_detectable_effect(effect, {0.05, 1}).has_value());
}

// 2 / C(12, 6) is above .05 / 50, and q that is adjusted jointly reaches .05 all the same.
TEST(MinimumDetectableEffect, OfAJointAdjustmentIsThatOfTheComparisonsThatItsRowsAreWorth) {
  Effect effect = effect_with(0, 0.01, 12);
  effect.min_p = 2.0 / 924;
  EXPECT_FALSE(minimum_detectable_effect(effect, {0.05, 50}).has_value());
  const Family joint{0.05, 50, 20.0};
  effect.min_p = 1e-6;
  const auto of_twenty = minimum_detectable_effect(effect, {0.05, 20});
  effect.min_p = 2.0 / 924;
  EXPECT_EQ(minimum_detectable_effect(effect, joint), of_twenty);
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.5, 0.001, 4), {joint}), 12);
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.5, 0.001, 4), {{0.05, 50}}), 14);
}

// 16 rounds with an error of .02 make .08 a round; (2.801585 * .08 / .04)^2 = 31.4.
TEST(RoundsThatWouldDecide, ScaleWithTheSquareOfTheNoise) {
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.04, 0.02), {}), 32);
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.04, 0.04), {}), 126);
}

// (1.644854 + 1.281552)^2 * .08^2 / log(1.02)^2 = 139.8.
TEST(RoundsThatWouldDecide, InsideTheMarginAimAtShowingNoChange) {
  EXPECT_EQ(rounds_that_would_decide(effect_with(0, 0.02), {}), 140);
}

TEST(RoundsThatWouldDecide, AreMoreThanThereWereAndBounded) {
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.5, 0.001, 20), {}), 22);
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.021, 5), {}), kMaxRoundsNamed);
}

}  // namespace

}  // namespace steelyard::regress
