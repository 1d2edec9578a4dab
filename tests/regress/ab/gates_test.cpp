#include "regress/ab/gates.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

namespace steelyard::regress::gates_test {
namespace {

ComparisonRow row_of(std::string_view metric, Verdict verdict, double ratio = 1.05) {
  ComparisonRow row;
  row.benchmark = "BM_x";
  row.metric =
      well_known_metric(metric).value_or(Metric{std::string(metric), "count", Better::lower, MetricKind::noisy});
  row.verdict = verdict;
  row.ratio = ratio;
  row.test = row.metric.kind == MetricKind::counted ? TestKind::exact : TestKind::rounds;
  return row;
}

Comparison decided(const ComparisonPolicy& policy, const std::vector<ComparisonRow>& rows) {
  Comparison comparison;
  comparison.policy = policy;
  comparison.rows = rows;
  const std::vector<GateNote> notes = decide_gates(comparison);
  EXPECT_EQ(notes.size(), rows.size());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    EXPECT_EQ(std::holds_alternative<std::monostate>(notes[i]), comparison.rows[i].gates);
  }
  return comparison;
}

GateNote note_of(const ComparisonPolicy& policy, const std::vector<ComparisonRow>& rows, std::size_t row) {
  Comparison comparison = decided(policy, rows);
  return decide_gates(comparison).at(row);
}

bool gates(const ComparisonPolicy& policy, std::string_view metric) {
  return decided(policy, {row_of(metric, Verdict::regression)}).rows[0].gates;
}

TEST(Gates, AreTimeAndCountsByDefault) {
  EXPECT_TRUE(gates({}, kRealTime));
  EXPECT_TRUE(gates({}, kInstructions));
  EXPECT_TRUE(gates({}, "allocations"));
  EXPECT_FALSE(gates({}, kCpuTime));
  EXPECT_FALSE(gates({}, "cache_misses_of_the_user"));
}

struct HeldRow {
  bool gates;
  GateNote note;
};

// Of a benchmark whose level was accepted on the history that it was held against.
HeldRow held_against(ComparisonRow row, double accepted, std::string_view rules = "history-7") {
  Comparison comparison;
  comparison.rule_version = rules;
  comparison.history.emplace();
  SeriesHistory& history = comparison.history->series.emplace_back();
  history.series.name = row.benchmark;
  history.series.metric = row.metric.name;
  history.accepted = AcceptedLevel{accepted, "abcdef0123456789"};
  comparison.rows = {std::move(row)};
  const std::vector<GateNote> notes = decide_gates(comparison);
  return {comparison.rows[0].gates, notes.at(0)};
}

TEST(Gates, DoNotFailForALevelThatWasAccepted) {
  ComparisonRow row = row_of(kRealTime, Verdict::regression, 1.1);
  row.baseline = 100;
  row.candidate = 110;
  row.interval = Interval{1.08, 1.12};
  EXPECT_FALSE(held_against(row, 110).gates);
  EXPECT_EQ(std::get<ungated::LevelAccepted>(held_against(row, 110).note).commit, "abcdef0123456789");
  EXPECT_FALSE(held_against(row, 107).gates) << "its interval begins within the minimum effect of that";
  EXPECT_TRUE(held_against(row, 106).gates) << "more than was accepted";
  row.verdict = Verdict::failed;
  EXPECT_TRUE(held_against(row, 110).gates) << "a level was accepted, no failure";
}

TEST(Gates, DoNotFailForALevelOfWhichMoreIsBetterAndAtLeastWhatWasAccepted) {
  ComparisonRow row = row_of(kRealTime, Verdict::regression, 0.9);
  row.metric.better = Better::higher;
  row.baseline = 100;
  row.candidate = 90;
  row.interval = Interval{0.88, 0.92};
  EXPECT_FALSE(held_against(row, 90).gates);
  EXPECT_FALSE(held_against(row, 80).gates);
  EXPECT_TRUE(held_against(row, 94).gates);
  row.minimum_effect = 0.2;
  row.interval = Interval{0.78, 0.82};
  EXPECT_FALSE(held_against(row, 100).gates) << "18 % less is within 20 %";
  EXPECT_TRUE(held_against(row, 100, "history-6").gates) << "it was held against 1 / 1.2";
}

TEST(Gates, OfALevelThatIsExceededByJustTheMinimumEffectFail) {
  ComparisonRow row = row_of(kRealTime, Verdict::regression, 1.3);
  row.minimum_effect = 0.2;
  row.baseline = 100;
  row.candidate = 130;
  row.interval = Interval{1.2, 1.4};
  EXPECT_TRUE(held_against(row, 100).gates);
  EXPECT_FALSE(held_against(row, 100, "history-6").gates);
  EXPECT_FALSE(held_against(row, 101).gates);
}

TEST(Gates, TakeAnAcceptedCountExactly) {
  ComparisonRow row = row_of(kInstructions, Verdict::regression, 1.1);
  row.baseline = 1000;
  row.candidate = 1100;
  EXPECT_FALSE(held_against(row, 1100).gates);
  EXPECT_TRUE(held_against(row, 1099).gates);
  row.jitter = 0.01;
  EXPECT_FALSE(held_against(row, 1099).gates);
}

TEST(Gates, AreTheMetricsThatThePolicyJudgesWhereItNamesThem) {
  ComparisonPolicy policy;
  policy.metrics = {std::string(kCpuTime)};
  EXPECT_TRUE(gates(policy, kCpuTime));
  EXPECT_FALSE(gates(policy, kRealTime));
}

TEST(Gates, AreThoseNamedToGateAndNoOthers) {
  ComparisonPolicy policy;
  policy.metrics = {std::string(kRealTime), std::string(kCpuTime)};
  policy.gates = {std::string(kCpuTime)};
  EXPECT_TRUE(gates(policy, kCpuTime));
  EXPECT_FALSE(gates(policy, kRealTime));
  EXPECT_EQ(std::get<ungated::MetricNotAsked>(note_of(policy, {row_of(kRealTime, Verdict::regression)}, 0)).table, "");
}

TEST(Gates, WhatIsNamedToGateIsJudged) {
  ComparisonPolicy policy;
  policy.gates = {"l1_misses"};
  EXPECT_TRUE(is_judged(policy, "l1_misses", MetricKind::noisy));
  EXPECT_TRUE(is_judged(policy, kRealTime, MetricKind::noisy));
  policy.metrics = {std::string(kInstructions)};
  EXPECT_TRUE(is_judged(policy, "l1_misses", MetricKind::noisy));
  EXPECT_FALSE(is_judged(policy, kRealTime, MetricKind::noisy));
}

TEST(Gates, SmallChangeOfACountIsReportedAndDoesNotGate) {
  ComparisonPolicy policy;
  const std::vector<ComparisonRow> rows{row_of(kInstructions, Verdict::regression, 1.0099),
                                        row_of(kRealTime, Verdict::unchanged)};
  EXPECT_FALSE(decided(policy, rows).rows[0].gates);
  EXPECT_EQ(std::get<ungated::BelowCountedMinimum>(note_of(policy, rows, 0)).minimum, 0.01);
  EXPECT_TRUE(decided(policy, {row_of(kInstructions, Verdict::regression, 1.01)}).rows[0].gates);
  EXPECT_FALSE(decided(policy, {row_of("allocations", Verdict::regression, 1.0099)}).rows[0].gates);
  EXPECT_TRUE(decided(policy, {row_of(kRealTime, Verdict::regression, 1.001)}).rows[0].gates);
  policy.counted_minimum_effect = 0;
  EXPECT_TRUE(decided(policy, {row_of(kInstructions, Verdict::regression, 1.0001)}).rows[0].gates);
  policy.counted_minimum_effect = 0.2;
  EXPECT_TRUE(decided(policy, {row_of(kInstructions, Verdict::regression, 1.2)}).rows[0].gates) << "20 % are 20 %";
}

TEST(Gates, ASmallStepOfACountFailsWhereSuchStepsAddUpBeyondTheEffect) {
  ComparisonRow count = row_of(kInstructions, Verdict::regression, 1.004);
  count.creep.emplace();
  EXPECT_FALSE(decided({}, {count}).rows[0].gates) << "so far it is reported";
  count.creep->beyond = true;
  EXPECT_TRUE(decided({}, {count}).rows[0].gates);
  const ComparisonRow time = row_of(kRealTime, Verdict::unchanged, 1.001);
  EXPECT_TRUE(decided({}, {count, time}).rows[0].gates) << "that time shows nothing of one step excuses no creep";
  ComparisonRow better = row_of(kRealTime, Verdict::improvement, 0.9);
  EXPECT_EQ(std::get<ungated::TimeDecides>(note_of({}, {count, better}, 0)).time, Verdict::improvement);
  ComparisonPolicy policy;
  policy.witness = Witness::time;
  EXPECT_EQ(std::get<ungated::OtherSignalDecides>(note_of(policy, {count, time}, 0)).witness, Witness::time);
  EXPECT_TRUE(decided(policy, {count}).rows[0].gates) << "nothing else tells of it";
  policy.witness = Witness::both;
  EXPECT_TRUE(std::holds_alternative<ungated::StepsNotConfirmed>(note_of(policy, {count, time}, 0)));
  policy.witness = Witness::either;
  EXPECT_TRUE(decided(policy, {count, time}).rows[0].gates);
}

struct WitnessCase {
  Witness witness;
  Verdict time;
  Verdict count;
  bool time_gates;
  bool count_gates;
};

class GatingSignals : public ::testing::TestWithParam<WitnessCase> {};

TEST_P(GatingSignals, DecideAsThePolicySays) {
  ComparisonPolicy policy;
  policy.witness = GetParam().witness;
  const Comparison comparison =
      decided(policy, {row_of(kRealTime, GetParam().time), row_of(kInstructions, GetParam().count)});
  EXPECT_EQ(comparison.rows[0].gates, GetParam().time_gates);
  EXPECT_EQ(comparison.rows[1].gates, GetParam().count_gates);
}

constexpr Verdict kWorse = Verdict::regression;
INSTANTIATE_TEST_SUITE_P(Policy, GatingSignals,
                         ::testing::Values(WitnessCase{Witness::decided, kWorse, kWorse, true, true},
                                           WitnessCase{Witness::decided, kWorse, Verdict::unchanged, true, true},
                                           WitnessCase{Witness::decided, Verdict::unchanged, kWorse, true, false},
                                           WitnessCase{Witness::decided, Verdict::improvement, kWorse, true, false},
                                           WitnessCase{Witness::decided, Verdict::inconclusive, kWorse, true, true},
                                           WitnessCase{Witness::decided, Verdict::unchanged, Verdict::failed, true,
                                                       true},
                                           WitnessCase{Witness::either, kWorse, Verdict::unchanged, true, true},
                                           WitnessCase{Witness::either, Verdict::unchanged, kWorse, true, true},
                                           WitnessCase{Witness::time, kWorse, kWorse, true, false},
                                           WitnessCase{Witness::time, Verdict::inconclusive, kWorse, true, false},
                                           WitnessCase{Witness::time, Verdict::failed, kWorse, true, true},
                                           WitnessCase{Witness::instructions, kWorse, kWorse, false, true},
                                           WitnessCase{Witness::instructions, kWorse, Verdict::failed, true, true},
                                           WitnessCase{Witness::both, kWorse, kWorse, true, true},
                                           WitnessCase{Witness::both, kWorse, Verdict::unchanged, false, true},
                                           WitnessCase{Witness::both, Verdict::unchanged, kWorse, true, false},
                                           WitnessCase{Witness::both, Verdict::inconclusive, kWorse, true, false},
                                           WitnessCase{Witness::both, Verdict::improvement, kWorse, true, false},
                                           WitnessCase{Witness::both, kWorse, Verdict::incomparable, true, true}),
                         [](const auto& tested) {
                           return "Witness_" + std::string(to_text(tested.param.witness)) + "_time_" +
                                  std::string(to_text(tested.param.time)) + "_count_" +
                                  std::string(to_text(tested.param.count));
                         });

// docs/reference/verdicts.md shows what a default gate does with every pair of verdicts, a row for each of time.
std::vector<std::vector<std::string>> documented_table() {
  std::ifstream page(STEELYARD_SOURCE_FOLDER "/docs/reference/verdicts.md");
  std::vector<std::vector<std::string>> table;
  for (std::string line; std::getline(page, line);) {
    const bool is_head = line.starts_with("| time \\ instructions |");
    if (table.empty() && !is_head) continue;
    if (!line.starts_with("| ")) {
      if (line.starts_with("|---")) continue;
      break;
    }
    std::vector<std::string>& cells = table.emplace_back();
    for (std::size_t at = 0, end = 0; (end = line.find(" |", at + 1)) != std::string::npos; at = end + 1) {
      cells.push_back(line.substr(at + 2, end - at - 2));
    }
  }
  return table;
}

// "fails: time, instructions", "fails: time; instructions reported", "passes".
std::string answer_of(const Comparison& comparison) {
  std::string failing;
  std::string reported;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != kWorse) continue;
    std::string& list = row.gates ? failing : reported;
    list += (list.empty() ? "" : ", ") + std::string(row.metric.name == kRealTime ? "time" : "instructions");
  }
  return (failing.empty() ? "passes" : "fails: " + failing) + (reported.empty() ? "" : "; " + reported + " reported");
}

