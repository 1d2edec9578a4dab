#include "ci/report/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ci/report/comparison.hpp"
#include "ci/report/judgement_text.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/judge_history.hpp"
#include "tests/ci/report/golden.hpp"
#include "tests/ci/report/sample_results.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::ci::explain_test {
namespace {

using regress::compare_runs;
using regress::SimulatedPair;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

SimulatedPair pair_with(double ratio, int rounds, Layout layout, int benchmarks = 1) {
  regress::SimulationOptions options;
  options.layout = layout;
  options.rounds = rounds;
  options.ratio = ratio;
  options.benchmarks = benchmarks;
  options.changed_benchmarks = 1;
  options.noise = {.drift = 0.01, .process = 0.003, .sample = 0.002, .burst_chance = 0};
  return regress::Simulation(7).draw(options);
}

std::vector<std::string> steps_of(const SimulatedPair& pair, std::string_view part = "BM_0") {
  const Comparison comparison = worded(compare_runs(pair.baseline, pair.candidate, {}));
  const auto explained = explain(pair.baseline, pair.candidate, comparison, part);
  return explained.empty() ? std::vector<std::string>{} : explained.front().steps;
}

TEST(Explain, GoesFromSamplesToTheAnswerOfARegression) {
  const auto steps = steps_of(pair_with(1.05, 12, Layout::duet));
  ASSERT_GE(steps.size(), 7U);
  EXPECT_THAT(steps.front(), HasSubstr("duet; baseline 60 samples in 12 processes; candidate 60 samples"));
  EXPECT_THAT(steps, Contains(StartsWith("levels: baseline ")));
  EXPECT_THAT(steps, Contains(HasSubstr("above in 12 of 12")));
  EXPECT_THAT(steps, Contains(StartsWith("slots: ")));
  EXPECT_THAT(steps, Contains(HasSubstr("permutations of 12 rounds")));
  EXPECT_THAT(steps, Contains(HasSubstr("among 1 comparison q = ")));
  EXPECT_THAT(steps, Contains(HasSubstr("minimum effect 1 %, margin of unchanged 2 %")));
  EXPECT_THAT(steps, Contains(StartsWith("verdict: regression: ")));
  EXPECT_THAT(steps.back(), StartsWith("another answer: a minimum effect above "));
}

TEST(Explain, TellsWhatCodeLayoutMakesOfTheChangeOrThatItIsNotKnown) {
  SimulatedPair pair = pair_with(1.05, 12, Layout::duet);
  EXPECT_THAT(steps_of(pair), Contains(HasSubstr("code layout: each build has one, whose luck is part of the change")));
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    keep_code_layouts({4, 5, 6}, {2, 2, 0, 0, 1, 1, 1, 1, 0, 0, 2, 2}, "", run->header.settings);
  }
  EXPECT_THAT(steps_of(pair), Contains(AllOf(StartsWith("code layout: over 3 code layouts +"), HasSubstr(" of it; "))));
  const Comparison comparison = worded(compare_runs(pair.baseline, pair.candidate, {}));
  const NoiseParts& noise = comparison.rows.front().noise;
  EXPECT_EQ(noise.code_layouts, 3);
  ASSERT_TRUE(noise.code_layout && noise.over_code_layouts);
  EXPECT_LT(*noise.code_layout, 0.02) << "there is none in it";
  EXPECT_GT(noise.over_code_layouts->low, 1.0);
  EXPECT_LT(noise.over_code_layouts->low, 1.05);
  EXPECT_GT(noise.over_code_layouts->high, 1.05);
  SimulatedPair few = pair_with(1.05, 2, Layout::duet);
  for (steelyard::Run* run : {&few.baseline, &few.candidate})
    keep_code_layouts({4, 5}, {0, 0}, "", run->header.settings);
  EXPECT_THAT(steps_of(few), Contains(StartsWith("code layout: too few rounds")));
}

