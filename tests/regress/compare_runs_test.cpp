#include "regress/compare_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/model/adjusted_p.hpp"
#include "regress/ab/permutations.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::compare_runs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SimulatedPair pair_with(double ratio, int rounds, Layout layout = Layout::duet) {
  SimulationOptions options;
  options.layout = layout;
  options.rounds = rounds;
  options.ratio = ratio;
  options.changed_benchmarks = 1;
  options.noise = {.drift = 0.01, .process = 0.003, .sample = 0.002, .burst_chance = 0};
  return Simulation(7).draw(options);
}

ComparisonRow only_row(const SimulatedPair& pair, const ComparisonPolicy& policy = {}) {
  const Comparison comparison = compare_runs(pair.baseline, pair.candidate, policy).comparison;
  EXPECT_EQ(comparison.rows.size(), 1U);
  return comparison.rows.empty() ? ComparisonRow{} : comparison.rows.front();
}

RowFacts first_facts(const Run& baseline, const Run& candidate, Rules rules = kNewestRules) {
  const Judged judged = compare_runs(baseline, candidate, {}, nullptr, rules);
  EXPECT_EQ(judged.facts.size(), judged.comparison.rows.size());
  EXPECT_EQ(judged.gate_notes.size(), judged.comparison.rows.size());
  return judged.facts.at(0);
}

RowFacts only_facts(const SimulatedPair& pair) { return first_facts(pair.baseline, pair.candidate); }

template <class T>
bool is(const RowFacts& facts) {
  return std::holds_alternative<T>(facts.reason);
}

Measurement counted(const std::string& benchmark, std::vector<double> values, const std::string& key = "cpu=x;libc=1") {
  Measurement measurement;
  measurement.benchmark = parse_google_benchmark_name(benchmark);
  measurement.metric = *well_known_metric(kInstructions);
  measurement.count_key = key;
  measurement.invocations.push_back({0, std::move(values), {}});
  return measurement;
}

Run run_with(std::vector<Measurement> measurements) {
  Run run;
  run.invocations.resize(1);
  run.measurements = std::move(measurements);
  return run;
}

TEST(CompareRuns, SaysOfATimeWhatItsCyclesMovedByAndOfNothingElse) {
  SimulatedPair pair = pair_with(1.05, 12);
  EXPECT_FALSE(only_row(pair).cycles_ratio);
  for (auto* run : {&pair.baseline, &pair.candidate}) {
    Measurement cycles = run->measurements.front();
    cycles.metric = *well_known_metric("hardware_cycles");
    run->measurements.push_back(std::move(cycles));
  }
  ComparisonPolicy policy;
  policy.metrics = {"real_time", "hardware_cycles"};
  const Comparison comparison = compare_runs(pair.baseline, pair.candidate, policy).comparison;
  ASSERT_EQ(comparison.rows.size(), 2U);
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.name != kRealTime) {
      EXPECT_FALSE(row.cycles_ratio);
    } else {
      ASSERT_TRUE(row.cycles_ratio);
      EXPECT_EQ(*row.cycles_ratio, *row.ratio) << "the same numbers";
    }
  }
}

TEST(CompareRuns, FindsASlowdownAndSaysHowMuch) {
  const ComparisonRow row = only_row(pair_with(1.05, 12));
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_EQ(row.test, TestKind::rounds);
  EXPECT_EQ(row.rounds, 12);
  EXPECT_NEAR(*row.ratio, 1.05, 0.01);
  EXPECT_LT(row.interval->low, 1.05);
  EXPECT_GT(row.interval->high, 1.05);
  EXPECT_LE(*row.q, 0.05);
  const RowFacts facts = only_facts(pair_with(1.05, 12));
  EXPECT_TRUE(is<why::Changed>(facts));
  EXPECT_FALSE(facts.unpaired);
}

