#include "regress/policy/pattern_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "regress/ab/gates.hpp"
#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::pattern_policy_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PatternPolicy table(const std::string& match) {
  PatternPolicy policy;
  policy.match = match;
  policy.where = "steelyard.toml:12";
  return policy;
}

// Six benchmarks in a duet, of which two take `ratio` times as long.
SimulatedPair drawn(double ratio) {
  SimulationOptions options;
  options.layout = Layout::duet;
  options.rounds = 16;
  options.benchmarks = 6;
  options.changed_benchmarks = 2;
  options.ratio = ratio;
  options.noise = {.drift = 0.01, .process = 0.003, .sample = 0.002, .burst_chance = 0};
  return Simulation(7).draw(options);
}

std::vector<std::string> regressions(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict == Verdict::regression && row.gates) names.push_back(row.benchmark);
  }
  return names;
}

TEST(PatternPolicy, OfEachKeyTheFirstTableHoldsThatMatchesAndSaysIt) {
  ComparisonPolicy policy;
  policy.patterns = {table("gemv/*f32*"), table("gemv/*"), table("*")};
  policy.patterns[0].margin = 0.2;
  policy.patterns[1].minimum_effect = 0.05;
  policy.patterns[1].margin = 0.1;
  policy.patterns[2].minimum_effect = 0.03;
  EXPECT_EQ(minimum_effect_of(policy, "gemv/f32/8", MetricKind::noisy), 0.05) << "what the first does not say";
  EXPECT_EQ(margin_of(policy, "gemv/f32/8"), 0.2);
  EXPECT_EQ(margin_of(policy, "gemv/f64/8"), 0.1);
  EXPECT_EQ(minimum_effect_of(policy, "sort", MetricKind::noisy), 0.03);
  EXPECT_EQ(margin_of(policy, "sort"), policy.margin) << "as for all";
  EXPECT_EQ(minimum_effect_of(policy, "gemv/f32/8 [suite=blas]", MetricKind::noisy), 0.05);
  EXPECT_EQ(minimum_effect_of(policy, "gemv/f32/8", MetricKind::counted), policy.counted_minimum_effect);
}

TEST(PatternPolicy, JudgesTheRowsThatMatchAndNoOther) {
  const SimulatedPair runs = drawn(1.05);
  ComparisonPolicy policy;
  const std::vector<std::string> without = regressions(compare_runs(runs.baseline, runs.candidate, policy).comparison);
  ASSERT_EQ(without.size(), 2U);
  policy.patterns = {table(without[0])};
  policy.patterns[0].minimum_effect = 0.2;
  policy.patterns[0].owner = "kernels";
  const Comparison comparison = compare_runs(runs.baseline, runs.candidate, policy).comparison;
  EXPECT_THAT(regressions(comparison), ElementsAre(without[1]));
  for (const ComparisonRow& row : comparison.rows) {
    const bool matches = row.benchmark == without[0];
    EXPECT_EQ(row.minimum_effect, matches ? 0.2 : 0.01);
    EXPECT_EQ(row.policies, matches ? std::vector{without[0]} : std::vector<std::string>{});
    EXPECT_EQ(row.owner, matches ? "kernels" : "");
  }
}

TEST(PatternPolicy, SaysWhichMetricsGateAndAnEmptyListThatNoneDoes) {
  const SimulatedPair runs = drawn(1.05);
  ComparisonPolicy policy;
  const std::vector<std::string> names = regressions(compare_runs(runs.baseline, runs.candidate, policy).comparison);
  policy.patterns = {table(names.at(0))};
  policy.patterns[0].gates.emplace();
  const Judged judged = compare_runs(runs.baseline, runs.candidate, policy);
  EXPECT_THAT(regressions(judged.comparison), ElementsAre(names.at(1)));
  for (std::size_t i = 0; i < judged.comparison.rows.size(); ++i) {
    if (judged.comparison.rows[i].benchmark != names[0]) continue;
    EXPECT_EQ(judged.comparison.rows[i].verdict, Verdict::regression) << "it is told all the same";
    EXPECT_EQ(std::get<ungated::MetricNotAsked>(judged.gate_notes.at(i)).table,
              '"' + names[0] + "\" (steelyard.toml:12)");
  }
}