TEST(Explain, TellsWhatWasTakenOffWhereTheSidesWereApart) {
  const auto steps = steps_of(pair_with(1.5, 12, Layout::sequential, 6));
  EXPECT_THAT(steps, Contains(StartsWith("drift: the common movement of 6 benchmarks is estimated as ")));
  EXPECT_THAT(steps, Contains(HasSubstr("Student's t")));
  EXPECT_THAT(steps, Not(Contains(StartsWith("rounds: "))));
}

TEST(Explain, OneProcessASideHasNoTestAndAskForMore) {
  const auto steps = steps_of(pair_with(1.05, 1, Layout::duet));
  EXPECT_THAT(steps, Contains(StartsWith("test: none")));
  EXPECT_THAT(steps, Contains(HasSubstr("verdict: inconclusive: one invocation a side")));
}

// The most rounds that are named stand for that many or more: no figure is made of them.
TEST(Explain, WhatWantsMoreRoundsThanAreNamedSaysSo) {
  const SimulatedPair pair = pair_with(1.005, 12, Layout::duet);
  Comparison comparison = worded(compare_runs(pair.baseline, pair.candidate, {}));
  ComparisonRow& row = comparison.rows.front();
  row.verdict = Verdict::inconclusive;
  const auto last_step = [&](std::int32_t wanted) {
    row.rounds_wanted = wanted;
    return explain(pair.baseline, pair.candidate, comparison, "all").front().steps.back();
  };
  EXPECT_EQ(last_step(634), "another answer: about 634 rounds of this noise");
  EXPECT_EQ(last_step(1000), "another answer: 1,000 rounds of this noise, or more");
}

TEST(Explain, SeveralLooksHaveOneP) {
  const SimulatedPair pair = pair_with(1.05, 12, Layout::duet);
  Comparison comparison = worded(compare_runs(pair.baseline, pair.candidate, {}));
  ComparisonRow& row = comparison.rows.front();
  row.looks = {{8, 0.02, 0.25}, {12, 0.0125, 0.5}};
  row.p = 0.025;
  const auto steps = explain(pair.baseline, pair.candidate, comparison, "all").front().steps;
  EXPECT_THAT(steps, Contains(AllOf(StartsWith("test: "), Not(HasSubstr("p = ")))));
  EXPECT_THAT(steps,
              Contains(AllOf(StartsWith("looks: "), HasSubstr("; p = 0.025, the least of each over its share"))));
}

// A disturbed process takes the other side's of its round with it: who adds up the sides finds the report's warning.
TEST(Explain, WhatIsExcludedAddsUpToWhatTheWarningSays) {
  SimulatedPair pair = pair_with(1.05, 12, Layout::duet);
  const auto exclude = [](steelyard::Run& run, std::size_t count, std::size_t disturbed) {
    std::vector<InvocationSamples>& judged = run.measurements.front().invocations;
    for (std::size_t i = 0; i < count; ++i) {
      Invocation& invocation = run.invocations[judged.front().invocation];
      invocation.excluded = true;
      if (i < disturbed) invocation.disturbed_by = {"a drifting clock"};
      run.measurements.front().excluded.push_back(judged.front());
      judged.erase(judged.begin());
    }
  };
  exclude(pair.baseline, 3, 2);
  exclude(pair.candidate, 3, 1);
  pair.candidate.invocations.back().disturbed_by = {"steal time"};
  const Comparison comparison = worded(compare_runs(pair.baseline, pair.candidate, {}));
  EXPECT_THAT(comparison.warnings, Contains(HasSubstr("4 of 24 processes were disturbed")));
  EXPECT_THAT(comparison.warnings,
              Contains(HasSubstr("3 are excluded, as their rounds were measured again; 1 is used")));
  const auto steps = explain(pair.baseline, pair.candidate, comparison, "all").front().steps;
  EXPECT_THAT(steps.front(), HasSubstr("9 processes, 3 excluded (2 disturbed, 1 of a round that was measured again for "
                                       "the other side); candidate"));
  EXPECT_THAT(steps.front(), HasSubstr("9 processes, 1 disturbed, 3 excluded (1 disturbed, 2 of a round"));
}

