// Input that is odd or broken has a defined answer each; and what all rows of a comparison share, what a calibration
// knows, does what it should to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "regress/ab/permutations.hpp"
#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::odd_input_test {
namespace {

using ::testing::IsEmpty;

SimulationOptions quiet(int rounds, Layout layout = Layout::duet) {
  SimulationOptions options;
  options.layout = layout;
  options.rounds = rounds;
  options.noise = {.drift = 0.01, .process = 0.003, .sample = 0.002, .burst_chance = 0};
  return options;
}

SimulatedPair drawn(SimulationOptions options, int changed = 0, double ratio = 1, std::uint64_t seed = 7) {
  options.changed_benchmarks = changed;
  options.ratio = ratio;
  return Simulation(seed).draw(options);
}

Judged judged(const SimulatedPair& pair, const Calibration* calibration = nullptr,
              const ComparisonPolicy& policy = {}) {
  return compare_runs(pair.baseline, pair.candidate, policy, calibration);
}

Comparison compared(const SimulatedPair& pair, const Calibration* calibration = nullptr) {
  return judged(pair, calibration).comparison;
}

ComparisonRow first_row(const SimulatedPair& pair) { return compared(pair).rows.at(0); }

// The reason of the first row.
template <class T>
T reason_in(const Judged& judged) {
  return std::get<T>(judged.facts.at(0).reason);
}

template <class T>
std::optional<T> caution_in(const Judged& judged) {
  for (const Caution& caution : judged.cautions) {
    if (const T* found = std::get_if<T>(&caution)) return *found;
  }
  return std::nullopt;
}

void for_each_value(Measurement& measurement, const auto& change) {
  for (InvocationSamples& samples : measurement.invocations) {
    for (double& value : samples.values) value = change(value);
  }
}

// One benchmark: a count of it, or that the budget did not reach it, or nothing.
enum class KnownOfIt { nothing, not_reached, count };

Run run_that_knows(KnownOfIt known) {
  Run run;
  run.invocations.resize(1);
  const BenchmarkId benchmark = parse_google_benchmark_name("a");
  if (known == KnownOfIt::not_reached) {
    run.failures.push_back({benchmark, std::string(kRealTime), -1, "the budget was spent", FailureKind::not_reached});
  }
  if (known == KnownOfIt::count) {
    Measurement& count = run.measurements.emplace_back();
    count.benchmark = benchmark;
    count.metric = *well_known_metric(kInstructions);
    count.invocations.push_back({0, {5}, {}});
  }
  return run;
}

// Of its time, which neither side has.
Verdict verdict_of(KnownOfIt baseline, KnownOfIt candidate, Rules rules = kNewestRules) {
  return compare_runs(run_that_knows(baseline), run_that_knows(candidate), {}, nullptr, rules)
      .comparison.rows.at(0)
      .verdict;
}

TEST(OddInput, WhatABudgetDidNotReachIsMissingOrNewWhereTheOtherSideDoesNotHaveIt) {
  using enum KnownOfIt;
  EXPECT_EQ(verdict_of(not_reached, nothing), Verdict::missing);
  EXPECT_EQ(verdict_of(nothing, not_reached), Verdict::fresh);
  EXPECT_EQ(verdict_of(not_reached, not_reached), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(not_reached, count), Verdict::inconclusive) << "both have it";
  EXPECT_EQ(verdict_of(count, not_reached), Verdict::inconclusive) << "both have it";
  EXPECT_EQ(verdict_of(not_reached, nothing, Rules::rounds_5), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(nothing, not_reached, Rules::rounds_5), Verdict::inconclusive);
}

TEST(OddInput, RoundsThatTheBudgetCutShortAreWarnedOfAndNoOthers) {
  const auto cut_short = [](Stop stop, const char* planned, bool looks = false) {
    SimulatedPair pair = drawn(quiet(12));
    for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
      run->header.settings["rounds_planned"] = planned;
      keep_stop(stop, 12, run->header.settings);
      if (looks) run->header.settings[std::string(kLooksSetting)] = "unread";
    }
    return caution_in<caution::RoundsCutShort>(judged(pair));
  };
  EXPECT_EQ(cut_short(Stop::budget_spent, "60"), (caution::RoundsCutShort{12, 12, 60}));
  EXPECT_EQ(cut_short(Stop::budget_spent, "12"), std::nullopt) << "all were measured";
  EXPECT_EQ(cut_short(Stop::budget_spent, "many"), std::nullopt);
  EXPECT_EQ(cut_short(Stop::interrupted, "60"), std::nullopt);
  EXPECT_EQ(cut_short(Stop::none, "60"), std::nullopt) << "a benchmark was given up";
  EXPECT_EQ(cut_short(Stop::budget_spent, "60", true), std::nullopt) << "each row's reason says so";

