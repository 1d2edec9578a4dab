#include <gtest/gtest.h>

#include "regress/ab/confirmation.hpp"
#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::confirmation_test {
namespace {

SimulatedPair drawn(Layout layout, int rounds, double ratio, std::uint64_t seed) {
  SimulationOptions options;
  options.layout = layout;
  options.rounds = rounds;
  options.changed_benchmarks = 1;
  options.ratio = ratio;
  options.noise.drift = 0;
  options.noise.process = 0.001;
  options.noise.sample = 0.001;
  options.noise.burst_chance = 0;
  return Simulation(seed).draw(options);
}

void add_alone(const Run& alone, Run& run) {
  run.header.settings[std::string(kSoloSetting)] = "10 rounds";
  const auto offset = static_cast<std::uint32_t>(run.invocations.size());
  run.invocations.insert(run.invocations.end(), alone.invocations.begin(), alone.invocations.end());
  for (Measurement measurement : alone.measurements) {
    for (InvocationSamples& samples : measurement.invocations) samples.invocation += offset;
    run.measurements.push_back(as_alone(measurement));
  }
}

// A duet that shows `in_duet` and what the same sides show alone.
SimulatedPair checked(double in_duet, double alone) {
  SimulatedPair pair = drawn(Layout::duet, 12, in_duet, 1);
  const SimulatedPair solo = drawn(Layout::interleaved, 10, alone, 2);
  add_alone(solo.baseline, pair.baseline);
  add_alone(solo.candidate, pair.candidate);
  return pair;
}

ComparisonRow only_row(const SimulatedPair& pair) {
  const Judged judged = compare_runs(pair.baseline, pair.candidate, {});
  EXPECT_EQ(judged.comparison.rows.size(), 1U);
  for (const Caution& caution : judged.cautions) {
    EXPECT_FALSE(std::holds_alternative<caution::MetricWithoutDirection>(caution)) << "of what was measured alone";
  }
  return judged.comparison.rows.at(0);
}

std::optional<AloneFact> alone_fact(const SimulatedPair& pair, Rules rules = kNewestRules) {
  return compare_runs(pair.baseline, pair.candidate, {}, nullptr, rules).facts.at(0).alone;
}

bool is_changed(const SimulatedPair& pair) {
  return std::holds_alternative<why::Changed>(compare_runs(pair.baseline, pair.candidate, {}).facts.at(0).reason);
}

TEST(SoloCheck, TellsWhatTheChangeIsAloneAndLeavesTheVerdictAsItWas) {
  const ComparisonRow duet = only_row(drawn(Layout::duet, 12, 1.1, 1));
  ASSERT_EQ(duet.verdict, Verdict::regression);
  ComparisonRow row = only_row(checked(1.1, 1.05));
  ASSERT_TRUE(row.solo);
  EXPECT_EQ(row.solo->agrees, true);
  EXPECT_EQ(row.solo->rounds, 10);
  EXPECT_NEAR(row.solo->ratio, 1.05, 0.005);
  ASSERT_TRUE(row.solo->interval);
  EXPECT_LT(row.solo->interval->low, 1.05);
  EXPECT_GT(row.solo->interval->high, 1.05);
  EXPECT_EQ(alone_fact(checked(1.1, 1.05)).value().answer, AloneAnswer::told);
  EXPECT_TRUE(is_changed(checked(1.1, 1.05)));
  row.solo.reset();
  EXPECT_EQ(row, duet) << "nothing else may change";
}

TEST(SoloCheck, IsWhatTheSameSamplesAreJudgedToBeByThemselves) {
  const ComparisonRow row = only_row(checked(1.1, 1.05));
  const ComparisonRow alone = only_row(drawn(Layout::interleaved, 10, 1.05, 2));
  ASSERT_TRUE(row.solo && alone.ratio);
  EXPECT_EQ(row.solo->ratio, *alone.ratio);
  EXPECT_EQ(row.solo->interval, alone.interval);
}

TEST(SoloCheck, AChangeOfWhichNothingIsLeftAloneIsInconclusive) {
  for (const double in_duet : {1.1, 0.9}) {
    const ComparisonRow duet = only_row(drawn(Layout::duet, 12, in_duet, 1));
    ASSERT_EQ(duet.verdict, in_duet > 1 ? Verdict::regression : Verdict::improvement);
    const ComparisonRow row = only_row(checked(in_duet, 1));
    EXPECT_EQ(row.verdict, Verdict::inconclusive);
    EXPECT_TRUE(row.notes.has(RowNote::contradicted_alone));
    ASSERT_TRUE(row.solo);
    EXPECT_EQ(row.solo->agrees, false);
    EXPECT_EQ(alone_fact(checked(in_duet, 1)).value().answer, AloneAnswer::below_minimum);
    EXPECT_TRUE(is_changed(checked(in_duet, 1))) << "what the duet saw is kept";
    EXPECT_EQ(row.ratio, duet.ratio);
    EXPECT_EQ(row.q, duet.q);
  }
}

TEST(SoloCheck, AChangeThatIsExcludedAloneIsInconclusiveThoughAloneIsTooWideForLess) {
  SimulatedPair pair = drawn(Layout::duet, 12, 1.15, 1);
  SimulationOptions wide;
  wide.layout = Layout::interleaved;
  wide.rounds = 10;
  wide.noise.drift = 0;
  wide.noise.process = 0.02;
  wide.noise.sample = 0.001;
  wide.noise.burst_chance = 0;
  const SimulatedPair solo = Simulation(2).draw(wide);
  add_alone(solo.baseline, pair.baseline);
  add_alone(solo.candidate, pair.candidate);
  const ComparisonRow row = only_row(pair);
  ASSERT_TRUE(row.solo && row.solo->interval && row.interval);
  ASSERT_GT(row.solo->interval->high, 1.01) << "it leaves room for the minimum effect";
  ASSERT_LT(row.solo->interval->high, row.interval->low);
  EXPECT_EQ(row.solo->agrees, false);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(alone_fact(pair).value().answer, AloneAnswer::excludes_all);
}

TEST(SoloCheck, ByTheRulesBeforeDecidesNothing) {
  const SimulatedPair pair = checked(1.1, 1);
  const Comparison comparison = compare_runs(pair.baseline, pair.candidate, {}, nullptr, Rules::rounds_2).comparison;
  EXPECT_EQ(comparison.rule_version, "rounds-2");
  EXPECT_EQ(comparison.rows.at(0).verdict, Verdict::regression);
  EXPECT_EQ(alone_fact(pair, Rules::rounds_2).value().answer, AloneAnswer::told_by_rounds_2);
}

TEST(SoloCheck, SaysThatAloneIsTheOppositeWhereItIs) {
  const ComparisonRow row = only_row(checked(1.15, 0.95));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(alone_fact(checked(1.15, 0.95)).value().answer, AloneAnswer::opposite);
}

TEST(SoloCheck, SaysThatAChangeIsSurelySmallerAlone) {
  const ComparisonRow row = only_row(checked(1.15, 1.03));
  ASSERT_TRUE(row.solo && row.solo->interval && row.interval);
  ASSERT_LT(row.solo->interval->high, row.interval->low);
  EXPECT_EQ(row.verdict, Verdict::regression) << "it is there by more than the minimum effect";
  EXPECT_EQ(agreement(row), Agreement::smaller);
  EXPECT_FALSE(alone_fact(checked(1.15, 1.03)).value().before_rounds_4);
}

TEST(SoloCheck, IsToldByTheRulesItWasJudgedBy) {
  const SimulatedPair smaller = checked(1.15, 1.03);
  const auto by_3 = compare_runs(smaller.baseline, smaller.candidate, {}, nullptr, Rules::rounds_3).comparison;
  EXPECT_EQ(by_3.rule_version, "rounds-3");
  EXPECT_EQ(alone_fact(smaller, Rules::rounds_3).value().answer, AloneAnswer::told);
  EXPECT_TRUE(alone_fact(smaller, Rules::rounds_3)->before_rounds_4);
  EXPECT_EQ(alone_fact(checked(1.15, 0.95), Rules::rounds_3).value().answer, AloneAnswer::below_minimum);
}

TEST(SoloCheck, AgreesOrNotAndThenMoreOrLess) {
  ComparisonRow row;
  row.solo = SoloCheck{1.05, Interval{1.02, 1.08}, 10, true};
  EXPECT_EQ(agreement(row), Agreement::agrees);
  row.ratio = 1.1;
  row.interval = Interval{1.07, 1.12};
  EXPECT_EQ(agreement(row), Agreement::agrees);
  row.interval = Interval{1.09, 1.12};
  EXPECT_EQ(agreement(row), Agreement::smaller);
  row.interval = Interval{1.005, 1.01};
  EXPECT_EQ(agreement(row), Agreement::larger);
  row.solo->agrees = std::nullopt;
  EXPECT_EQ(agreement(row), Agreement::too_wide);
  row.solo->agrees = false;
  EXPECT_EQ(agreement(row), Agreement::contradicts);
}

TEST(SoloCheck, SaysWhatTheTimeDidNotReach) {
  SimulatedPair pair = drawn(Layout::duet, 12, 1.1, 1);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate})
    run->header.settings[std::string(kSoloSetting)] = "10 rounds";
  const ComparisonRow row = only_row(pair);
  EXPECT_FALSE(row.solo);
  EXPECT_TRUE(row.notes.has(RowNote::not_confirmed_alone));
  EXPECT_EQ(alone_fact(pair).value().answer, AloneAnswer::not_measured);
  EXPECT_EQ(alone_fact(pair, Rules::rounds_3).value().answer, AloneAnswer::not_reached);
}