// Disturbed is a process only where it had more of it than the others.
TEST(Warnings, OfOtherWorkThroughoutSpeaksTheRunThoughNoProcessIsDisturbed) {
  const auto warnings = [](std::int64_t others_ns) {
    SimulatedPair pair = pair_with(1, 12, Layout::duet);
    for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
      for (Invocation& invocation : run->invocations) {
        invocation.duration_ns = 100'000'000;
        invocation.conditions.other_busy_ns = others_ns;
      }
    }
    return worded(compare_runs(pair.baseline, pair.candidate, {})).warnings;
  };
  EXPECT_THAT(warnings(45'000'000), Contains(HasSubstr("other programs had 35 % of the cores' time")));
  EXPECT_THAT(warnings(20'000'000), Not(Contains(HasSubstr("other programs"))));
}

TEST(Explain, FewRoundsAreShownToo) {
  EXPECT_THAT(steps_of(pair_with(1.05, 4, Layout::duet)), Contains(HasSubstr("above in 4 of 4")));
}

SimulatedPair counted(double baseline, double candidate, double jitter) {
  SimulatedPair pair = pair_with(1, 1, Layout::duet);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    Measurement measurement = run->measurements.front();
    measurement.metric = *well_known_metric(kInstructions);
    measurement.invocations = {{0, {run == &pair.baseline ? baseline : candidate}, {}}};
    measurement.count_basis.jitter = jitter;
    run->measurements = {measurement};
  }
  return pair;
}

TEST(Explain, CountsAreExplainedByTheirJitter) {
  const auto steps = steps_of(counted(1000, 1010, 0));
  EXPECT_THAT(steps.front(), HasSubstr("counted over the timed region"));
  EXPECT_THAT(steps, Contains(StartsWith("test: exact")));
  EXPECT_THAT(steps, Contains(HasSubstr("change: +1.00 %")));
  // A jitter of 2e-6 is not none.
  EXPECT_THAT(steps_of(counted(1000, 1010, 2e-6)), Contains(HasSubstr("the jitter of this count, 0.0002 %")));
}

TEST(Explain, ACountThatDoesNotGateHasNoOtherAnswer) {
  EXPECT_THAT(steps_of(counted(1000, 1010, 0)), Contains(HasSubstr("another answer: none, unless")));
  const auto steps = steps_of(counted(1000, 1005, 0));
  EXPECT_THAT(steps, Contains(StartsWith("gate: it does not gate: it is below the minimum effect of counts, 1 %")));
  EXPECT_THAT(steps, Not(Contains(StartsWith("another answer"))));
}

TEST(Explain, ACountThatWasZeroHasNoRatioToExplain) {
  const auto steps = steps_of(counted(0, 5, 0));
  EXPECT_THAT(steps, Contains(HasSubstr("verdict: regression")));
  EXPECT_THAT(steps, Not(Contains(StartsWith("another answer"))));
}

TEST(Explain, WhatIsMissingIsExplainedToo) {
  SimulatedPair pair = pair_with(1, 12, Layout::duet);
  pair.candidate.measurements.clear();
  const auto steps = steps_of(pair);
  EXPECT_THAT(steps, Contains(HasSubstr("verdict: missing")));
}

TEST(Explain, TakesTheRowsWhoseNameHasThePart) {
  const SimulatedPair pair = pair_with(1, 8, Layout::duet, 12);
  const Comparison comparison = worded(compare_runs(pair.baseline, pair.candidate, {}));
  EXPECT_EQ(explain(pair.baseline, pair.candidate, comparison, "all").size(), 12U);
  EXPECT_EQ(explain(pair.baseline, pair.candidate, comparison, "").size(), 12U);
  EXPECT_EQ(explain(pair.baseline, pair.candidate, comparison, "BM_1").size(), 3U);  // BM_1, BM_10, BM_11
  EXPECT_TRUE(explain(pair.baseline, pair.candidate, comparison, "nothing").empty());
}