TEST(PatternPolicy, OfATableThatAcceptsSaysWhoDidAndWhy) {
  const SimulatedPair runs = drawn(1.05);
  ComparisonPolicy policy;
  const std::vector<std::string> names = regressions(compare_runs(runs.baseline, runs.candidate, policy).comparison);
  policy.patterns = {table(names.at(0))};
  policy.patterns[0].gates.emplace();
  policy.patterns[0].accepted_by = "Jane";
  policy.patterns[0].reason = "it is worth it";
  const Judged judged = compare_runs(runs.baseline, runs.candidate, policy);
  for (std::size_t i = 0; i < judged.comparison.rows.size(); ++i) {
    if (judged.comparison.rows[i].benchmark != names[0]) continue;
    const auto& accepted = std::get<ungated::ChangeAccepted>(judged.gate_notes.at(i));
    EXPECT_EQ(accepted.by, "Jane");
    EXPECT_EQ(accepted.reason, "it is worth it");
  }
  const Judged before = compare_runs(runs.baseline, runs.candidate, policy, nullptr, Rules::rounds_6);
  for (std::size_t i = 0; i < before.comparison.rows.size(); ++i) {
    if (before.comparison.rows[i].benchmark != names[0]) continue;
    EXPECT_TRUE(std::holds_alternative<ungated::MetricNotAsked>(before.gate_notes.at(i))) << "as it was kept";
  }
}

TEST(PatternPolicy, AMetricThatATableGatesAndNoneOfItsBenchmarksMeasuredIsMissing) {
  const SimulatedPair runs = drawn(1);
  ComparisonPolicy policy;
  policy.patterns = {table("BM_0")};
  policy.patterns[0].gates = {"real_time", "bandwidth"};
  const Judged judged = compare_runs(runs.baseline, runs.candidate, policy);
  const Comparison& comparison = judged.comparison;
  const auto missing = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                    [](const ComparisonRow& row) { return row.verdict == Verdict::missing; });
  ASSERT_NE(missing, comparison.rows.end());
  EXPECT_EQ(missing->metric.name, "bandwidth");
  const RowFacts& facts = judged.facts.at(static_cast<std::size_t>(missing - comparison.rows.begin()));
  EXPECT_EQ(std::get<why::MeasuredByNobody>(facts.reason).table, "\"BM_0\" (steelyard.toml:12)");
  EXPECT_TRUE(missing->gates) << "a gate on what nobody measured does not pass";
}

TEST(PatternPolicy, OfAMachineHoldsThereAndNowhereElse) {
  SimulatedPair runs = drawn(1.05);
  for (steelyard::Run* run : {&runs.baseline, &runs.candidate}) {
    run->environment.set("cpu.model", "AMD EPYC 7763", true);
    run->environment.set("gpu.device", "2 x NVIDIA H100", true);
  }
  const std::string fingerprint = runs.candidate.environment.fingerprint();
  ComparisonPolicy policy;
  policy.patterns = {table("*")};
  policy.patterns[0].minimum_effect = 0.2;
  for (const std::string& here : {std::string("*EPYC*"), std::string("*H100"), fingerprint, std::string("*")}) {
    policy.patterns[0].machine = here;
    const Comparison comparison = compare_runs(runs.baseline, runs.candidate, policy).comparison;
    EXPECT_THAT(regressions(comparison), IsEmpty()) << here;
    ASSERT_EQ(comparison.policy.patterns.size(), 1U) << here;
    EXPECT_EQ(comparison.policy.patterns[0].machine, here);
  }
  for (const char* elsewhere : {"*Xeon*", "EPYC", "*A100*"}) {
    policy.patterns[0].machine = elsewhere;
    const Judged judged = compare_runs(runs.baseline, runs.candidate, policy);
    EXPECT_EQ(regressions(judged.comparison).size(), 2U) << elsewhere;
    EXPECT_THAT(judged.comparison.policy.patterns, IsEmpty()) << "kept is what it was judged by";
  }
}

TEST(PatternPolicy, ATableThatMatchesNothingIsSaidToDoSo) {
  const SimulatedPair runs = drawn(1);
  ComparisonPolicy policy;
  policy.patterns = {table("gone/*")};
  policy.patterns[0].margin = 0.1;
  const Judged judged = compare_runs(runs.baseline, runs.candidate, policy);
  EXPECT_THAT(std::get<caution::TablesWithoutBenchmark>(judged.cautions.back()).tables,
              ElementsAre("\"gone/*\" (steelyard.toml:12)"));
}

TEST(PatternPolicy, IsHeldToTheSameRangesAsThatOfAll) {
  const SimulatedPair runs = drawn(1);
  ComparisonPolicy policy;
  policy.patterns = {table("*")};
  policy.patterns[0].margin = -1;
  const Judged judged = compare_runs(runs.baseline, runs.candidate, policy);
  EXPECT_EQ(judged.comparison.rows.at(0).margin, policy.margin);
  const auto out_of_range = std::get<caution::PolicyOutOfRange>(judged.cautions.at(0));
  EXPECT_EQ(out_of_range.table, "\"*\" (steelyard.toml:12)");
  EXPECT_EQ(out_of_range.key, "margin");
  EXPECT_EQ(out_of_range.found, -1);
}

}  // namespace
}  // namespace steelyard::regress::pattern_policy_test