TEST(Gates, DoWhatTheTableOfTheDocumentationSays) {
  ComparisonRow untimed = row_of(kRealTime, Verdict::unchanged);  // skip_time
  untimed.test = TestKind::none;
  const auto timed = [](Verdict verdict) { return std::vector<ComparisonRow>{row_of(kRealTime, verdict)}; };
  // Each of the rows that stand for one word; no row at all is one of them.
  const std::map<std::string, std::vector<std::vector<ComparisonRow>>> times{
      {"regression", {timed(kWorse)}},
      {"improvement", {timed(Verdict::improvement)}},
      {"unchanged", {timed(Verdict::unchanged)}},
      {"inconclusive", {timed(Verdict::inconclusive)}},
      {"not measured", {{}, {untimed}, timed(Verdict::missing), timed(Verdict::failed), timed(Verdict::incomparable)}}};
  const std::map<std::string, std::vector<ComparisonRow>> counts{
      {"regression of 1 % or more", {row_of(kInstructions, kWorse, 1.01), row_of(kInstructions, kWorse, 2)}},
      {"regression below 1 %", {row_of(kInstructions, kWorse, 1.0099), row_of(kInstructions, kWorse, 1 + 1e-9)}},
      {"unchanged", {row_of(kInstructions, Verdict::unchanged, 1)}},
      {"improvement",
       {row_of(kInstructions, Verdict::improvement, 0.999), row_of(kInstructions, Verdict::improvement, 0.5)}}};
  const auto table = documented_table();
  ASSERT_EQ(table.size(), 1 + times.size());
  for (std::size_t row = 1; row < table.size(); ++row) {
    ASSERT_EQ(table[row].size(), 1 + counts.size()) << table[row][0];
    ASSERT_TRUE(times.contains(table[row][0])) << table[row][0];
    for (std::size_t column = 1; column < table[row].size(); ++column) {
      ASSERT_TRUE(counts.contains(table[0][column])) << table[0][column];
      for (std::vector<ComparisonRow> rows : times.at(table[row][0])) {
        for (const ComparisonRow& count : counts.at(table[0][column])) {
          rows.push_back(count);
          EXPECT_EQ(answer_of(decided({}, rows)), table[row][column]) << table[row][0] << ", " << table[0][column];
          rows.pop_back();
        }
      }
    }
  }
}

