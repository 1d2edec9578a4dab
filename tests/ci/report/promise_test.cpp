#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/report/comparison.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/next_steps.hpp"
#include "ci/report/promise.hpp"
#include "regress/ab/verdict.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::promise_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Comparison judged(int rows) {
  Comparison comparison = sample::quiet_comparison(rows);
  for (ComparisonRow& row : comparison.rows) {
    if (row.metric.kind == MetricKind::noisy) row.q = 1;
  }
  return comparison;
}

std::int64_t noisy(const Comparison& comparison) {
  std::int64_t count = 0;
  for (const ComparisonRow& row : comparison.rows) count += row.metric.kind == MetricKind::noisy ? 1 : 0;
  return count;
}

TEST(Promise, LeavesOutTheLuckOfPagesThatAProgramKept) {
  Comparison comparison = judged(2);
  for (const char* pages : {"copied", "reread"}) {
    comparison.candidate.settings["pages"] = pages;
    EXPECT_THAT(promise_line(comparison), ::testing::Not(HasSubstr("memory pages")));
  }
  comparison.candidate.settings["pages"] = "kept";
  EXPECT_THAT(promise_line(comparison), HasSubstr("but for the luck of the memory pages that each program kept."));
}

TEST(Promise, SaysOverHowManyCodeLayoutsTheirLuckIsAveragedAndWhereItIsNot) {
  Comparison comparison = judged(2);
  EXPECT_THAT(promise_line(comparison), HasSubstr("one layout of its code: that luck is not averaged out (--relink)."));
  for (RunHeader* header : {&comparison.baseline, &comparison.candidate}) {
    keep_code_layouts({4, 5, 6}, {2, 2, 0, 0, 1, 1, 1, 1}, "", header->settings);
  }
  EXPECT_THAT(promise_line(comparison), HasSubstr("code layout is averaged over 3 layouts a build."));
  for (ComparisonRow& row : comparison.rows) row.rounds = 4;
  EXPECT_THAT(promise_line(comparison), HasSubstr("averaged over 2 layouts a build.")) << "it stopped before the third";
  comparison.candidate.settings.erase("code_layout_rounds");
  EXPECT_THAT(promise_line(comparison), HasSubstr("not averaged out")) << "only one side was relinked";
}

TEST(Promise, SpeaksOfTheWholeGateAndOfHowManyComparisonsItHolds) {
  Comparison comparison = judged(4);
  comparison.policy.false_alarm_rate = 0.01;
  comparison.rule_version = "rounds-4";
  EXPECT_EQ(promise_line(comparison),
            "The chance that this gate fails though nothing regressed is at most 1 % (jointly over " +
                std::to_string(noisy(comparison)) +
                " comparisons). Each build was measured in one layout of its code: that luck is not averaged out "
                "(--relink).");
  EXPECT_TRUE(promise_of(comparison).holds);
  comparison.rows.front().test = TestKind::invocations;
  comparison.rule_version = "rounds-5";
  EXPECT_THAT(promise_line(comparison), HasSubstr("(jointly over " + std::to_string(noisy(comparison) - 1) +
                                                  " comparisons, Holm over 1 comparison)"));
  comparison.rule_version = "rounds-3";
  EXPECT_THAT(promise_line(comparison), HasSubstr("(Holm over " + std::to_string(noisy(comparison))));
}

TEST(Promise, QuotesTheCalibration) {
  Comparison comparison = judged(2);
  comparison.calibration.emplace();
  comparison.calibration->false_gates = {0, 40, {0, 0.0881}};
  EXPECT_THAT(promise_line(comparison),
              HasSubstr("; on this machine 0 of 40 A/A gates called a change (0 % to 8.81 %)."));
  comparison.calibration->level = 0.01;
  EXPECT_THAT(promise_line(comparison), HasSubstr("at a rate of 1 %"));
}