  SimulationOptions two = quiet(12);
  two.benchmarks = 2;
  SimulatedPair pair = drawn(two);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    run->measurements.at(0).invocations.resize(6);
    run->header.settings["rounds_planned"] = "12";
    keep_stop(Stop::budget_spent, 12, run->header.settings);
  }
  ComparisonPolicy policy;
  EXPECT_EQ(caution_in<caution::RoundsCutShort>(judged(pair)), (caution::RoundsCutShort{6, 12, 12}));
  PatternPolicy own;
  own.match = "BM_0";
  own.budget_ns = 1'000'000'000;
  policy.patterns = {own};
  EXPECT_EQ(caution_in<caution::RoundsCutShort>(judged(pair, nullptr, policy)), std::nullopt) << "more time is no help";
}

TEST(OddInput, NumbersOfRoundsThatNobodyMeasuredAreNoPartOfTheJointAdjustmentButByOlderRules) {
  SimulationOptions options = quiet(12);
  options.benchmarks = 3;
  const SimulatedPair pair = drawn(options, 1, 1.05);
  const auto q_of = [](const SimulatedPair& of, Rules rules) {
    std::vector<double> q;
    for (const ComparisonRow& row : compare_runs(of.baseline, of.candidate, {}, nullptr, rules).comparison.rows) {
      q.push_back(row.q.value());
    }
    return q;
  };
  const std::vector<double> whole = q_of(pair, kNewestRules);
  EXPECT_EQ(q_of(pair, Rules::rounds_6), whole) << "nothing is lacking";
  for (const int gap : {2, 1000}) {  // rounds that no side finished, and the second part of merged runs
    SimulatedPair with_gap = pair;
    for (steelyard::Run* run : {&with_gap.baseline, &with_gap.candidate}) {
      for (Invocation& invocation : run->invocations) invocation.round += invocation.round < 6 ? 0 : gap;
    }
    EXPECT_EQ(q_of(with_gap, kNewestRules), whole) << gap;
    EXPECT_NE(q_of(with_gap, Rules::rounds_6), whole) << gap;
  }
}

TEST(OddInput, OneSampleASideHasARatioAndNothingElse) {
  SimulatedPair pair = drawn(quiet(1));
  pair.baseline.measurements[0].invocations = {{0, {100.0}, {}}};
  pair.candidate.measurements[0].invocations = {{0, {150.0}, {}}};
  const ComparisonRow row = first_row(pair);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_NEAR(*row.ratio, 1.5, 1e-9);
  EXPECT_FALSE(row.p.has_value());
  EXPECT_FALSE(row.interval.has_value());
  EXPECT_FALSE(reason_in<why::OneInvocation>(judged(pair)).noise);
}

TEST(OddInput, OneSampleAProcessIsEnoughWhereThereAreRounds) {
  SimulatedPair pair = drawn(quiet(12), 1, 1.1);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    for (InvocationSamples& samples : run->measurements[0].invocations) samples.values.resize(1);
  }
  EXPECT_EQ(first_row(pair).verdict, Verdict::regression);
}

TEST(OddInput, SidesWithoutAnySpreadAreToldApart) {
  SimulatedPair pair = drawn(quiet(12));
  for_each_value(pair.baseline.measurements[0], [](double) { return 100.0; });
  for_each_value(pair.candidate.measurements[0], [](double) { return 105.0; });
  const ComparisonRow row = first_row(pair);
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_NEAR(*row.ratio, 1.05, 1e-6);
  EXPECT_GT(*row.p, 0);
}