TEST(Gates, SayOfACountThatTimeDecided) {
  const auto note_beside = [](Verdict time) {
    return note_of({}, {row_of(kRealTime, time), row_of(kInstructions, kWorse)}, 1);
  };
  for (const Verdict time : {Verdict::unchanged, Verdict::improvement}) {
    EXPECT_EQ(std::get<ungated::TimeDecides>(note_beside(time)).time, time);
  }
  EXPECT_TRUE(std::holds_alternative<std::monostate>(note_beside(Verdict::inconclusive)));
}

TEST(Gates, SayOfASignalWhichOtherDoesNotConfirmIt) {
  ComparisonPolicy policy;
  policy.witness = Witness::both;
  const auto time = std::get<ungated::NotConfirmed>(
      note_of(policy, {row_of(kRealTime, kWorse), row_of(kInstructions, Verdict::unchanged)}, 0));
  EXPECT_TRUE(time.by_count);
  EXPECT_EQ(time.other, Verdict::unchanged);
  const auto count = std::get<ungated::NotConfirmed>(
      note_of(policy, {row_of(kRealTime, Verdict::improvement), row_of(kInstructions, kWorse)}, 1));
  EXPECT_FALSE(count.by_count);
  EXPECT_EQ(count.other, Verdict::improvement);
  policy.witness = Witness::instructions;
  const std::vector<ComparisonRow> both{row_of(kRealTime, kWorse), row_of(kInstructions, kWorse)};
  EXPECT_EQ(std::get<ungated::OtherSignalDecides>(note_of(policy, both, 0)).witness, Witness::instructions);
}