TEST(Promise, PromisesNothingWhereItsCalibrationFailedOrTheSidesWereApart) {
  Comparison comparison = judged(2);
  comparison.calibration.emplace();
  comparison.calibration->failed = true;
  EXPECT_FALSE(promise_of(comparison).holds);
  EXPECT_THAT(promise_line(comparison), HasSubstr("nothing is promised"));
  comparison.calibration.reset();
  for (ComparisonRow& row : comparison.rows) row.layout = Layout::sequential;
  EXPECT_FALSE(promise_of(comparison).holds);
  EXPECT_THAT(promise_line(comparison), HasSubstr("do not count as measured together"));
  for (ComparisonRow& row : comparison.rows) row.layout = Layout::separate;
  comparison.rule_version = "rounds-5";
  EXPECT_THAT(promise_line(comparison), HasSubstr("no noisy metric is called a change"));
  for (const char* that_may_call_one : {"rounds-3", "history-5"}) {
    comparison.rule_version = that_may_call_one;
    EXPECT_THAT(promise_line(comparison), HasSubstr("what even that drift cannot explain"));
  }
}

TEST(Promise, OfCountsIsExactnessAndOfNothingNothing) {
  Comparison comparison;
  EXPECT_EQ(promise_line(comparison), "");
  comparison.rows = {sample::instructions_row("a", 1, 1)};
  EXPECT_THAT(promise_line(comparison), HasSubstr("exactly"));
  EXPECT_FALSE(promise_of(comparison).holds);
}

Comparison with_margins(std::initializer_list<double> margins) {
  Comparison comparison;
  for (const double margin : margins) {
    const std::string name(1, static_cast<char>('a' + comparison.rows.size()));
    comparison.rows.push_back(sample::time_row(name, 1, Verdict::unchanged));
    comparison.rows.back().margin = margin;
  }
  return comparison;
}

void calibrate(const std::vector<double>& floors, Comparison& comparison) {
  Calibration& calibration = comparison.calibration.emplace();
  calibration.at_unix_s = 1'795'305'600;
  calibration.false_gates = {0, 10, {0, 0.308}};
  for (std::size_t i = 0; i < floors.size(); ++i) {
    CalibratedBenchmark& benchmark = calibration.benchmarks.emplace_back();
    benchmark.benchmark = comparison.rows.at(i).benchmark;
    benchmark.metric = kRealTime;
    benchmark.alarms.tries = 10;
    benchmark.floor = floors[i];
  }
}

TEST(MarginLine, IsNoneWhereTheMarginIsTheUsualOne) {
  Comparison comparison = with_margins({0.02, 0.02});
  EXPECT_EQ(margin_line(comparison), "");
  calibrate({0.01, 0.015}, comparison);
  EXPECT_EQ(margin_line(comparison), "");
}

TEST(MarginLine, SaysWhatUnchangedMeansAndWhoWidenedIt) {
  Comparison comparison = with_margins({0.02, 0.031, 0.082});
  calibrate({0.01, 0.031, 0.082}, comparison);
  const std::string line =
      "Unchanged means within 3.1 % to 8.2 % for 2 of 3 rows (usually 2 %): the noise floors that 10 A/A gates found "
      "here on 2026-11-22.";
  EXPECT_EQ(margin_line(comparison), line);
  TerminalStyle wide;
  wide.width = 200;
  EXPECT_THAT(terminal_report(comparison, wide), HasSubstr(line));
  EXPECT_THAT(terminal_report(comparison, wide), HasSubstr(", margin 8.2 %"));
  EXPECT_THAT(markdown_report(comparison), HasSubstr("Unchanged means within 3.1 % to 8.2 %"));
  EXPECT_THAT(markdown_report(comparison), HasSubstr(", margin 8.2 %"));
  comparison = with_margins({0.05, 0.05});
  comparison.policy.margin = 0.05;
  EXPECT_EQ(margin_line(comparison), "Unchanged means within 5 % for 2 of 2 rows (usually 2 %): the policy's margin.");
}

TEST(MarginLine, NamesTheRowsThatAFloorLetsNotBeCalledUnchanged) {
  Comparison comparison = with_margins({0.02, 0.02});
  calibrate({0.342, 0.01}, comparison);
  EXPECT_EQ(
      margin_line(comparison),
      "a cannot be called unchanged: in the calibration equal builds lay as far as 34.2 % apart, more than the 10 % "
      "that may be.");
}