TEST(OddInput, AValueWithoutALogarithmFailsItsRowOnly) {
  SimulationOptions options = quiet(12);
  options.benchmarks = 3;
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    SimulatedPair pair = drawn(options, 3, 1.1);
    pair.baseline.measurements[1].invocations[2].values[0] = bad;
    const Comparison comparison = compared(pair);
    EXPECT_EQ(comparison.rows.at(0).verdict, Verdict::regression);
    EXPECT_EQ(comparison.rows.at(1).verdict, Verdict::failed);
    const auto with = std::get<why::WithDefect>(judged(pair).facts.at(1).reason);
    EXPECT_EQ(with.side, WhichSide::baseline);
    EXPECT_EQ(with.defect.round, 2);
    EXPECT_EQ(comparison.rows.at(2).verdict, Verdict::regression);
  }
}

TEST(OddInput, TheSmallestAndTheLargestNumbersHaveARatio) {
  for (const double level : {std::numeric_limits<double>::denorm_min() * 1000, 1e300}) {
    SimulatedPair pair = drawn(quiet(12), 1, 1.1);
    for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
      for_each_value(run->measurements[0], [&](double value) { return value / 1000 * level; });
    }
    const ComparisonRow row = first_row(pair);
    ASSERT_TRUE(row.ratio.has_value());
    EXPECT_TRUE(std::isfinite(*row.ratio));
    EXPECT_NEAR(*row.ratio, 1.1, 0.02);
  }
}

TEST(OddInput, AClockOfWholeNanosecondsKeepsTheLevel) {
  // Levels of 3 ns, read to 1 ns: nearly all values tie.
  int alarms = 0;
  constexpr int kTries = 200;
  SimulationOptions options = quiet(12);
  options.noise = {.drift = 0.05, .process = 0.1, .sample = 0.1, .burst_chance = 0};
  Simulation simulation(11);
  for (int i = 0; i < kTries; ++i) {
    SimulatedPair pair = simulation.draw(options);
    for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
      for_each_value(run->measurements[0], [](double value) { return std::max(1.0, std::round(value * 0.003)); });
    }
    const ComparisonRow row = first_row(pair);
    ASSERT_TRUE(row.p.has_value());
    EXPECT_GT(*row.p, 0);
    const bool holds_no_change = !row.interval || (row.interval->low <= 1 && row.interval->high >= 1);
    EXPECT_TRUE(!row.interval || holds_no_change == (*row.p > 0.05)) << *row.p;
    alarms += *row.p <= 0.05 ? 1 : 0;
  }
  // P(more than 20 of 200 at .05) is .001.
  EXPECT_LE(alarms, 20);
}

TEST(OddInput, AThousandTimesMoreSamplesOnOneSideAreNoEvidence) {
  int alarms = 0;
  constexpr int kTries = 40;
  SimulationOptions options = quiet(12);
  options.samples = 1000;
  for (int i = 0; i < kTries; ++i) {
    SimulatedPair pair = drawn(options, 0, 1, 100 + static_cast<std::uint64_t>(i));
    steelyard::Run& fewer = i % 2 == 0 ? pair.baseline : pair.candidate;
    for (InvocationSamples& samples : fewer.measurements[0].invocations) samples.values.resize(1);
    const ComparisonRow row = first_row(pair);
    EXPECT_EQ(row.rounds, 12);
    alarms += *row.p <= 0.05 ? 1 : 0;
  }
  EXPECT_LE(alarms, 8);  // P(more than 8 of 40 at .05) is .0001
}

TEST(OddInput, AThousandTimesMoreProcessesOnOneSideAreJudgedByTheFewer) {
  SimulatedPair pair = drawn(quiet(12000, Layout::sequential));
  pair.candidate.measurements[0].invocations.resize(12);
  const ComparisonRow row = first_row(pair);
  EXPECT_EQ(row.rounds, 12);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  ASSERT_TRUE(row.p.has_value());
}

TEST(OddInput, RoundsThatLackASideTakeNoPart) {
  SimulatedPair pair = drawn(quiet(20), 1, 1.1);
  auto& b = pair.baseline.measurements[0].invocations;
  auto& c = pair.candidate.measurements[0].invocations;
  b.erase(b.begin(), b.begin() + 3);
  c.erase(c.end() - 4, c.end());
  const ComparisonRow row = first_row(pair);
  EXPECT_EQ(row.rounds, 13);
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_EQ(judged(pair).facts.at(0).dropped_rounds, 7);
}