TEST(CompareRuns, DifferentInputsAreDifferentConditions) {
  SimulatedPair pair = pair_with(1.05, 12);
  pair.baseline.labels["BM_0"] = "steelyard_item:0123456789abcdef seed:0";
  EXPECT_EQ(only_row(pair).verdict, Verdict::regression);  // the candidate does not say
  pair.candidate.labels["BM_0"] = "steelyard_item:0123456789abcdef seed:1 index:3";
  EXPECT_EQ(only_row(pair).verdict, Verdict::regression);
  pair.candidate.labels["BM_0"] = "steelyard_item:fedcba9876543210 seed:0";
  EXPECT_EQ(only_row(pair).verdict, Verdict::incomparable);
  const auto items = std::get<why::InputsDiffer>(only_facts(pair).reason);
  EXPECT_EQ(items.baseline, "0123456789abcdef");
  EXPECT_EQ(items.candidate, "fedcba9876543210");
}

TEST(CompareRuns, CallsASpeedupAnImprovement) {
  const ComparisonRow row = only_row(pair_with(0.9, 12));
  EXPECT_EQ(row.verdict, Verdict::improvement);
  EXPECT_LT(*row.ratio, 1);
}

TEST(CompareRuns, MoreIsBetterWhereTheMetricSaysSo) {
  SimulatedPair pair = pair_with(1.05, 12);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    run->measurements[0].metric = {"bandwidth", "bytes/s", Better::higher, MetricKind::noisy};
  }
  ComparisonPolicy policy;
  policy.metrics = {"bandwidth"};
  EXPECT_EQ(only_row(pair, policy).verdict, Verdict::improvement);
}

// The runner does so, because two threads do not fit on one core.
TEST(CompareRuns, SaysThatABenchmarkOfSeveralThreadsWasInterleavedInADuet) {
  SimulatedPair pair = pair_with(1.5, 12);
  EXPECT_EQ(only_row(pair).layout, Layout::duet);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) run->header.settings["several_threads"] = "interleaved";
  EXPECT_EQ(only_row(pair).layout, Layout::duet) << "of one thread";
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) run->measurements[0].benchmark.threads = 2;
  EXPECT_EQ(only_row(pair).layout, Layout::interleaved);
  EXPECT_EQ(only_row(pair).verdict, Verdict::regression);
  pair.baseline.header.settings.clear();
  EXPECT_EQ(only_row(pair).layout, Layout::duet) << "who measured otherwise says nothing of it";
}

TEST(CompareRuns, EqualQuietBuildsAreShownUnchanged) {
  const ComparisonRow row = only_row(pair_with(1, 12));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_GT(*row.p, 0.05);
  EXPECT_LT(*row.minimum_detectable_effect, 0.02);
}

TEST(CompareRuns, NoiseIsInconclusiveAndNamesTheRoundsThatWouldDo) {
  SimulationOptions options;
  options.rounds = 12;
  options.noise.process = 0.08;
  const SimulatedPair pair = Simulation(3).draw(options);
  const ComparisonRow row = only_row(pair);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_TRUE(is<why::TooNoisy>(only_facts(pair)));
  EXPECT_GT(row.rounds_wanted.value(), 12);
}

TEST(CompareRuns, FiveRoundsGiveAPAndNoVerdict) {
  const ComparisonRow row = only_row(pair_with(1.5, 5));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.test, TestKind::levels);
  EXPECT_LT(*row.p, 0.001);
  EXPECT_EQ(row.rounds, 5);
  EXPECT_EQ(std::get<why::TooFewUnits>(only_facts(pair_with(1.5, 5)).reason).rounds_needed, 12);
}

TEST(CompareRuns, SixRoundsAreEnoughForAVerdict) {
  const ComparisonRow row = only_row(pair_with(1.5, 6));
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_DOUBLE_EQ(*row.p, 2.0 / 64);
}

TEST(CompareRuns, OneInvocationASideHasNoP) {
  const ComparisonRow row = only_row(pair_with(1.5, 1));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.test, TestKind::none);
  EXPECT_FALSE(row.p.has_value());
  EXPECT_FALSE(row.interval.has_value());
  const auto one = std::get<why::OneInvocation>(only_facts(pair_with(1.5, 1)).reason);
  EXPECT_EQ(one.rounds_needed, 12);
  EXPECT_FALSE(one.noise) << "nothing is calibrated";
}

