#include "regress/history/judge_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <utility>

namespace steelyard::regress::judge_history_test {
namespace {

constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";

void add(Run& run, const std::string& benchmark, double value, const char* metric = "real_time") {
  Measurement measurement;
  measurement.benchmark.name = benchmark;
  measurement.metric = *well_known_metric(metric);
  if (measurement.metric.kind == MetricKind::counted) measurement.count_key = "key";
  for (std::uint32_t i = 0; i < run.invocations.size(); ++i) {
    measurement.invocations.push_back({i, {value, value * 1.001, value * 0.999}, {}});
    if (measurement.metric.kind == MetricKind::counted) measurement.invocations.back().values = {value};
  }
  run.measurements.push_back(std::move(measurement));
}

Run run_of(const std::string& machine, const std::string& id) {
  Run run;
  run.header.id = id;
  run.header.commit.sha = id + std::string(30, '0');
  run.environment.set("cpu.model", machine, true);
  for (int i = 0; i < 4; ++i) {
    Invocation invocation;
    invocation.round = i;
    run.invocations.push_back(invocation);
  }
  return run;
}

SeriesHistory history_of(const std::string& benchmark, const std::string& machine, double level, int occasions = 20) {
  SeriesHistory history;
  history.series = {benchmark, "real_time", "ns", Better::lower, {}};
  for (int i = 0; i < occasions; ++i) {
    const double value = level * (1 + 0.01 * ((i * 7) % 5 - 2));
    history.series.points.push_back({{value}, kCommit + std::to_string(i), machine, "r" + std::to_string(i)});
  }
  return history;
}

struct World {
  HistoryBaseline baseline;
  Run candidate = run_of("big", "candidate");
  World() { baseline.newest = run_of("big", "newest"); }
  Judged judged() const { return judge_against_history(baseline, candidate, ComparisonPolicy{}); }
  Comparison judge() const { return judged().comparison; }
};

const ComparisonRow& row_of(const Comparison& comparison, const std::string& benchmark,
                            const std::string& metric = "real_time") {
  for (const ComparisonRow& row : comparison.rows) {
    if (row.benchmark == benchmark && row.metric.name == metric) return row;
  }
  throw std::runtime_error("no row " + benchmark);
}

const RowFacts& facts_of(const Judged& judged, const std::string& benchmark) {
  for (std::size_t i = 0; i < judged.comparison.rows.size(); ++i) {
    if (judged.comparison.rows[i].benchmark == benchmark) return judged.facts.at(i);
  }
  throw std::runtime_error("no row " + benchmark);
}

why::ByHistory answer_of(const Judged& judged, const std::string& benchmark) {
  return std::get<why::ByHistory>(facts_of(judged, benchmark).reason);
}

TEST(JudgeHistory, WhatABudgetDidNotReachStaysOpenThoughTheNewestRunLacksIt) {
  World world;
  world.baseline.series = {history_of("late", "big", 100)};
  world.candidate.failures.push_back(
      {parse_google_benchmark_name("late"), "", -1, "the budget was spent", FailureKind::not_reached});
  EXPECT_EQ(row_of(world.judge(), "late").verdict, Verdict::inconclusive);
  std::swap(world.baseline.newest.failures, world.candidate.failures);
  EXPECT_EQ(row_of(world.judge(), "late").verdict, Verdict::inconclusive);
}

TEST(JudgeHistory, TellsWhatTheSpreadOfOccasionsCannotExplain) {
  World world;
  const std::string machine = world.candidate.environment.fingerprint();
  for (const auto& [name, value] : {std::pair("slower", 130.0), {"faster", 70.0}, {"same", 100.0}, {"near", 102.0}}) {
    add(world.baseline.newest, name, 100);
    add(world.candidate, name, value);
    world.baseline.series.push_back(history_of(name, machine, 100));
  }
  const Judged judged = world.judged();
  const Comparison& comparison = judged.comparison;
  const ComparisonRow& slower = row_of(comparison, "slower");
  EXPECT_EQ(slower.verdict, Verdict::regression);
  EXPECT_NEAR(*slower.ratio, 1.3, 0.01);
  EXPECT_EQ(slower.test, TestKind::history);
  EXPECT_EQ(slower.rounds, 20);
  EXPECT_EQ(slower.layout, Layout::separate);
  EXPECT_LT(*slower.q, 0.05);
  EXPECT_EQ(answer_of(judged, "slower").answer, why::HistoryAnswer::changed);
  EXPECT_EQ(answer_of(judged, "slower").since, std::string(kCommit) + "0");
  EXPECT_EQ(row_of(comparison, "faster").verdict, Verdict::improvement);
  EXPECT_EQ(row_of(comparison, "near").verdict, Verdict::inconclusive);
  EXPECT_EQ(answer_of(judged, "near").answer, why::HistoryAnswer::tells_nothing);
  EXPECT_GT(answer_of(judged, "near").spread, 0.01);
  EXPECT_GT(*row_of(comparison, "same").minimum_detectable_effect, 0.05);
}

TEST(JudgeHistory, AMachineThatFailedItsCalibrationGetsNoVerdicts) {
  World world;
  add(world.baseline.newest, "slower", 100);
  add(world.candidate, "slower", 130);
  world.baseline.series.push_back(history_of("slower", world.candidate.environment.fingerprint(), 100));
  Calibration calibration;
  calibration.fingerprint = world.candidate.environment.fingerprint();
  EXPECT_EQ(
      row_of(judge_against_history(world.baseline, world.candidate, {}, &calibration).comparison, "slower").verdict,
      Verdict::regression);
  calibration.failed = true;
  EXPECT_EQ(
      row_of(judge_against_history(world.baseline, world.candidate, {}, &calibration).comparison, "slower").verdict,
      Verdict::inconclusive);
}

TEST(JudgeHistory, ShowsNothingUnchangedOfWhichACalibratedFloorIsBeyondAnyMargin) {
  World world;
  add(world.baseline.newest, "quiet", 100);
  add(world.candidate, "quiet", 100.1);
  SeriesHistory history = history_of("quiet", world.candidate.environment.fingerprint(), 100);
  for (SeriesPoint& point : history.series.points) point.values = {100 + (point.values.front() - 100) / 10};
  world.baseline.series.push_back(history);
  Calibration calibration;
  calibration.fingerprint = world.candidate.environment.fingerprint();
  calibration.false_gates.tries = 10;
  CalibratedBenchmark& benchmark = calibration.benchmarks.emplace_back();
  benchmark.benchmark = "quiet";
  benchmark.metric = "real_time";
  benchmark.alarms.tries = 10;
  const auto judged = [&](double floor, Rules rules = kNewestRules) {
    calibration.benchmarks[0].floor = floor;
    return judge_against_history(world.baseline, world.candidate, {}, &calibration, rules);
  };
  EXPECT_EQ(row_of(judged(0.05).comparison, "quiet").verdict, Verdict::unchanged);
  const Judged beyond = judged(0.34);
  EXPECT_EQ(beyond.comparison.rule_version, "history-7");
  EXPECT_EQ(row_of(beyond.comparison, "quiet").verdict, Verdict::inconclusive);
  EXPECT_EQ(answer_of(beyond, "quiet").answer, why::HistoryAnswer::floor_beyond);
  EXPECT_EQ(answer_of(beyond, "quiet").floor, 0.34);
  const Comparison before = judged(0.34, Rules::rounds_2).comparison;
  EXPECT_EQ(before.rule_version, "history-2");
  EXPECT_EQ(row_of(before, "quiet").verdict, Verdict::unchanged);
}

TEST(JudgeHistory, ShowsAQuietBenchmarkUnchanged) {
  World world;
  add(world.baseline.newest, "quiet", 100);
  add(world.candidate, "quiet", 100.1);
  SeriesHistory history = history_of("quiet", world.candidate.environment.fingerprint(), 100);
  for (SeriesPoint& point : history.series.points) point.values = {100 + (point.values.front() - 100) / 10};
  world.baseline.series.push_back(history);
  EXPECT_EQ(row_of(world.judge(), "quiet").verdict, Verdict::unchanged);
}

TEST(JudgeHistory, ALossOfLessThanTheMinimumEffectIsNoRegressionAsInAPair) {
  World world;
  SeriesHistory history = history_of("copies", world.candidate.environment.fingerprint(), 100);
  for (SeriesPoint& point : history.series.points) point.values = {100 + (point.values.front() - 100) / 20};
  const Metric metric = *well_known_metric("bandwidth");
  history.series.metric = metric.name;
  history.series.unit = metric.unit;
  history.series.better = metric.better;
  world.baseline.series.push_back(history);
  ComparisonPolicy policy;
  policy.metrics = {metric.name};
  policy.minimum_effect = 0.2;
  const auto judged = [&](double value, Rules rules = kNewestRules) {
    world.candidate.measurements.clear();
    add(world.candidate, "copies", value, "bandwidth");
    return judge_against_history(world.baseline, world.candidate, policy, nullptr, rules).comparison;
  };
  const Comparison within = judged(82);
  EXPECT_EQ(within.rule_version, "history-7");
  const ComparisonRow& row = row_of(within, "copies", "bandwidth");
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_LT(row.interval->high, 1 / 1.2) << "as large as a gain of 20 %, and a loss of 18 %";
  EXPECT_GT(row.interval->low, 0.8);
  const Comparison before = judged(82, Rules::rounds_6);
  EXPECT_EQ(before.rule_version, "history-6");
  EXPECT_EQ(row_of(before, "copies", "bandwidth").verdict, Verdict::regression);
  EXPECT_EQ(row_of(judged(77), "copies", "bandwidth").verdict, Verdict::regression);
}

TEST(JudgeHistory, WithoutAHistoryNothingPasses) {
  World world;
  add(world.candidate, "unknown", 100);
  add(world.candidate, "elsewhere", 100);
  add(world.candidate, "unknown", 1000, "instructions");
  world.baseline.series.push_back(history_of("elsewhere", "another machine", 100));
  world.baseline.branch = "main";
  const Judged judged = world.judged();
  const Comparison& comparison = judged.comparison;
  EXPECT_EQ(row_of(comparison, "unknown").verdict, Verdict::incomparable);
  const auto unknown = std::get<why::NoBaseline>(facts_of(judged, "unknown").reason);
  EXPECT_EQ(unknown.lack, why::BaselineLack::values);
  EXPECT_EQ(unknown.branch, "main");
  EXPECT_EQ(row_of(comparison, "elsewhere").verdict, Verdict::incomparable);
  EXPECT_EQ(std::get<why::NoBaseline>(facts_of(judged, "elsewhere").reason).lack, why::BaselineLack::this_machine);
  EXPECT_EQ(row_of(comparison, "unknown", "instructions").verdict, Verdict::incomparable);
}

TEST(JudgeHistory, AHistoryInAnotherUnitIsNone) {
  World world;
  add(world.candidate, "sort", 100);
  world.baseline.series.push_back(history_of("sort", world.candidate.environment.fingerprint(), 0.1));
  world.baseline.series.back().series.unit = "us";
  const Judged judged = world.judged();
  EXPECT_EQ(row_of(judged.comparison, "sort").verdict, Verdict::incomparable);
  EXPECT_EQ(std::get<why::NoBaseline>(facts_of(judged, "sort").reason).lack, why::BaselineLack::this_unit);
}

TEST(JudgeHistory, AFewOccasionsAreTooFewAndWhatDisappearedIsMissing) {
  World world;
  const std::string machine = world.candidate.environment.fingerprint();
  add(world.baseline.newest, "young", 100);
  add(world.baseline.newest, "gone", 100);
  add(world.candidate, "young", 200);
  world.baseline.series = {history_of("young", machine, 100, 5), history_of("gone", machine, 100)};
  const Judged judged = world.judged();
  EXPECT_EQ(row_of(judged.comparison, "young").verdict, Verdict::inconclusive);
  EXPECT_EQ(row_of(judged.comparison, "young").rounds, 5);
  EXPECT_EQ(std::get<why::NotPredicted>(facts_of(judged, "young").reason).obstacle,
            why::PredictionObstacle::too_few_occasions);
  EXPECT_EQ(row_of(judged.comparison, "gone").verdict, Verdict::missing);
}

TEST(JudgeHistory, WhatSkipsItselfNowAndInTheNewestRunIsMissingWhileItsLastValueIsRecent) {
  World world;
  const std::string machine = world.candidate.environment.fingerprint();
  add(world.baseline.newest, "apple", 100);
  add(world.candidate, "apple", 100);
  for (const char* name : {"apple", "lately"}) world.baseline.series.push_back(history_of(name, machine, 100));
  for (const char* name : {"lately", "never"}) {
    for (steelyard::Run* run : {&world.baseline.newest, &world.candidate}) {
      run->failures.push_back({parse_google_benchmark_name(name), "", 0, "no AVX10 here", FailureKind::skipped});
    }
  }
  const Judged judged = world.judged();
  ASSERT_EQ(judged.comparison.rows.size(), 3U);
  EXPECT_EQ(row_of(judged.comparison, "never").verdict, Verdict::skipped);
  EXPECT_FALSE(facts_of(judged, "never").lost);
  EXPECT_EQ(row_of(judged.comparison, "lately").verdict, Verdict::missing);
  const RowFacts& lately = facts_of(judged, "lately");
  EXPECT_EQ(std::get<why::Skipped>(lately.reason).baseline, (why::OwnSkip{false, false, "no AVX10 here"}));
  EXPECT_EQ(lately.lost.value().last_occasion, std::string(kCommit) + "19");
}

// A run that lost a benchmark is the newest when the next one is judged: two runs without it agree.
TEST(JudgeHistory, WhatOnlyRunsShortlyBeforeTheNewestHadIsMissing) {
  World world;
  const std::string machine = world.candidate.environment.fingerprint();
  for (const char* name : {"apple", "zebra"}) {
    add(world.baseline.newest, name, 100);
    add(world.candidate, name, 100);
    world.baseline.series.push_back(history_of(name, machine, 100));
  }
  const auto lost = [&](const std::string& name, const std::string& on, std::size_t occasions_ago) {
    SeriesHistory history = history_of(name, on, 100);
    history.series.points.resize(history.series.points.size() - occasions_ago);
    world.baseline.series.push_back(history);
  };
  lost("lately", machine, 1);
  lost("just recent", machine, kRecentOccasions - 1);
  lost("long ago", machine, kRecentOccasions);
  lost("elsewhere", "another machine", 1);
  const Judged judged = world.judged();
  const Comparison& comparison = judged.comparison;
  std::vector<std::string> names;
  for (const ComparisonRow& row : comparison.rows) names.push_back(row.benchmark);
  EXPECT_THAT(names, testing::ElementsAre("apple", "just recent", "lately", "zebra"));
  const ComparisonRow& lately = row_of(comparison, "lately");
  EXPECT_EQ(lately.verdict, Verdict::missing);
  EXPECT_TRUE(lately.gates);
  const RowFacts& facts = facts_of(judged, "lately");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(facts.reason));
  EXPECT_EQ(facts.lost.value().last_occasion, std::string(kCommit) + "18");
  EXPECT_FALSE(facts_of(judged, "zebra").lost) << "the facts stand in the order of the rows";
  ComparisonPolicy other;
  other.metrics = {"cpu_time"};
  for (const ComparisonRow& row : judge_against_history(world.baseline, world.candidate, other).comparison.rows) {
    EXPECT_NE(row.benchmark, "lately") << "it is of a metric that is not judged";
  }
}

TEST(JudgeHistory, CountsAreHeldExactlyAgainstTheNewestRun) {
  World world;
  add(world.baseline.newest, "sort", 1000, "instructions");
  add(world.candidate, "sort", 1010, "instructions");
  const Comparison comparison = world.judge();
  EXPECT_EQ(row_of(comparison, "sort", "instructions").verdict, Verdict::regression);
}

TEST(JudgeHistory, CountsAboutZeroAreHeldByTheJitterThatTheyHave) {
  World world;
  add(world.baseline.newest, "sort", 0, "allocations");
  add(world.candidate, "sort", 1, "allocations");
  world.candidate.measurements.back().invocations.front().values = {0};
  EXPECT_EQ(row_of(world.judge(), "sort", "allocations").verdict, Verdict::inconclusive);
  const Judged before = judge_against_history(world.baseline, world.candidate, {}, nullptr, Rules::rounds_6);
  EXPECT_EQ(row_of(before.comparison, "sort", "allocations").verdict, Verdict::regression);
}

TEST(JudgeHistory, WhatFailedInTheNewestRunAloneIsHeldAgainstTheRunsBefore) {
  World world;
  const std::string machine = world.candidate.environment.fingerprint();
  world.baseline.newest.failures.push_back({parse_google_benchmark_name("sort"), "", 0, "was ended by signal 6"});
  world.baseline.series.push_back(history_of("sort", machine, 100));
  add(world.candidate, "sort", 130);
  const Judged judged = world.judged();
  EXPECT_EQ(row_of(judged.comparison, "sort").verdict, Verdict::regression);
  EXPECT_FALSE(row_of(judged.comparison, "sort").only_baseline_failed);
  EXPECT_EQ(answer_of(judged, "sort").answer, why::HistoryAnswer::changed);
  const Judged before = judge_against_history(world.baseline, world.candidate, {}, nullptr, Rules::rounds_6);
  EXPECT_EQ(before.comparison.rule_version, "history-6");
  EXPECT_EQ(row_of(before.comparison, "sort").verdict, Verdict::failed);
  world.candidate.failures = world.baseline.newest.failures;
  EXPECT_EQ(row_of(world.judge(), "sort").verdict, Verdict::failed) << "the candidate failed too";
}

TEST(JudgeHistory, ATablesOwnMarginSaysWhatAFloorIsBeyond) {
  World world;
  add(world.baseline.newest, "sort", 100);
  add(world.candidate, "sort", 100.1);
  const std::string machine = world.candidate.environment.fingerprint();
  world.baseline.series.push_back(history_of("sort", machine, 100));
  Calibration calibration;
  calibration.fingerprint = machine;
  calibration.false_gates.tries = 10;
  CalibratedBenchmark& benchmark = calibration.benchmarks.emplace_back();
  benchmark.benchmark = "sort";
  benchmark.metric = "real_time";
  benchmark.alarms.tries = 10;
  benchmark.floor = 0.15;
  ComparisonPolicy policy;
  PatternPolicy& table = policy.patterns.emplace_back();
  table.match = "sort";
  table.margin = 0.3;
  const auto verdict = [&](Rules rules) {
    return row_of(judge_against_history(world.baseline, world.candidate, policy, &calibration, rules).comparison,
                  "sort")
        .verdict;
  };
  EXPECT_EQ(verdict(kNewestRules), Verdict::unchanged);
  EXPECT_EQ(verdict(Rules::rounds_6), Verdict::inconclusive);
  table.margin = 0.1;
  EXPECT_EQ(verdict(kNewestRules), Verdict::inconclusive) << "the floor is beyond it";
}

TEST(JudgeHistory, CyclesBesideATimeAreHeldAgainstTheHistoryToo) {
  World world;
  const std::string machine = world.candidate.environment.fingerprint();
  for (const auto& [metric, level, newest] :
       {std::tuple("real_time", 100.0, 150.0), {"hardware_cycles", 300.0, 600.0}}) {
    add(world.baseline.newest, "sort", newest, metric);
    add(world.candidate, "sort", level, metric);
    SeriesHistory& history = world.baseline.series.emplace_back(history_of("sort", machine, level));
    history.series.metric = metric;
    history.series.unit = well_known_metric(metric)->unit;
  }
  ComparisonPolicy policy;
  policy.metrics = {"real_time", "hardware_cycles"};
  const auto cycles_ratio = [&](Rules rules) {
    const Judged judged = judge_against_history(world.baseline, world.candidate, policy, nullptr, rules);
    EXPECT_NEAR(row_of(judged.comparison, "sort").ratio.value(), 1, 0.01);
    return row_of(judged.comparison, "sort").cycles_ratio.value();
  };
  EXPECT_NEAR(cycles_ratio(kNewestRules), 1, 0.01);
  EXPECT_EQ(cycles_ratio(Rules::rounds_6), 0.5) << "of the newest run";
}

TEST(JudgeHistory, SaysSoWhereAllBenchmarksMovedTogether) {
  World world;
  const std::string machine = world.candidate.environment.fingerprint();
  for (int i = 0; i < 6; ++i) {
    const std::string name = "b" + std::to_string(i);
    add(world.baseline.newest, name, 100);
    add(world.candidate, name, 104 + 0.1 * i);
    world.baseline.series.push_back(history_of(name, machine, 100));
  }
  const Judged judged = world.judged();
  const Comparison& comparison = judged.comparison;
  ASSERT_EQ(comparison.drifts.size(), 1U);
  EXPECT_NEAR(comparison.drifts[0].ratio, 1.042, 0.003);
  EXPECT_FALSE(comparison.drifts[0].removed);
  const auto moved = std::get<caution::MovedAgainstHistory>(judged.cautions.at(judged.cautions.size() - 2));
  EXPECT_EQ(moved.benchmarks, 6);
  EXPECT_NEAR(moved.ratio, 1.042, 0.003);
  EXPECT_TRUE(std::holds_alternative<caution::JudgedByHistory>(judged.cautions.back()));
}

}  // namespace
}  // namespace steelyard::regress::judge_history_test