TEST(MarginLine, SaysWhichChangesLieWithinTheNoiseOfTheCalibration) {
  Comparison comparison = with_margins({0.09, 0.02, 0.02});
  calibrate({0.09, 0.34, 0.01}, comparison);
  for (ComparisonRow& row : comparison.rows) {
    row.verdict = Verdict::regression;
    row.ratio = 1.0464;
  }
  EXPECT_THAT(margin_line(comparison),
              HasSubstr("In the calibration equal builds lay as far as 9 % to 34 % apart in a, b, which changed by "
                        "less than that here."));
  EXPECT_THAT(margin_line(comparison), Not(HasSubstr("cannot be called unchanged"))) << "they changed";
  TerminalStyle wide;
  wide.width = 200;
  EXPECT_THAT(terminal_report(comparison, wide), HasSubstr(", margin 9 %"));
}

TEST(MarginLine, NamesTheRowsWhoseFloorIsOfTooFewGates) {
  Comparison comparison = with_margins({0.02, 0.02});
  calibrate({0.09, 0.01}, comparison);
  comparison.calibration->benchmarks[0].alarms.tries = 3;
  EXPECT_EQ(margin_line(comparison), "The noise floor of a is of fewer than 6 A/A gates, and not used.");
}

TEST(BrokenRuleLines, SayWhyAGateWithoutARegressionFails) {
  EXPECT_TRUE(broken_rule_lines({}).empty());
  EXPECT_THAT(broken_rule_lines({true, {"BM_a", "BM_x %5Bv2]"}, {"BM_c"}}),
              ElementsAre("fails: nothing was judged",
                          "fails: BM_a, BM_x [v2] skipped themselves, and skips are forbidden "
                          "(--forbid-skips)",
                          "fails: BM_c is inconclusive, and a decision is demanded "
                          "(--demand-decision)"));
}

TEST(PromiseLine, PromisesNothingOfWhatSkippedItself) {
  Comparison comparison;
  comparison.rows = {sample::time_row("a", 1, Verdict::skipped)};
  EXPECT_EQ(promise_line(comparison), "");
}

TEST(PromiseLine, PromisesNothingWhereNoTimesWereCompared) {
  Comparison comparison = sample::quiet_comparison(2);
  for (ComparisonRow& row : comparison.rows) {
    row.notes.add(RowNote::not_timed);
    row.baseline = row.candidate = row.ratio = std::nullopt;
    row.interval.reset();
    row.test = TestKind::none;
    row.rounds = 0;
  }
  comparison.rows.push_back(sample::instructions_row("BM_case/0", 1000, 1000));
  comparison.rows.back().layout = Layout::duet;
  comparison.rows.back().rounds = 2;
  EXPECT_EQ(promise_line(comparison), "Counted metrics are compared exactly, within the jitter that was measured.");
  const steelyard::Run none;
  for (const std::string& report :
       {terminal_report(comparison, {}), markdown_report(comparison), html_report(comparison, {none, none, {}})}) {
    EXPECT_THAT(report, AllOf(Not(HasSubstr("at most 5 %")), Not(HasSubstr("layout of its code")),
                              Not(HasSubstr("seed 7")), Not(HasSubstr("intervals at")), Not(HasSubstr("Measured: "))));
  }
  ComparisonRow failed = comparison.rows.front();
  failed.verdict = Verdict::failed;
  failed.notes = {};
  comparison.rows = {failed, sample::instructions_row("BM_case/0", 1000, 1000)};
  comparison.rows[1].verdict = Verdict::failed;
  comparison.rows[1].candidate = comparison.rows[1].ratio = std::nullopt;
  EXPECT_EQ(promise_line(comparison), "");
  EXPECT_EQ(conditions_line(comparison), "");
  comparison.rows.push_back(sample::time_row("BM_timed", 1, Verdict::unchanged));
  EXPECT_THAT(promise_line(comparison), HasSubstr("at most 5 %"));
  EXPECT_THAT(terminal_report(comparison, {}), HasSubstr("duet, 24 rounds, seed 7"));
}

TEST(PromiseLine, SaysNothingOfTheLayoutsOfWhatOthersRan) {
  Comparison comparison = sample::quiet_comparison(2);
  ASSERT_THAT(promise_line(comparison), HasSubstr("one layout of its code"));
  comparison.baseline.tool = "google-benchmark";
  EXPECT_THAT(promise_line(comparison), Not(HasSubstr("layout of its code")));
}