TEST(SoloCheck, IsOfNothingButAChangeInADuetOfOneThread) {
  EXPECT_FALSE(only_row(checked(1, 1.1)).solo) << "unchanged in the duet";
  SimulatedPair in_turns = checked(1.1, 1.1);
  in_turns.baseline.header.layout = in_turns.candidate.header.layout = Layout::interleaved;
  EXPECT_FALSE(only_row(in_turns).solo);
  SimulatedPair threads = drawn(Layout::duet, 12, 1.1, 1);
  for (steelyard::Run* run : {&threads.baseline, &threads.candidate}) {
    run->header.settings[std::string(kSoloSetting)] = "10 rounds";
    run->measurements.at(0).benchmark.threads = 2;
  }
  const ComparisonRow row = only_row(threads);
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_FALSE(alone_fact(threads));
}

TEST(AgreesAlone, FollowsFromWhereTheIntervalLies) {
  ComparisonRow slower;
  slower.ratio = 1.05;
  slower.minimum_effect = 0.01;
  EXPECT_EQ(agrees_alone(slower, std::nullopt), std::nullopt);
  EXPECT_EQ(agrees_alone(slower, Interval{1.001, 1.02}), true);
  EXPECT_EQ(agrees_alone(slower, Interval{0.999, 1.02}), std::nullopt);
  EXPECT_EQ(agrees_alone(slower, Interval{0.98, 1.009}), false);
  EXPECT_EQ(agrees_alone(slower, Interval{1.001, 1.009}), false) << "there, and too small to matter";
  EXPECT_EQ(agrees_alone(slower, Interval{0.9, 0.95}), false) << "the other way";
  ComparisonRow faster = slower;
  faster.ratio = 0.95;
  EXPECT_EQ(agrees_alone(faster, Interval{0.98, 0.999}), true);
  EXPECT_EQ(agrees_alone(faster, Interval{0.98, 1.001}), std::nullopt);
  EXPECT_EQ(agrees_alone(faster, Interval{0.991, 1.01}), false);
}