TEST(Explain, TellsWhatCopiesOfTheProgramMakeWhereThatIsCalibrated) {
  const SimulatedPair pair = pair_with(1.05, 12, Layout::duet);
  Comparison comparison = worded(compare_runs(pair.baseline, pair.candidate, {}));
  comparison.calibration.emplace();
  comparison.calibration->at_unix_s = 1'795'305'600;
  CalibratedBenchmark& known = comparison.calibration->benchmarks.emplace_back();
  known.benchmark = comparison.rows.front().benchmark;
  known.metric = comparison.rows.front().metric.name;
  const auto steps = [&] { return explain(pair.baseline, pair.candidate, comparison, "all").front().steps; };
  EXPECT_THAT(steps(), Not(Contains(StartsWith("copies: "))));
  known.copies = 0.0062;
  known.processes = 0.0031;
  EXPECT_THAT(steps(), Contains("copies: of the noise between processes, copies of the program make 0.62 %, processes "
                                "of one copy 0.31 % (calibrated on 2026-11-22)"));
}

TEST(Explain, NamesThePolicyOfARow) {
  const SimulatedPair runs = pair_with(1, 16, Layout::duet, 6);
  ComparisonPolicy policy;
  policy.patterns.emplace_back().match = "*";
  policy.patterns[0].where = "steelyard.toml:12";
  policy.patterns[0].minimum_effect = 0.05;
  policy.patterns[0].owner = "kernels";
  const Comparison comparison = worded(compare_runs(runs.baseline, runs.candidate, policy));
  const auto explained = explain(runs.baseline, runs.candidate, comparison, "all");
  ASSERT_FALSE(explained.empty());
  EXPECT_THAT(explained[0].steps,
              Contains("policy: minimum effect 5 % by the policy of \"*\" (steelyard.toml:12); margin 2 % as for all; "
                       "owner kernels"));
  policy.patterns.clear();
  const Comparison plain = worded(compare_runs(runs.baseline, runs.candidate, policy));
  const auto without = explain(runs.baseline, runs.candidate, plain, "all");
  for (const std::string& step : without.at(0).steps) {
    EXPECT_FALSE(step.starts_with("policy:")) << step;
  }
}

// Four processes of the candidate and of the newest run of a history of 20 occasions.
TEST(Explain, OfARowThatAPredictionDecidedIsOfItsHistoryAndNotOfThePair) {
  regress::HistoryBaseline baseline;
  steelyard::Run candidate;
  const auto add = [](steelyard::Run& run, const char* metric, double value) {
    Measurement& measurement = run.measurements.emplace_back();
    measurement.benchmark.name = "slower";
    measurement.metric = *well_known_metric(metric);
    if (measurement.metric.kind == MetricKind::counted) measurement.count_key = "key";
    for (std::uint32_t i = 0; i < 4; ++i) measurement.invocations.push_back({i, {value}, {}});
  };
  for (steelyard::Run* run : {&baseline.newest, &candidate}) {
    run->header.id = run == &candidate ? "candidate" : "newest";
    run->environment.set("cpu.model", "big", true);
    for (int round = 0; round < 4; ++round) run->invocations.emplace_back().round = round;
    add(*run, "real_time", run == &candidate ? 130 : 100);
    add(*run, "instructions", 1000);
  }
  SeriesHistory& history = baseline.series.emplace_back();
  history.series = {"slower", "real_time", "ns", Better::lower, {}};
  for (int i = 0; i < 20; ++i) {
    history.series.points.push_back({{100 * (1 + 0.01 * ((i * 7) % 5 - 2))},
                                     "0123456789abcdef" + std::to_string(i),
                                     candidate.environment.fingerprint(),
                                     "r" + std::to_string(i)});
  }
  Comparison comparison = worded(regress::judge_against_history(baseline, candidate, {}));
  const auto steps_of_metric = [&](const char* metric) {
    const auto explanations = explain(baseline.newest, candidate, comparison, "all");
    EXPECT_EQ(explanations.size(), 2U);
    return std::find_if(explanations.begin(), explanations.end(),
                        [&](const Explanation& one) { return one.metric == metric; })
        ->steps;
  };
  for (const char* part :
       {"history 100 ns", "20 occasions", "Student's t", "family: among 1 comparison", "verdict: regression"}) {
    EXPECT_THAT(steps_of_metric("real_time"), Contains(HasSubstr(part)));
  }
  EXPECT_THAT(steps_of_metric("real_time"), Not(Contains(HasSubstr("processes of one build"))));
  const std::vector<std::string> exact = steps_of_metric("instructions");
  EXPECT_THAT(exact, Contains(StartsWith("test: exact")));
  comparison.history.reset();
  EXPECT_EQ(steps_of_metric("instructions"), exact) << "counts are held against the newest run";
}