std::string gate_line_with(Witness witness, double counted_minimum_effect, const std::vector<ComparisonRow>& rows) {
  Comparison comparison;
  comparison.policy.witness = witness;
  comparison.policy.counted_minimum_effect = counted_minimum_effect;
  comparison.rows = rows;
  return gate_line(comparison);
}

TEST(GateLine, SaysThatSmallStepsAddUpWhereTheyWereAddedUp) {
  std::vector<ComparisonRow> rows{sample::instructions_row("a", 1, 1)};
  rows[0].creep.emplace();
  EXPECT_EQ(
      gate_line_with(Witness::either, 0.01, rows),
      "Fails: regressions of instructions by 1 % or more. Smaller steps of a count fail where they add up to that.");
}

TEST(GateLine, SaysOfEachPolicyWhatFails) {
  const std::vector<ComparisonRow> both{sample::time_row("a", 1, Verdict::unchanged),
                                        sample::instructions_row("a", 1, 1)};
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, both),
            "Fails: regressions of time; of instructions by 1 % or more unless time is shown unchanged or better.");
  EXPECT_EQ(gate_line_with(Witness::either, 0.005, both),
            "Fails: regressions of time; of instructions by 0.5 % or more.");
  EXPECT_EQ(gate_line_with(Witness::either, 0, both), "Fails: regressions of time; of instructions.");
  EXPECT_EQ(gate_line_with(Witness::time, 0.01, both),
            "Fails: regressions of time; of instructions by 1 % or more where time was not judged.");
  EXPECT_EQ(gate_line_with(Witness::instructions, 0.01, both),
            "Fails: regressions of instructions by 1 % or more; of time where instructions were not judged.");
  EXPECT_EQ(gate_line_with(Witness::both, 0, both),
            "Fails: regressions of instructions that time confirms, where it was judged; of time that instructions "
            "confirm, where they were judged.");
}

TEST(GateLine, SaysThatWhatIsMissingOrFailedFailsItWhereThatIsThere) {
  const std::vector<ComparisonRow> rows{sample::time_row("a", 1, Verdict::unchanged),
                                        sample::time_row("b", 1, Verdict::missing),
                                        sample::time_row("c", 1, Verdict::failed)};
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, rows), "Fails: regressions of time; and what is missing or failed.");
}

TEST(GateLine, SpeaksOfWhatWasComparedAlone) {
  const ComparisonRow time = sample::time_row("a", 1, Verdict::unchanged);
  const ComparisonRow count = sample::instructions_row("a", 1, 1);
  ComparisonRow allocations = count;
  allocations.metric = *well_known_metric("allocations");
  ComparisonRow cpu_time = time;
  cpu_time.metric = *well_known_metric(kCpuTime);
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {time}), "Fails: regressions of time.");
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {count}), "Fails: regressions of instructions by 1 % or more.");
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {time, time, cpu_time, count, allocations}),
            "Fails: regressions of time; of allocations by 1 % or more; of instructions by 1 % or more unless time is "
            "shown unchanged or better.");
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {cpu_time}), "") << "it does not gate";
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {}), "");
}

TEST(GateLine, SpeaksOfTheMetricsThatThePolicyNames) {
  Comparison comparison;
  comparison.rows = {sample::time_row("a", 1, Verdict::unchanged), sample::instructions_row("a", 1, 1)};
  comparison.policy.gates = {std::string(kInstructions)};
  EXPECT_EQ(gate_line(comparison), "Fails: regressions of instructions by 1 % or more.") << "time excuses nothing";
  comparison.policy.gates = {std::string(kRealTime)};
  EXPECT_EQ(gate_line(comparison), "Fails: regressions of time.");
}

using testing::Contains;
using testing::IsEmpty;

std::vector<std::string> steps_of(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const NextStep& step : next_steps(comparison)) texts.push_back(step.advice + ": " + step.command);
  return texts;
}

Comparison with(const ComparisonRow& row) {
  Comparison comparison;
  comparison.rows = {row};
  return comparison;
}

ComparisonRow undecided(double detectable, std::int32_t rounds) {
  ComparisonRow row = sample::time_row("a", 1.005, Verdict::inconclusive);
  row.minimum_detectable_effect = detectable;
  row.rounds = rounds;
  return row;
}

TEST(NextSteps, AreNoneWhereNothingIsLeftToDo) { EXPECT_THAT(next_steps(sample::quiet_comparison(3)), IsEmpty()); }