TEST(OddInput, RoundsThatNeverHaveBothSidesAreUnpaired) {
  SimulatedPair pair = drawn(quiet(24), 1, 1.3);
  auto& b = pair.baseline.measurements[0].invocations;
  auto& c = pair.candidate.measurements[0].invocations;
  b.erase(b.begin() + 12, b.end());
  c.erase(c.begin(), c.begin() + 12);
  const ComparisonRow row = first_row(pair);
  EXPECT_EQ(row.test, TestKind::invocations);
  EXPECT_EQ(row.rounds, 12);
}

TEST(OddInput, FewProcessesWithoutRoundsAreNotCalledRounds) {
  SimulatedPair pair = drawn(quiet(6), 1, 1.3);
  pair.baseline.measurements[0].invocations.resize(3);
  auto& c = pair.candidate.measurements[0].invocations;
  c.erase(c.begin(), c.begin() + 3);
  const Judged few = judged(pair);
  EXPECT_EQ(few.comparison.rows.at(0).rounds, 3);
  EXPECT_EQ(few.facts.at(0).unpaired, (SideInvocations{3, 3}));
  EXPECT_EQ(reason_in<why::TooFewUnits>(few).rounds_needed, 12);
  const Judged apart = judged(drawn(quiet(3, Layout::sequential), 1, 1.3));
  EXPECT_EQ(apart.comparison.rows.at(0).rounds, 3);
  EXPECT_TRUE(apart.facts.at(0).unpaired);
  EXPECT_EQ(reason_in<why::TooFewUnits>(apart).rounds_needed, 12);
}

TEST(OddInput, ADirectionThatDiffersIsIncomparable) {
  SimulatedPair pair = drawn(quiet(12));
  pair.candidate.measurements[0].metric.better = Better::higher;
  const ComparisonRow row = first_row(pair);
  EXPECT_EQ(row.verdict, Verdict::incomparable);
  const auto metrics = reason_in<why::MetricsDiffer>(judged(pair));
  EXPECT_EQ(metrics.aspect, why::MetricAspect::direction);
  EXPECT_EQ(metrics.baseline, "lower");
  EXPECT_EQ(metrics.candidate, "higher");
}

TEST(OddInput, AUnitThatDiffersIsIncomparableInAnyPieceOfASide) {
  for (const bool of_candidate : {false, true}) {
    SimulatedPair pair = drawn(quiet(12));
    steelyard::Run& run = of_candidate ? pair.candidate : pair.baseline;
    run.measurements.push_back(run.measurements[0]);
    run.measurements[1].metric.unit = "us";
    const ComparisonRow row = first_row(pair);
    EXPECT_EQ(row.verdict, Verdict::incomparable);
    const auto metrics = reason_in<why::MetricsDiffer>(judged(pair));
    EXPECT_EQ(metrics.aspect, of_candidate ? why::MetricAspect::unit : why::MetricAspect::within_baseline);
    EXPECT_EQ(metrics.candidate, of_candidate ? "us" : "");
  }
}

TEST(OddInput, ABenchmarkThatDisappearedIsMissingAndNeverUnchanged) {
  SimulationOptions options = quiet(12);
  options.benchmarks = 2;
  SimulatedPair pair = drawn(options);
  pair.candidate.measurements.pop_back();
  EXPECT_EQ(compared(pair).rows.at(1).verdict, Verdict::missing);
  pair.candidate.measurements.clear();
  for (const ComparisonRow& row : compared(pair).rows) EXPECT_EQ(row.verdict, Verdict::missing);
}

TEST(OddInput, TwoEmptyRunsHaveNoRows) {
  EXPECT_THAT(compare_runs(steelyard::Run{}, steelyard::Run{}, {}).comparison.rows, IsEmpty());
}

TEST(Apart, AChangeOfOneAmongManyIsFoundAndTheSharedDriftIsTold) {
  SimulationOptions options = quiet(15, Layout::sequential);
  options.benchmarks = 13;
  SimulatedPair pair = drawn(options, 1, 1.15);
  for (Measurement& measurement : pair.candidate.measurements) {
    for_each_value(measurement, [](double value) { return value * 1.04; });
  }
  const Judged found = judged(pair);
  const Comparison& comparison = found.comparison;
  EXPECT_EQ(comparison.rows.at(0).verdict, Verdict::regression);
  EXPECT_NEAR(*comparison.rows.at(0).ratio, 1.15, 0.03);
  ASSERT_TRUE(found.facts.at(0).movement);
  EXPECT_EQ(found.facts[0].movement->benchmarks, 13);
  EXPECT_NEAR(found.facts[0].movement->common, 1.04, 0.02);
  EXPECT_FALSE(found.facts[0].movement->by_rounds_2);
  for (std::size_t i = 1; i < comparison.rows.size(); ++i) {
    EXPECT_EQ(comparison.rows[i].verdict, Verdict::inconclusive) << comparison.rows[i].benchmark;
  }
  ASSERT_EQ(comparison.drifts.size(), 1U);
  EXPECT_NEAR(comparison.drifts[0].ratio, 1.04, 0.02);
  EXPECT_TRUE(comparison.drifts[0].removed);
  EXPECT_TRUE(caution_in<caution::MovedTogether>(found).value().removed);
}