TEST(AgreesAlone, NotWhereAllThatTheDuetSawIsExcluded) {
  ComparisonRow slower;
  slower.ratio = 1.149;
  slower.minimum_effect = 0.01;
  slower.interval = Interval{1.018, 1.358};
  EXPECT_EQ(agrees_alone(slower, Interval{0.9859, 1.0128}), false);
  EXPECT_EQ(agrees_alone(slower, Interval{0.9859, 1.0128}, Rules::rounds_2), std::nullopt);
  EXPECT_EQ(agrees_alone(slower, Interval{0.9859, 1.0181}), std::nullopt) << "they meet";
  EXPECT_EQ(agrees_alone(slower, Interval{1.001, 1.017}), false) << "there, and maybe too small to matter";
  EXPECT_EQ(agrees_alone(slower, Interval{1.01, 1.017}), true) << "smaller, and large enough";
  EXPECT_EQ(agrees_alone(slower, Interval{1.4, 1.5}), true) << "larger";
  ComparisonRow faster = slower;
  faster.ratio = 0.87;
  faster.interval = Interval{0.8, 0.97};
  EXPECT_EQ(agrees_alone(faster, Interval{0.98, 1.02}), false);
  EXPECT_EQ(agrees_alone(faster, Interval{0.96, 1.02}), std::nullopt);
  EXPECT_EQ(agrees_alone(faster, Interval{0.98, 0.99}), true);
  EXPECT_EQ(agrees_alone(faster, Interval{0.7, 0.75}), true);
}