TEST(CompareRuns, RoundsThatLackASideAreCounted) {
  SimulatedPair pair = pair_with(1.05, 12);
  pair.candidate.measurements[0].invocations.erase(pair.candidate.measurements[0].invocations.begin());
  const ComparisonRow row = only_row(pair);
  EXPECT_EQ(row.rounds, 11);
  EXPECT_EQ(only_facts(pair).dropped_rounds, 1);
}

TEST(CompareRuns, SequentialSidesNeedMoreThanDriftExplains) {
  const ComparisonRow small = only_row(pair_with(1.05, 15, Layout::sequential));
  EXPECT_EQ(small.verdict, Verdict::inconclusive);
  EXPECT_TRUE(std::get<why::Apart>(only_facts(pair_with(1.05, 15, Layout::sequential)).reason).cause);
  EXPECT_EQ(only_row(pair_with(1.3, 15, Layout::sequential)).verdict, Verdict::regression);
}

TEST(CompareRuns, DifferentSessionsAreSeparateOccasions) {
  SimulatedPair pair = pair_with(1.05, 12);
  pair.candidate.header.session = "another";
  const ComparisonRow row = only_row(pair);
  EXPECT_EQ(row.layout, Layout::separate);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
}

TEST(CompareRuns, ExactlyEqualSamplesHaveRatioOneAndNoEvidence) {
  SimulatedPair pair = pair_with(1, 12);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    for (InvocationSamples& samples : run->measurements[0].invocations) samples.values.assign(5, 100.0);
  }
  const ComparisonRow row = only_row(pair);
  EXPECT_EQ(*row.ratio, 1);
  EXPECT_EQ(*row.p, 1);
  EXPECT_EQ(*row.interval, (Interval{1, 1}));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
}

TEST(CompareRuns, ValuesWithoutALogarithmFailTheRow) {
  for (const double bad :
       {0.0, -3.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    SimulatedPair pair = pair_with(1, 12);
    pair.candidate.measurements[0].invocations[4].values[1] = bad;
    const ComparisonRow row = only_row(pair);
    EXPECT_EQ(row.verdict, Verdict::failed);
    const auto with = std::get<why::WithDefect>(only_facts(pair).reason);
    EXPECT_EQ(with.side, WhichSide::candidate);
    EXPECT_EQ(with.defect.kind, DefectKind::no_logarithm);
    EXPECT_EQ(with.defect.round, 4);
    EXPECT_FALSE(row.p.has_value());
  }
}

TEST(CompareRuns, CountsAreComparedExactly) {
  const steelyard::Run before = run_with({counted("BM_sort/64", {11013})});
  const ComparisonRow row = compare_runs(before, run_with({counted("BM_sort/64", {12447})}), {}).comparison.rows.at(0);
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_EQ(row.test, TestKind::exact);
  EXPECT_FALSE(row.p.has_value());
  EXPECT_EQ(row.baseline, 11013);
  EXPECT_EQ(row.candidate, 12447);
  EXPECT_EQ(compare_runs(before, before, {}).comparison.rows.at(0).verdict, Verdict::unchanged);
}

TEST(CompareRuns, CountsUnderDifferentKeysAreIncomparable) {
  const steelyard::Run baseline = run_with({counted("a", {5})});
  const steelyard::Run candidate = run_with({counted("a", {6}, "cpu=y;libc=1")});
  EXPECT_EQ(compare_runs(baseline, candidate, {}).comparison.rows.at(0).verdict, Verdict::incomparable);
  const auto keys = std::get<why::CountKeysDiffer>(first_facts(baseline, candidate).reason);
  EXPECT_THAT(keys.baseline, ElementsAre("cpu=x"));
  EXPECT_THAT(keys.candidate, ElementsAre("cpu=y"));
}

TEST(CompareRuns, BenchmarksOfOneSideAreMissingOrNew) {
  const Comparison comparison =
      compare_runs(run_with({counted("old", {5})}), run_with({counted("a_new", {5})}), {}).comparison;
  ASSERT_EQ(comparison.rows.size(), 2U);
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::fresh);
  EXPECT_EQ(comparison.rows[1].verdict, Verdict::missing);
}