TEST(NextSteps, AdviseNothingThatCannotHelp) {
  ComparisonRow nowhere = sample::time_row("(all)", 1, Verdict::missing);
  EXPECT_THAT(steps_of(with(nowhere)), Not(Contains(HasSubstr("missing on purpose"))));
  nowhere.benchmark = "BM_a";
  EXPECT_THAT(steps_of(with(nowhere)), Contains(HasSubstr("missing on purpose")));
  ComparisonRow skips = sample::time_row("BM_a", 1, Verdict::inconclusive);
  skips.interval.reset();
  skips.test = TestKind::none;
  skips.rounds = 0;
  EXPECT_THAT(steps_of(with(skips)), Not(Contains(HasSubstr("--rounds")))) << "it skips itself in part";
}

TEST(NextSteps, SayWhatTheRoundsAtHandCouldShow) {
  EXPECT_THAT(steps_of(with(undecided(0.0234, 24))),
              Contains(AllOf(HasSubstr("1 inconclusive; changes below 2.34 % could hide; measure longer"),
                             HasSubstr("--rounds"))));
  ComparisonRow row = undecided(0.02, 4);
  row.minimum_detectable_effect = std::nullopt;
  EXPECT_THAT(steps_of(with(row)), Contains(AllOf(HasSubstr("1 inconclusive; measure longer"), HasSubstr("--rounds"))));
}

// The detectable effect falls with the root of the rounds: 24 rounds that see 8.2 % see 2 % in 404, and 8.1 % in 394.
TEST(NextSteps, AHopelessNumberOfRoundsIsNotAsked) {
  const auto steps = steps_of(with(undecided(0.082, 24)));
  EXPECT_THAT(steps, Not(Contains(HasSubstr("--rounds"))));
  EXPECT_THAT(steps, Contains(HasSubstr("--margin 9%")));
  EXPECT_THAT(steps_of(with(undecided(0.081, 24))), Contains(HasSubstr("--rounds")));
}

TEST(NextSteps, AMarginThatWouldHideWhatPeopleAskForIsNotOffered) {
  const auto steps = steps_of(with(undecided(0.31, 24)));
  EXPECT_THAT(steps, Not(Contains(HasSubstr("--margin"))));
  EXPECT_THAT(steps, Contains(HasSubstr("see what disturbs this machine: steelyard doctor")));
}

TEST(NextSteps, OfNoiseInWhichAnythingHidesTheMachineIsToBlameOnceTheRoundsWouldTell) {
  EXPECT_THAT(steps_of(with(undecided(30, 4))),
              ElementsAre("1 inconclusive, of too few rounds to say more; measure longer: --rounds N"));
  EXPECT_THAT(steps_of(with(undecided(30, 16))),
              ElementsAre("1 inconclusive, too noisy for 400 rounds to tell; see what disturbs this machine: steelyard "
                          "doctor"));
}

TEST(NextSteps, WhatTheBudgetEndedWantsMoreOfIt) {
  Comparison comparison = with(undecided(0.0234, 6));
  EXPECT_THAT(steps_of(comparison), Contains(Not(HasSubstr("--budget"))));
  keep_stop(Stop::budget_spent, 6, comparison.candidate.settings);
  EXPECT_THAT(steps_of(comparison), Contains(AllOf(HasSubstr("--rounds"), HasSubstr("--budget DURATION"))));
  comparison = with(sample::instructions_row("a", 1000, 1000));
  comparison.rows[0].verdict = Verdict::inconclusive;
  comparison.rows[0].ratio.reset();
  EXPECT_THAT(steps_of(comparison), Not(Contains(HasSubstr("not reached")))) << "both sides were counted";
  comparison.rows[0].candidate.reset();
  EXPECT_THAT(steps_of(comparison),
              ElementsAre("1 count was not reached in time; allow more of it: --budget DURATION"));
  comparison.rows[0].notes.add(RowNote::skipped_by_baseline);
  EXPECT_THAT(steps_of(comparison), Not(Contains(HasSubstr("not reached"))));
}