TEST(Apart, AChangeOfAllIsNeverHidden) {
  SimulationOptions options = quiet(15, Layout::sequential);
  options.benchmarks = 13;
  const auto small = caution_in<caution::MovedTogether>(judged(drawn(options, 13, 1.05))).value();
  EXPECT_EQ(small.benchmarks, 13);
  EXPECT_EQ(small.metric, kRealTime);
  EXPECT_GT(small.ratio, 1);
  // More than machines drift is a change.
  const Judged large = judged(drawn(options, 13, 1.4));
  EXPECT_FALSE(caution_in<caution::MovedTogether>(large).value().removed);
  for (const ComparisonRow& row : large.comparison.rows) EXPECT_EQ(row.verdict, Verdict::regression) << row.benchmark;
}

TEST(Together, TheSharedDriftIsShownAndNotTakenOff) {
  SimulationOptions options = quiet(15);
  options.benchmarks = 6;
  const Judged found = judged(drawn(options, 6, 1.05));
  const Comparison& comparison = found.comparison;
  ASSERT_EQ(comparison.drifts.size(), 1U);
  EXPECT_FALSE(comparison.drifts[0].removed);
  EXPECT_NEAR(comparison.drifts[0].ratio, 1.05, 0.01);
  EXPECT_FALSE(caution_in<caution::MovedTogether>(found));
  for (const ComparisonRow& row : comparison.rows) EXPECT_EQ(row.verdict, Verdict::regression);
}

TEST(Many, TenThousandRowsAreAdjustedAndTold) {
  SimulationOptions options = quiet(2);
  options.samples = 1;
  options.benchmarks = 10000;
  const SimulatedPair pair = drawn(options);
  const Comparison comparison = compared(pair);
  ASSERT_EQ(comparison.rows.size(), 10000U);
  for (const ComparisonRow& row : comparison.rows) {
    ASSERT_TRUE(row.q && row.discovery_q);
    EXPECT_GE(*row.q, *row.discovery_q);
    EXPECT_GE(*row.discovery_q, *row.p);
  }
}

struct Calibrated {
  SimulatedPair pair = drawn(quiet(12));
  Calibration calibration;
  explicit Calibrated(double floor) {
    for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) run->environment.set("cpu.model", "x", true);
    calibration.fingerprint = pair.candidate.environment.fingerprint();
    calibration.rounds = 16;
    CalibratedBenchmark benchmark;
    benchmark.benchmark = "BM_0";
    benchmark.metric = "real_time";
    benchmark.floor = floor;
    benchmark.alarms.tries = calibration.false_gates.tries = 10;
    calibration.benchmarks = {benchmark};
  }
  ComparisonRow row() const { return compared(pair, &calibration).rows.at(0); }
};

TEST(Calibrated, TheNoiseFloorIsTheLeastMargin) {
  EXPECT_EQ(Calibrated(0.04).row().margin, 0.04);
  EXPECT_EQ(Calibrated(0.001).row().margin, 0.02);
  Calibrated other(0.04);
  other.calibration.fingerprint = "of another machine";
  EXPECT_EQ(other.row().margin, 0.02);
  EXPECT_FALSE(compared(other.pair, &other.calibration).calibration.has_value());
}