TEST(CompareRuns, AFailureIsARowThatNamesTheSideAndTheWords) {
  steelyard::Run candidate = run_with({});
  candidate.failures.push_back({parse_google_benchmark_name("a"), "", 2, "killed by signal 11"});
  const Judged judged = compare_runs(run_with({counted("a", {5})}), candidate, {});
  EXPECT_EQ(judged.comparison.rows.at(0).verdict, Verdict::failed);
  const auto failed = std::get<why::Failed>(judged.facts.at(0).reason);
  EXPECT_EQ(failed.side, WhichSide::candidate);
  EXPECT_EQ(failed.failure, candidate.failures.front());
}

// One side of "a": a time, or what it said when it skipped itself, or both, or nothing.
struct SkipSide {
  bool has_time = false;
  std::optional<FailureKind> skip = {};
  std::string words = "no AVX10 here";
};

struct SkippedRow {
  Verdict verdict;
  why::Skipped why;
  RowNotes notes;
};

SkippedRow row_of_skips(const SkipSide& baseline, const SkipSide& candidate) {
  const auto run_of = [](const SkipSide& side) {
    steelyard::Run run = run_with({});
    if (side.has_time) run = run_with({counted("a", {5})});
    if (side.skip) {
      run.failures.push_back({parse_google_benchmark_name("a"), "", 0, side.words, *side.skip});
    }
    return run;
  };
  const Judged judged = compare_runs(run_of(baseline), run_of(candidate), {});
  const ComparisonRow& row = judged.comparison.rows.at(0);
  return {row.verdict, std::get<why::Skipped>(judged.facts.at(0).reason), row.notes};
}

TEST(CompareRuns, WhatSkipsItselfOnBothSidesIsSkippedWithItsWordsWhicheverWay) {
  constexpr auto kWords = FailureKind::skipped;
  constexpr auto kError = FailureKind::reported_error;
  EXPECT_EQ(row_of_skips({false, kWords}, {false, kWords}).verdict, Verdict::skipped);
  EXPECT_EQ(row_of_skips({false, kWords}, {false, kWords}).why.baseline, (why::OwnSkip{false, false, "no AVX10 here"}));
  EXPECT_EQ(row_of_skips({false, kError}, {false, kError}).verdict, Verdict::skipped);
  const SkippedRow mixed = row_of_skips({false, kWords}, {false, kError, "no license"});
  EXPECT_EQ(mixed.verdict, Verdict::skipped);
  EXPECT_EQ(mixed.why.baseline, (why::OwnSkip{false, false, "no AVX10 here"}));
  EXPECT_EQ(mixed.why.candidate, (why::OwnSkip{true, false, "no license"}));
  EXPECT_FALSE(mixed.why.some_conditions_only);
}

TEST(CompareRuns, WhatSkipsItselfOnOneSideIsMissingOrNewWithItsWords) {
  for (const FailureKind kind : {FailureKind::skipped, FailureKind::reported_error}) {
    const SkippedRow lost = row_of_skips({true}, {false, kind});
    EXPECT_EQ(lost.verdict, Verdict::missing);
    EXPECT_FALSE(lost.why.baseline);
    ASSERT_TRUE(lost.why.candidate);
    EXPECT_EQ(lost.why.candidate->words, "no AVX10 here");
    EXPECT_EQ(lost.why.candidate->by_error, kind == FailureKind::reported_error);
    EXPECT_FALSE(lost.why.other_lacks_it);
    const SkippedRow found = row_of_skips({false, kind}, {true});
    EXPECT_EQ(found.verdict, Verdict::fresh);
    EXPECT_TRUE(found.why.baseline);
    EXPECT_FALSE(found.why.candidate);
    EXPECT_TRUE(found.notes.has(RowNote::skipped_by_baseline));
  }
}