TEST(Gates, TimeOfOtherCodeExcusesNoCount) {
  std::vector<ComparisonRow> rows{row_of(kRealTime, Verdict::unchanged), row_of(kInstructions, kWorse)};
  EXPECT_FALSE(decided({}, rows).rows[1].gates);
  rows[1].notes.add(RowNote::other_dispatch);
  EXPECT_TRUE(decided({}, rows).rows[1].gates);
  rows[1].notes = {};
  rows[1].count_scope = CountScope::whole_program;
  EXPECT_TRUE(decided({}, rows).rows[1].gates);
}

TEST(Gates, TimeThatDoesNotGateExcusesNoCount) {
  ComparisonPolicy policy;
  policy.gates = {std::string(kInstructions)};
  EXPECT_TRUE(decided(policy, {row_of(kRealTime, Verdict::unchanged), row_of(kInstructions, kWorse)}).rows[1].gates);
}

TEST(Gates, TimeExcusesNoCountButInstructions) {
  EXPECT_TRUE(decided({}, {row_of(kRealTime, Verdict::unchanged), row_of("allocations", kWorse)}).rows[1].gates);
}

TEST(Gates, SignalOfOtherCodeConfirmsNothingSoEachDecidesAlone) {
  ComparisonPolicy policy;
  policy.witness = Witness::both;
  std::vector<ComparisonRow> rows{row_of(kRealTime, kWorse), row_of(kInstructions, Verdict::unchanged)};
  EXPECT_FALSE(decided(policy, rows).rows[0].gates);
  rows[1].notes.add(RowNote::other_dispatch);
  EXPECT_TRUE(decided(policy, rows).rows[0].gates);
}