struct Device {
  double cycles = 0;
  double clock_hz = 0;
};

Run run_with(const Device& device) {
  Run run;
  run.invocations.resize(2);
  const auto add = [&](std::string_view metric, double value) {
    Measurement measurement;
    measurement.benchmark.name = "matmul";
    measurement.metric = *well_known_metric(metric);
    measurement.invocations = {{0, {value, value, value * 1.5}, {}}, {1, {value}, {}}};
    run.measurements.push_back(std::move(measurement));
  };
  if (device.cycles > 0) add(kDeviceCycles, device.cycles);
  if (device.clock_hz > 0) add(kSmClock, device.clock_hz);
  return run;
}

ComparisonRow changed(double ratio, Verdict verdict = Verdict::regression) {
  ComparisonRow row;
  row.benchmark = "matmul";
  row.metric = *well_known_metric(kRealTime);
  row.ratio = ratio;
  row.verdict = verdict;
  return row;
}

std::optional<DeviceClock> told(const Device& before, const Device& now, ComparisonRow row,
                                Rules rules = kNewestRules) {
  std::vector<RowDraft> drafts{{std::move(row)}};
  check_device_clock(run_with(before), run_with(now), drafts, rules);
  return drafts[0].facts.device;
}

TEST(DeviceClockCheck, SaysThatTheClockDidItWhereTheCyclesStoodStill) {
  const auto clock = told({1e5, 1.98e9}, {1.001e5, 1.65e9}, changed(1.2));
  ASSERT_TRUE(clock);
  EXPECT_TRUE(clock->stood_still);
  EXPECT_NEAR(clock->cycles_ratio, 1.001, 1e-12);
  EXPECT_EQ(clock->baseline_hz, 1.98e9);
  EXPECT_EQ(clock->candidate_hz, 1.65e9);
}

TEST(DeviceClockCheck, ConfirmsAChangeOfTheCode) {
  EXPECT_FALSE(told({1e5, 1.98e9}, {1.2e5, 1.98e9}, changed(1.2)).value().stood_still);
}

TEST(DeviceClockCheck, ASmallChangeOfTimeIsNotTheClocksBecauseTheCyclesChangedLittleToo) {
  const auto clock = told({1e5, 0}, {1.009e5, 0}, changed(1.012));
  EXPECT_FALSE(clock.value().stood_still);
  EXPECT_FALSE(clock->baseline_hz) << "no clock is known";
}

TEST(DeviceClockCheck, CyclesThatMovedByTheMinimumEffectDidNotStandStill) {
  EXPECT_FALSE(told({1e5, 0}, {1.01e5, 0}, changed(1.2)).value().stood_still);
  EXPECT_TRUE(told({1e5, 0}, {1.01e5, 0}, changed(1.2), Rules::rounds_6).value().stood_still);
  const ComparisonRow faster = changed(0.8, Verdict::improvement);
  EXPECT_TRUE(told({1e5, 0}, {0.99005e5, 0}, faster).value().stood_still);
  EXPECT_FALSE(told({1e5, 0}, {0.99005e5, 0}, faster, Rules::rounds_6).value().stood_still);
}

TEST(DeviceClockCheck, KeepsSilentWithoutCyclesOrWithoutAChange) {
  EXPECT_FALSE(told({}, {1e5, 1e9}, changed(1.2)));
  EXPECT_FALSE(told({1e5, 1e9}, {}, changed(1.2)));
  EXPECT_FALSE(told({1e5, 1e9}, {1e5, 1e9}, changed(1.2, Verdict::inconclusive)));
  ComparisonRow other = changed(1.2);
  other.benchmark = "add";
  EXPECT_FALSE(told({1e5, 1e9}, {1e5, 1e9}, other));
}

}  // namespace

}  // namespace steelyard::regress::confirmation_test