TEST(CompareRuns, ABenchmarkThatOneSideLacksAndTheOtherSkipsIsLostOnlyByAnErrorOfTheCandidate) {
  EXPECT_EQ(row_of_skips({}, {false, FailureKind::skipped}).verdict, Verdict::skipped);
  EXPECT_TRUE(row_of_skips({}, {false, FailureKind::skipped}).why.other_lacks_it);
  EXPECT_EQ(row_of_skips({}, {false, FailureKind::reported_error}).verdict, Verdict::missing);
  EXPECT_EQ(row_of_skips({false, FailureKind::skipped}, {}).verdict, Verdict::skipped);
  EXPECT_EQ(row_of_skips({false, FailureKind::reported_error}, {}).verdict, Verdict::skipped);
}

TEST(CompareRuns, WhatSkipsItselfInPartOfItsRepetitionsIsNeverUnchanged) {
  constexpr auto kError = FailureKind::reported_error;
  const SkippedRow candidate = row_of_skips({true}, {true, kError});
  EXPECT_EQ(candidate.verdict, Verdict::missing);
  ASSERT_TRUE(candidate.why.candidate);
  EXPECT_TRUE(candidate.why.candidate->in_part);
  EXPECT_EQ(row_of_skips({true, kError}, {false, kError}).verdict, Verdict::missing);
  for (const SkippedRow& row : {row_of_skips({true, kError}, {true}), row_of_skips({true, kError}, {true, kError}),
                                row_of_skips({false, kError}, {true, kError})}) {
    EXPECT_EQ(row.verdict, Verdict::inconclusive);
    EXPECT_TRUE(row.why.some_conditions_only);
  }
}

TEST(CompareRuns, ACrashIsToldBeforeASkip) {
  steelyard::Run skipping = run_with({});
  skipping.failures.push_back({parse_google_benchmark_name("a"), "", 0, "", FailureKind::skipped});
  steelyard::Run crashing = run_with({});
  crashing.failures.push_back({parse_google_benchmark_name("a"), "", 0, "killed by signal 11"});
  EXPECT_EQ(compare_runs(skipping, crashing, {}).comparison.rows.at(0).verdict, Verdict::failed);
  EXPECT_EQ(compare_runs(crashing, skipping, {}).comparison.rows.at(0).verdict, Verdict::failed);
  EXPECT_FALSE(compare_runs(skipping, crashing, {}).comparison.rows.at(0).only_baseline_failed);
  EXPECT_TRUE(compare_runs(crashing, skipping, {}).comparison.rows.at(0).only_baseline_failed);
}

TEST(CompareRuns, WhatTheBudgetDidNotReachIsInconclusiveAndNobodysFailure) {
  steelyard::Run run = run_with({counted("a", {5})});
  for (const char* name : {"b", "a"}) {
    run.failures.push_back(
        {parse_google_benchmark_name(name), "", -1, "the budget was spent", FailureKind::not_reached});
  }
  const Comparison comparison = compare_runs(run, run, {}).comparison;
  for (const ComparisonRow& row : comparison.rows) {
    const bool was_counted = row.benchmark == "a" && row.metric.name == kInstructions;
    EXPECT_EQ(row.verdict, was_counted ? Verdict::unchanged : Verdict::inconclusive) << row.benchmark;
  }
  EXPECT_EQ(comparison.count_by_verdict().at(static_cast<std::size_t>(Verdict::unchanged)), 1);
}

TEST(CompareRuns, AProgramThatFailsAsAWholeIsNeverDropped) {
  steelyard::Run candidate;
  candidate.failures.push_back({{}, "", -1, "no such file"});
  EXPECT_EQ(compare_runs(steelyard::Run{}, candidate, {}).comparison.rows.at(0).verdict, Verdict::failed);
}