TEST(Calibrated, NothingIsUnchangedWithinAFloorThatNobodyCouldMean) {
  Calibrated noisy(0.34);
  for (Measurement* side : {&noisy.pair.baseline.measurements[0], &noisy.pair.candidate.measurements[0]}) {
    double sign = 1;
    for (InvocationSamples& samples : side->invocations) {
      for (double& value : samples.values) value *= 1 + 0.15 * (sign = -sign);
    }
  }
  const ComparisonRow row = noisy.row();
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.margin, 0.02);
  EXPECT_FALSE(row.rounds_wanted) << "no number of rounds would tell";
  EXPECT_EQ(reason_in<why::FloorBeyond>(judged(noisy.pair, &noisy.calibration)).floor, 0.34);
  EXPECT_EQ(Calibrated(0.34).row().verdict, Verdict::inconclusive) << "quiet today, and calibrated otherwise";
  EXPECT_EQ(compare_runs(noisy.pair.baseline, noisy.pair.candidate, {}, &noisy.calibration, Rules::rounds_2)
                .comparison.rows.at(0)
                .margin,
            0.34)
      << "as it was judged before";
}

TEST(Calibrated, AFloorBeyondHidesNoChange) {
  Calibrated noisy(0.34);
  for_each_value(noisy.pair.candidate.measurements[0], [](double value) { return value * 1.3; });
  EXPECT_EQ(noisy.row().verdict, Verdict::regression);
}

TEST(Calibrated, OfTooFewGatesIsNotUsedAndSaidSo) {
  Calibrated few(0.08);
  few.calibration.false_gates = {0, 3, {0, 0.708}};
  few.calibration.benchmarks[0].alarms.tries = 3;
  const Judged found = judged(few.pair, &few.calibration);
  EXPECT_FALSE(found.comparison.calibration);
  EXPECT_EQ(found.comparison.rows.at(0).margin, 0.02);
  EXPECT_EQ(caution_in<caution::CalibrationOfTooFewGates>(found).value().gates.tries, 3);
  few.calibration.failed = true;
  EXPECT_EQ(few.row().verdict, Verdict::inconclusive);
}

TEST(Calibrated, StandsInForWhatOneProcessASideDoesNotHold) {
  Calibrated given(0.01);
  for (steelyard::Run* run : {&given.pair.baseline, &given.pair.candidate}) {
    run->measurements[0].invocations.resize(1);
  }
  const ComparisonRow row = given.row();
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_FALSE(row.p.has_value());
  ASSERT_TRUE(row.interval.has_value());
  EXPECT_NEAR(row.interval->high / *row.ratio, std::pow(1.01, 4), 1e-6);
  const auto one = reason_in<why::OneInvocation>(judged(given.pair, &given.calibration));
  ASSERT_TRUE(one.noise);
  EXPECT_NEAR(one.noise->most, std::pow(1.01, 4) - 1, 1e-12);
  EXPECT_EQ(one.noise->is_within, std::fabs(one.noise->ratio - 1) < 0.04);
}

TEST(Calibrated, AMachineThatFailedGetsNoVerdicts) {
  Calibrated given(0.01);
  for_each_value(given.pair.candidate.measurements[0], [](double value) { return value * 1.3; });
  ASSERT_EQ(given.row().verdict, Verdict::regression);
  given.calibration.failed = true;
  given.calibration.reason = "9 of 20 A/A gates called a change";
  const Judged found = judged(given.pair, &given.calibration);
  EXPECT_EQ(found.comparison.rows.at(0).verdict, Verdict::inconclusive);
  EXPECT_TRUE(found.facts.at(0).calibration_failed);
  EXPECT_TRUE(std::holds_alternative<why::Changed>(found.facts[0].reason)) << "what was seen is kept";
}

// A bisect divides its level: what it asks for must not become the usual 5 %.
TEST(CompareRuns, PoliciesOutOfRangeAreHeldToTheNearerEnd) {
  const auto used = [](double rate) {
    ComparisonPolicy policy;
    policy.false_alarm_rate = rate;
    const Judged judged = compare_runs(steelyard::Run{}, steelyard::Run{}, policy);
    const bool is_told =
        !judged.cautions.empty() && std::holds_alternative<caution::PolicyOutOfRange>(judged.cautions.front());
    EXPECT_EQ(is_told, judged.comparison.policy.false_alarm_rate != rate) << rate;
    return judged.comparison.policy.false_alarm_rate;
  };
  EXPECT_EQ(used(0.0001 * 0.1 / 2 / 3), 0.0001 * 0.1 / 2 / 3);
  EXPECT_EQ(used(1e-12), kMinFalseAlarmRate);
  EXPECT_EQ(used(0.9), 0.5);
  EXPECT_EQ(used(0), 0.05);
}

}  // namespace
}  // namespace steelyard::regress::odd_input_test