// The whole text of two explanations, of numbers that are written down here.

Measurement measurement_of(const std::string& metric, const std::vector<std::vector<double>>& invocations) {
  Measurement measurement;
  measurement.benchmark.name = "BM_sort";
  measurement.metric = *well_known_metric(metric);
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    measurement.invocations.push_back({static_cast<std::uint32_t>(i), invocations[i], {}});
  }
  return measurement;
}

Run run_of(double factor, double count) {
  Run run;
  std::vector<std::vector<double>> times;
  for (int round = 0; round < 8; ++round) {
    Invocation invocation;
    invocation.round = round;
    invocation.slot = (round + (factor == 1 ? 0 : 1)) % 2;
    run.invocations.push_back(invocation);
    const double level = factor * (200000 + 500 * ((round * 5) % 8));
    times.push_back({level, level * 1.001, level * 1.002});
  }
  run.invocations[2].disturbed_by = {"steal time"};
  run.measurements = {measurement_of("real_time", times), measurement_of("instructions", {{count}})};
  return run;
}

ComparisonRow time_row() {
  ComparisonRow row = sample::time_row("BM_sort", 1.04, Verdict::regression);
  row.baseline = 200450;
  row.candidate = 208468;
  row.interval = Interval{1.031, 1.049};
  row.equivalence_interval = Interval{1.033, 1.047};
  row.layout = Layout::interleaved;
  row.rounds = 8;
  row.test = TestKind::rounds;
  row.p = 0.0004;
  row.q = 0.004;
  row.discovery_q = 0.002;
  row.looks = {{6, 0.01, 0.2}, {8, 0.00032, 0.8}};
  row.slot_effect = 1.003;
  row.noise = {0.001, 0.004, 0.01};
  row.margin = 0.03;
  row.minimum_detectable_effect = 0.012;
  row.reason = "4 % slower in 8 rounds";
  return row;
}

TEST(Explanations, GoFromSamplesToAnswers) {
  Comparison comparison;
  ComparisonRow count = sample::instructions_row("BM_sort", 1000, 1010);
  count.test = TestKind::exact;
  count.jitter = 0;
  comparison.rows = {time_row(), count};
  comparison.drifts = {{"real_time", 1.002, 0.004, 23, false}};
  const auto explanations = explain(run_of(1, 1000), run_of(1.04, 1010), comparison, "all");
  golden::expect_equal(terminal_explanations(explanations, {false, true, 100}), "report/explanations.out");
}

TEST(Explanations, AreNothingWhereNothingWasAskedFor) { EXPECT_EQ(terminal_explanations({}, {}), ""); }

}  // namespace
}  // namespace steelyard::ci::explain_test