TEST(CompareRuns, DifferentMachinesAreIncomparableUnlessTheFactIsIgnored) {
  steelyard::Run baseline = run_with({counted("a", {5})});
  steelyard::Run candidate = run_with({counted("a", {6})});
  baseline.environment.set("cpu.model", "Xeon", true);
  candidate.environment.set("cpu.model", "EPYC", true);
  const Judged judged = compare_runs(baseline, candidate, {});
  EXPECT_EQ(judged.comparison.rows.at(0).verdict, Verdict::incomparable);
  EXPECT_TRUE(is<why::OnDifferentMachines>(judged.facts.at(0)));
  ASSERT_TRUE(judged.machines);
  EXPECT_TRUE(judged.machines->is_sure);
  EXPECT_THAT(judged.machines->facts, ElementsAre(FactDifference{"cpu.model", "Xeon", "EPYC", true}));
  ComparisonPolicy policy;
  policy.ignored_facts = {"cpu.model"};
  EXPECT_EQ(compare_runs(baseline, candidate, policy).comparison.rows.at(0).verdict, Verdict::regression);
}

TEST(CompareRuns, FactsOfTheProgramsThemselvesAreNoDifferenceOfTheEnvironment) {
  steelyard::Run baseline = run_with({counted("a", {5})});
  steelyard::Run candidate = run_with({counted("a", {5})});
  baseline.environment.set("program.sha256", "aa", false);
  candidate.environment.set("program.sha256", "bb", false);
  baseline.environment.set("libc", "2.36", false);
  candidate.environment.set("libc", "2.41", false);
  const Comparison comparison = compare_runs(baseline, candidate, {}).comparison;
  ASSERT_EQ(comparison.environment_differences.size(), 1U);
  EXPECT_EQ(comparison.environment_differences[0].name, "libc");
}

TEST(CompareRuns, WhatOneSideDidNotRecordIsNotSaidToDiffer) {
  steelyard::Run baseline = run_with({counted("a", {5})});
  steelyard::Run candidate = run_with({counted("a", {6})});
  baseline.environment.set("cpu.model", "Xeon", true);
  candidate.environment.set("cpu.model", "Xeon", true);
  candidate.environment.set("cpu.cores", "2", true);
  const Judged judged = compare_runs(baseline, candidate, {});
  EXPECT_EQ(judged.comparison.rows.at(0).verdict, Verdict::incomparable);
  EXPECT_FALSE(judged.machines.value().is_sure);
  EXPECT_THAT(judged.machines->facts, ElementsAre(FactDifference{"cpu.cores", "", "2", true}));
  EXPECT_TRUE(compare_runs(baseline, candidate, {}, nullptr, Rules::rounds_3).machines.value().is_sure)
      << "as it was told then";
  candidate.environment.set("cpu.model", "EPYC", true);
  EXPECT_TRUE(compare_runs(baseline, candidate, {}).machines.value().is_sure);
}

TEST(CompareRuns, SidesThatDoNotNameTheirMachineAreWarnedAbout) {
  const Judged judged = compare_runs(steelyard::Run{}, steelyard::Run{}, {});
  ASSERT_EQ(judged.cautions.size(), 1U);
  EXPECT_EQ(std::get<caution::MachineNotNamed>(judged.cautions[0]).side, WhichSide::both);
}

TEST(CompareRuns, UnitsThatDifferAreIncomparable) {
  SimulatedPair pair = pair_with(1, 12);
  pair.candidate.measurements[0].metric.unit = "us";
  EXPECT_EQ(only_row(pair).verdict, Verdict::incomparable);
}

TEST(CompareRuns, MetricsNobodyAskedForGetNoRow) {
  SimulatedPair pair = pair_with(1, 12);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate})
    run->measurements[0].metric = *well_known_metric(kCpuTime);
  EXPECT_THAT(compare_runs(pair.baseline, pair.candidate, {}).comparison.rows, IsEmpty());
}

TEST(CompareRuns, RowsStandByBenchmarkThenMetric) {
  SimulatedPair pair = pair_with(1, 12);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    run->measurements.push_back(counted("BM_0", {5}));
    run->measurements.push_back(counted("A", {5}));
  }
  std::vector<std::string> order;
  for (const ComparisonRow& row : compare_runs(pair.baseline, pair.candidate, {}).comparison.rows) {
    order.push_back(row.benchmark + " " + row.metric.name);
  }
  EXPECT_THAT(order, ElementsAre("A instructions", "BM_0 real_time", "BM_0 instructions"));
}