TEST(Gates, CountOfMoreThanTheTimedRegionSaysNothingOfTheTime) {
  ComparisonPolicy policy;
  policy.witness = Witness::both;
  std::vector<ComparisonRow> rows{row_of(kRealTime, Verdict::unchanged), row_of(kInstructions, kWorse)};
  EXPECT_FALSE(decided(policy, rows).rows[1].gates);
  rows[1].count_scope = CountScope::whole_functions;
  EXPECT_TRUE(decided(policy, rows).rows[1].gates);
  std::swap(rows[0].verdict, rows[1].verdict);
  EXPECT_TRUE(decided(policy, rows).rows[0].gates);
}

TEST(Gates, SignalsOfDifferentBenchmarksAreStrangers) {
  ComparisonPolicy policy;
  policy.witness = Witness::both;
  std::vector<ComparisonRow> rows{row_of(kRealTime, kWorse), row_of(kInstructions, Verdict::unchanged)};
  rows[1].benchmark = "BM_y";
  EXPECT_TRUE(decided(policy, rows).rows[0].gates);
}

TEST(Gates, SignalsDoNotConcernOtherMetrics) {
  ComparisonPolicy policy;
  policy.witness = Witness::time;
  EXPECT_TRUE(gates(policy, "allocations"));
}

TEST(Gates, DecidedTwiceAreTheSame) {
  ComparisonPolicy policy;
  policy.witness = Witness::both;
  Comparison once = decided(policy, {row_of(kRealTime, kWorse), row_of(kInstructions, Verdict::unchanged)});
  Comparison twice = once;
  (void)decide_gates(twice);
  EXPECT_EQ(once, twice);
}

TEST(PerhapsNoisyMetrics, AreThoseThatNoTableKnowsToBeCounted) {
  ComparisonPolicy policy;
  EXPECT_EQ(perhaps_noisy_metrics(policy), std::set<std::string>{"real_time"});
  policy.metrics = {"instructions", "cpu_time", "hits"};
  EXPECT_EQ(perhaps_noisy_metrics(policy), (std::set<std::string>{"cpu_time", "hits"}));
  policy.metrics.clear();
  policy.gates = {"cpu_time"};
  EXPECT_EQ(perhaps_noisy_metrics(policy), (std::set<std::string>{"cpu_time", "real_time"}));
}

}  // namespace
}  // namespace steelyard::regress::gates_test