TEST(NextSteps, WhatIsContradictedAloneIsMeasuredInTurns) {
  ComparisonRow row = undecided(0.0234, 24);
  row.notes.add(RowNote::contradicted_alone);
  const auto steps = steps_of(with(row));
  EXPECT_THAT(steps, ElementsAre("1 changed side by side and not alone; measure in turns: --layout interleaved"));
}

// What a row's reason says would tell is what the last lines ask for.
TEST(NextSteps, AskForTheRoundsThatTheReasonsName) {
  Comparison comparison = with(undecided(0.12, 24));
  comparison.rows[0].rounds_wanted = 48;
  EXPECT_THAT(steps_of(comparison), Contains(AllOf(HasSubstr("1 inconclusive;"), HasSubstr("--rounds 48"))));
  comparison.rows[0].minimum_detectable_effect = 749760.74;
  EXPECT_THAT(steps_of(comparison), Contains(HasSubstr("1 inconclusive; any change could hide; measure longer")));
  comparison.rows[0].minimum_detectable_effect = 0.12;
  comparison.rows.push_back(comparison.rows[0]);
  comparison.rows[1].rounds_wanted = 752;
  comparison.rows[1].minimum_detectable_effect = 0.21;
  const auto steps = steps_of(comparison);
  EXPECT_THAT(steps,
              Contains(AllOf(HasSubstr("1 inconclusive; changes below 12 % could hide"), HasSubstr("--rounds 48"))));
  EXPECT_THAT(steps, Contains("1 inconclusive, too noisy; about 752 rounds would tell; see what disturbs this machine: "
                              "steelyard doctor"));
  comparison.rows.push_back(comparison.rows[1]);
  comparison.rows[2].rounds_wanted = regress::kMaxRoundsNamed;
  EXPECT_THAT(steps_of(comparison),
              Contains(HasSubstr("2 inconclusive, too noisy; about 752 rounds would tell; of 1 of them even 1,000 "
                                 "rounds of this noise may not tell; see")));
  comparison.rows[1].rounds_wanted.reset();
  EXPECT_THAT(steps_of(comparison), Contains(HasSubstr("2 inconclusive, too noisy; see"))) << "one does not know";
  comparison.rows[1].rounds_wanted = regress::kMaxRoundsNamed;
  EXPECT_THAT(steps_of(comparison), Contains(HasSubstr("2 inconclusive, too noisy; even 1,000 rounds of this noise may "
                                                       "not tell; see")));
}

TEST(NextSteps, AFilterMatchesTheNameAndNoOther) {
  const auto steps = steps_of(with(sample::time_row("nice (v2) %5Bx] [suite=s]", 1, Verdict::failed)));
  EXPECT_THAT(steps, Contains(HasSubstr("--benchmark_filter='^nice \\(v2\\) \\[x]$'")));
}

TEST(NextSteps, OfSidesFromBeforeAreWholeCommandsAndNoPastThatNobodyKept) {
  Comparison comparison = with(sample::time_row("a", 1.2, Verdict::regression));
  comparison.rows.push_back(undecided(0.0234, 24));
  comparison.rows.push_back(undecided(0.0234, 24));
  comparison.rows.back().notes.add(RowNote::contradicted_alone);
  comparison.rows.push_back(undecided(30, 4));
  keep_stop(Stop::budget_spent, 6, comparison.candidate.settings);
  EXPECT_THAT(steps_of(comparison), AllOf(Contains("count instructions to see which function did it: --counts always"),
                                          Contains("see its past: steelyard history 'a'")));
  const std::vector<NextStep> steps = next_steps(comparison, SidesFrom::before);
  ASSERT_EQ(steps.size(), 4U);
  for (const NextStep& step : steps) EXPECT_THAT(step.command, testing::StartsWith("steelyard ab OLD NEW --"));
  EXPECT_EQ(steps[0].command, "steelyard ab OLD NEW --counts always");
  const steelyard::Run none;
  for (const std::string& report : {terminal_report(comparison, {}, {}, Extent::brief, SidesFrom::before),
                                    terminal_report(comparison, {}, {}, Extent::whole, SidesFrom::before),
                                    markdown_report(comparison, {}, Extent::brief, SidesFrom::before),
                                    markdown_report(comparison, {}, Extent::whole, SidesFrom::before),
                                    html_report(comparison, {none, none, {}, SidesFrom::before})}) {
    EXPECT_THAT(report, AllOf(HasSubstr("steelyard ab OLD NEW --counts always"), Not(HasSubstr("steelyard history"))));
  }
}