TEST(CompareRuns, SameInputGivesTheSameComparison) {
  const SimulatedPair pair = pair_with(1.02, 15);
  EXPECT_EQ(compare_runs(pair.baseline, pair.candidate, {}).comparison,
            compare_runs(pair.baseline, pair.candidate, {}).comparison);
}

// The benchmark's sides were never measured in the same round.
void tear_apart(const std::string& benchmark, SimulatedPair& pair) {
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    for (Measurement& measurement : run->measurements) {
      if (measurement.benchmark.canonical() != benchmark) continue;
      std::erase_if(measurement.invocations, [&](const InvocationSamples& samples) {
        return (run->invocations[samples.invocation].round % 2 == 0) == (run == &pair.baseline);
      });
    }
  }
}

TEST(CompareRuns, OneRowWithoutPairsLeavesTheOthersAdjustedJointly) {
  SimulationOptions options;
  options.rounds = 12;
  options.benchmarks = 60;
  options.changed_benchmarks = 1;
  options.ratio = 1.25;
  options.noise.burst_chance = 0;
  SimulatedPair pair = Simulation(4).draw(options);
  SimulatedPair without = pair;
  for (steelyard::Run* run : {&without.baseline, &without.candidate}) {
    std::erase_if(run->measurements, [](const Measurement& one) { return one.benchmark.canonical() == "BM_59"; });
  }
  tear_apart("BM_59", pair);
  const Comparison now = compare_runs(pair.baseline, pair.candidate, {}).comparison;
  const Comparison others = compare_runs(without.baseline, without.candidate, {}).comparison;
  const Comparison before = compare_runs(pair.baseline, pair.candidate, {}, nullptr, Rules::rounds_4).comparison;
  EXPECT_EQ(adjusted_rows(now), (AdjustedRows{59, 1}));
  EXPECT_EQ(adjusted_rows(before), (AdjustedRows{0, 60}));
  const auto row_of = [](const Comparison& comparison, const std::string& benchmark) -> const ComparisonRow& {
    return *std::find_if(comparison.rows.begin(), comparison.rows.end(),
                         [&](const ComparisonRow& row) { return row.benchmark == benchmark; });
  };
  EXPECT_EQ(row_of(now, "BM_0").verdict, Verdict::regression);
  EXPECT_NE(row_of(before, "BM_0").verdict, Verdict::regression) << "Holm's rule over 12 rounds can call nothing";
  // Each has the part of the level that is its by number.
  for (const ComparisonRow& row : others.rows) {
    EXPECT_NEAR(*row_of(now, row.benchmark).q, std::min(1.0, *row.q * 60 / 59), 1e-9) << row.benchmark;
  }
  const ComparisonRow& apart = row_of(now, "BM_59");
  EXPECT_EQ(apart.test, TestKind::invocations);
  EXPECT_NEAR(*apart.q, std::min(1.0, *apart.p * 60), 1e-9);
  EXPECT_FALSE(is_jointly_adjusted(now, apart));
  EXPECT_TRUE(is_jointly_adjusted(now, row_of(now, "BM_0")));
}

// Holm over 12 rounds gives at least 60 * 2 / 924 = .13.
TEST(CompareRuns, FindsAChangeAmongSixtyInTwelveRoundsWhichHolmCannot) {
  SimulationOptions options;
  options.rounds = 12;
  options.benchmarks = 60;
  options.changed_benchmarks = 1;
  options.ratio = 1.25;
  options.noise.burst_chance = 0;
  const SimulatedPair pair = Simulation(4).draw(options);
  const Comparison now = compare_runs(pair.baseline, pair.candidate, {}).comparison;
  const Comparison before = compare_runs(pair.baseline, pair.candidate, {}, nullptr, Rules::rounds_3).comparison;
  EXPECT_EQ(adjusted_rows(now), (AdjustedRows{60, 0}));
  EXPECT_EQ(adjusted_rows(before), (AdjustedRows{0, 60}));
  EXPECT_EQ(now.rule_version, "rounds-7");
  ASSERT_EQ(now.rows.size(), before.rows.size());
  for (std::size_t i = 0; i < now.rows.size(); ++i) {
    const bool is_changed = now.rows[i].benchmark == "BM_0";
    EXPECT_EQ(now.rows[i].verdict == Verdict::regression, is_changed) << now.rows[i].benchmark;
    EXPECT_NE(before.rows[i].verdict, Verdict::regression);
    EXPECT_GE(*now.rows[i].q, *now.rows[i].p);
    EXPECT_EQ(now.rows[i].p, before.rows[i].p);
  }
}