TEST(NextSteps, OfAComparisonThatWasKeptNothingIsAnOptionOfWhatTellsItNorAPathOfAnotherMachine) {
  Comparison comparison = with(sample::instructions_row("a", 1000, 1200));
  comparison.rows[0].functions = {{"work(int)", "work.cpp", 3, 200, 200, 0, 1, true}};
  comparison.rows.push_back(sample::time_row("b", 1, Verdict::failed));
  comparison.rows.push_back(sample::time_row("c", 1, Verdict::incomparable));
  comparison.rows.push_back(undecided(0.0234, 24));
  comparison.environment_differences = {{"cpu.model", "x", "y", true}};
  comparison.candidate.program = "/there/bench";
  std::vector<std::string> texts;
  for (const NextStep& step : next_steps(comparison, SidesFrom::kept)) {
    texts.push_back(step.advice + ": " + step.command);
    EXPECT_FALSE(step.command.starts_with("--")) << step.command;
  }
  EXPECT_THAT(texts, Contains("see which calls led there, as a flame graph: steelyard compare BASELINE CANDIDATE "
                              "--flame-dir FOLDER"));
  EXPECT_THAT(texts, Contains("run what failed alone: PROGRAM --benchmark_filter='^b$'"));
  EXPECT_THAT(texts, Contains("or say that the difference does not matter: steelyard compare BASELINE CANDIDATE "
                              "--ignore-fact cpu.model"));
  EXPECT_THAT(texts, Contains(HasSubstr("steelyard ab OLD NEW --rounds")));
  EXPECT_THAT(texts, Not(Contains(HasSubstr("steelyard history"))));
}

TEST(NextSteps, OfWhatWasNotKeptHaveNoPast) {
  const Comparison comparison = with(sample::time_row("a", 1.2, Verdict::regression));
  const auto commands = [&](SidesFrom from) {
    std::string text;
    for (const NextStep& step : next_steps(comparison, from)) text += step.command + "\n";
    return text;
  };
  EXPECT_THAT(commands(SidesFrom::this_command), HasSubstr("steelyard history"));
  EXPECT_EQ(commands(SidesFrom::unkept), "--counts always\n");
}

TEST(NextSteps, InACommentSayWhereAnOptionGoesAndAskNothingOfAMachineThatIsGone) {
  Comparison comparison = with(undecided(0.0234, 6));
  comparison.rows.push_back(undecided(0.31, 24));
  comparison.rows.push_back(undecided(0.0234, 24));
  comparison.rows.back().notes.add(RowNote::contradicted_alone);
  keep_stop(Stop::budget_spent, 6, comparison.candidate.settings);
  std::vector<std::string> texts;
  for (const NextStep& step : next_steps(comparison, SidesFrom::unkept, ReadAt::comment)) {
    texts.push_back(step.advice + ": " + step.command);
  }
  const std::string place = ", among the arguments of the gate's job or in steelyard.toml: ";
  EXPECT_THAT(texts,
              ElementsAre("1 changed side by side and not alone; measure in turns" + place + "--layout interleaved",
                          "1 inconclusive; changes below 2.34 % could hide; measure longer" + place +
                              "--rounds N --budget DURATION",
                          "1 inconclusive, too noisy for 400 rounds to tell; use a quieter machine: "));
  EXPECT_THAT(markdown_report(comparison), AllOf(HasSubstr("arguments of the gate's job"), Not(HasSubstr("doctor"))));
  EXPECT_THAT(terminal_report(comparison, {}), AllOf(Not(HasSubstr("gate's job")), HasSubstr("doctor")));
  const Comparison every = sample::comparison_with_every_verdict();
  EXPECT_THAT(terminal_report(every, {}), HasSubstr("--flame-dir"));
  EXPECT_THAT(markdown_report(every), Not(HasSubstr("--flame-dir"))) << "the job leaves its page";
}

TEST(NextSteps, AskForNoMoreRoundsOfWhatCountingShowedToBeEqual) {
  Comparison comparison = with(undecided(0.0234, 12));
  EXPECT_THAT(steps_of(comparison), Contains(HasSubstr("--rounds")));
  keep_first_look_only({"a"}, comparison.candidate.settings);
  EXPECT_THAT(steps_of(comparison), IsEmpty());
}

TEST(NextSteps, AMarginBeyondAllSenseIsNotOffered) {
  Comparison comparison = sample::quiet_comparison(1);
  comparison.rows[0].verdict = Verdict::inconclusive;
  comparison.rows[0].rounds = 2;
  comparison.rows[0].minimum_detectable_effect = 4.9e86;
  EXPECT_THAT(steps_of(comparison), Contains(AllOf(HasSubstr("too few rounds"), HasSubstr("--rounds N"))));
  EXPECT_THAT(steps_of(comparison), Not(Contains(HasSubstr("--margin"))));
}

TEST(NextSteps, SidesMeasuredApartAreMeasuredTogetherInsteadOfLonger) {
  ComparisonRow row = undecided(0.02, 24);
  row.layout = Layout::sequential;
  EXPECT_THAT(steps_of(with(row)), Contains(HasSubstr("steelyard ab OLD NEW")));
  EXPECT_THAT(steps_of(with(row)), Not(Contains(HasSubstr("--rounds"))));
}

TEST(NextSteps, BeginAtTheCulprit) {
  const auto steps = steps_of(sample::comparison_with_every_verdict());
  EXPECT_EQ(steps.at(0), "start at textkit::tokenize: src/tokenizer.cpp:41");
}

TEST(NextSteps, NamesReachTheShellAsOneWord) {
  ComparisonRow row = sample::time_row("BM_it's/<a b> [suite=cpu]", 1.1, Verdict::regression);
  EXPECT_THAT(steps_of(with(row)), Contains(HasSubstr("steelyard history 'BM_it'\\''s/<a b>'")));
}

TEST(NextSteps, NameTheFlameGraphsAndCountThemBeyondTheThird) {
  Comparison comparison;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    comparison.rows.push_back(sample::time_row(name, 1.2, Verdict::regression));
    comparison.rows.back().flame_graph = std::string("pictures/") + name + ".html";
  }
  const auto steps = steps_of(comparison);
  EXPECT_THAT(steps, Contains("see where the instructions of a went: pictures/a.html"));
  EXPECT_THAT(steps, Contains("and 2 more flame graphs beside it: "));
  EXPECT_THAT(steps, Not(Contains(HasSubstr("pictures/d.html"))));
}

TEST(NextSteps, AFlameGraphIsOfferedForACountThatRegressedUntilOneIsDrawn) {
  Comparison comparison;
  comparison.rows.push_back(sample::instructions_row("a", 10, 12));
  comparison.rows.back().functions.push_back({});
  EXPECT_THAT(steps_of(comparison), Contains("see which calls led there, as a flame graph: --flame-dir FOLDER"));
  comparison.rows.back().flame_graph = "pictures/a.html";
  EXPECT_THAT(steps_of(comparison), Not(Contains(HasSubstr("--flame-dir"))));
  EXPECT_THAT(steps_of(with(sample::instructions_row("a", 10, 10))), Not(Contains(HasSubstr("--flame-dir"))));
}

TEST(NextSteps, CountsAreOfferedOnlyWhereThereAreNone) {
  Comparison comparison = with(sample::time_row("a", 1.1, Verdict::regression));
  EXPECT_THAT(steps_of(comparison), Contains(HasSubstr("--counts always")));
  Comparison lacking = comparison;
  lacking.candidate.settings["counting.lack"] = "valgrind was not found; install it";
  EXPECT_THAT(steps_of(lacking), Contains("counting instructions tells which function did it, but could not be done: "
                                          "valgrind was not found; install it: "));
  EXPECT_THAT(steps_of(lacking), Not(Contains(HasSubstr("--counts always"))));
  EXPECT_THAT(renames_need_counts(lacking.candidate), testing::EndsWith("valgrind was not found; install it; or write "
                                                                        "the line of [rename] yourself"));
  EXPECT_THAT(renames_need_counts(comparison.candidate), HasSubstr("measure with --counts always, or write"));
  comparison.rows.push_back(sample::instructions_row("a", 10, 10));
  EXPECT_THAT(steps_of(comparison), Not(Contains(HasSubstr("--counts always"))));
}

}  // namespace

}  // namespace steelyard::ci::promise_test