TEST(CompareRuns, OneComparisonKeepsItsP) {
  SimulationOptions options;
  options.ratio = 1.03;
  options.changed_benchmarks = 1;
  const SimulatedPair pair = Simulation(4).draw(options);
  const Comparison alone = compare_runs(pair.baseline, pair.candidate, {}).comparison;
  EXPECT_EQ(alone.rows.at(0).q, alone.rows.at(0).p);
  EXPECT_EQ(adjusted_rows(alone), (AdjustedRows{0, 1}));
}

TEST(CompareRuns, WithoutRoundsThatCanBePairedHolmAdjusts) {
  SimulationOptions options;
  options.benchmarks = 3;
  SimulatedPair pair = Simulation(4).draw(options);
  pair.baseline.header.session = pair.candidate.header.session = "";
  const Comparison comparison = compare_runs(pair.baseline, pair.candidate, {}).comparison;
  EXPECT_EQ(adjusted_rows(comparison), (AdjustedRows{0, 3}));
  std::vector<double> p;
  for (const ComparisonRow& row : comparison.rows) p.push_back(*row.p);
  const std::vector<double> q = holm_adjusted(p);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(*comparison.rows[i].q, q[i], 1e-9);
}

TEST(CompareRuns, OfTwoOccasionsNothingIsCalledWithoutACalibrationOfTheirDrift) {
  SimulationOptions options;
  options.benchmarks = 13;
  options.changed_benchmarks = 1;
  options.ratio = 3;
  SimulatedPair pair = Simulation(4).draw(options);
  pair.candidate.header.session = "another";
  const Judged now = compare_runs(pair.baseline, pair.candidate, {});
  const Comparison before = compare_runs(pair.baseline, pair.candidate, {}, nullptr, Rules::rounds_3).comparison;
  EXPECT_EQ(before.rows[0].verdict, Verdict::regression);
  EXPECT_EQ(now.comparison.rows[0].verdict, Verdict::inconclusive);
  EXPECT_TRUE(now.comparison.rows[0].notes.has(RowNote::drift_explains));
  EXPECT_TRUE(std::get<why::Apart>(now.facts[0].reason).occasions_unknown);
}

TEST(CompareRuns, PoliciesOutOfRangeAreNamedAndReplaced) {
  ComparisonPolicy policy;
  policy.false_alarm_rate = -1;
  const Judged judged = compare_runs(steelyard::Run{}, steelyard::Run{}, policy);
  EXPECT_EQ(judged.comparison.policy.false_alarm_rate, 0.05);
  const auto out_of_range = std::get<caution::PolicyOutOfRange>(judged.cautions.at(0));
  EXPECT_EQ(out_of_range.key, "false_alarm_rate");
  EXPECT_EQ(out_of_range.found, -1);
  EXPECT_EQ(out_of_range.used, 0.05);
}

// 2 / C(12, 6) = 1/462 and 2 / C(14, 7) = 1/1716: how the slots of 12 and 14 rounds can be drawn.
TEST(RoundsNeeded, GrowsWithTheNumberOfComparisons) {
  EXPECT_EQ(rounds_needed(0.05, 1), 12);
  EXPECT_EQ(rounds_needed(0.05, 23), 12);
  EXPECT_EQ(rounds_needed(0.05, 24), 14);
  EXPECT_EQ(rounds_needed(0.05, 85), 14);
  EXPECT_EQ(rounds_needed(0.05, 86), 16);
  EXPECT_EQ(rounds_needed(0.01, 23), 16);
}

}  // namespace
}  // namespace steelyard::regress::compare_runs_test
