#include "ci/judging/judge.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace steelyard::ci::outcome_test {
namespace {

ComparisonRow row(Verdict verdict, std::string_view metric = kRealTime) {
  ComparisonRow made;
  made.benchmark = "BM_x";
  made.metric = *well_known_metric(metric);
  made.verdict = verdict;
  return made;
}

Run run_with(const std::vector<Failure>& failures, bool with_count = false) {
  Run run;
  run.failures = failures;
  if (with_count) {
    run.measurements.push_back({parse_google_benchmark_name("BM_x"), *well_known_metric(kInstructions), "", {}});
  }
  return run;
}

int outcome(const std::vector<ComparisonRow>& rows, const Run& baseline = {}, const Run& candidate = {},
            bool demand_decision = false) {
  Comparison comparison;
  comparison.rows = rows;
  return static_cast<int>(outcome_of(comparison, baseline, candidate, {demand_decision}));
}

TEST(Outcome, FollowsTheVerdictOfALoneRow) {
  EXPECT_EQ(outcome({row(Verdict::regression)}), 1);
  EXPECT_EQ(outcome({row(Verdict::improvement)}), 0);
  EXPECT_EQ(outcome({row(Verdict::unchanged)}), 0);
  EXPECT_EQ(outcome({row(Verdict::fresh)}), 0);
  EXPECT_EQ(outcome({row(Verdict::missing)}), 2);
  EXPECT_EQ(outcome({row(Verdict::incomparable)}), 2);
}

TEST(Outcome, OfInconclusiveDependsOnWhetherADecisionIsDemanded) {
  EXPECT_EQ(outcome({row(Verdict::inconclusive)}), 0);
  EXPECT_EQ(outcome({row(Verdict::inconclusive)}, {}, {}, true), 2);
}

TEST(Outcome, OfNoRowAtAllIsNoPass) { EXPECT_EQ(outcome({}), 2); }

TEST(Outcome, TellsTheCandidatesCrashFromTheBaselines) {
  const steelyard::Run crashed = run_with({{parse_google_benchmark_name("BM_x"), "", 0, "signal 11"}});
  const steelyard::Run elsewhere = run_with({{parse_google_benchmark_name("BM_y"), "", 0, "signal 11"}});
  EXPECT_EQ(outcome({row(Verdict::failed)}, {}, crashed), 4);
  EXPECT_EQ(outcome({row(Verdict::failed)}, crashed, {}), 2);
  EXPECT_EQ(outcome({row(Verdict::failed)}, crashed, elsewhere), 2);
}

// Where the baseline crashed, what kept the candidate from being tried is no failure of it: neither its budget nor an
// interruption.
TEST(Outcome, OfABaselinesCrashIsNotTheCandidatesWhereThatWasNotReached) {
  const steelyard::Run crashed = run_with({{parse_google_benchmark_name("BM_x"), "", 0, "signal 11"}});
  const steelyard::Run unspent =
      run_with({{parse_google_benchmark_name("BM_x"), "", -1, "the budget was spent", FailureKind::not_reached}});
  const steelyard::Run interrupted = run_with({{parse_google_benchmark_name("BM_x"), std::string(kRealTime), -1,
                                                "interrupted before it", FailureKind::not_reached}});
  EXPECT_EQ(outcome({row(Verdict::failed)}, crashed, unspent), 2);
  EXPECT_EQ(outcome({row(Verdict::failed)}, crashed, interrupted), 2);
  EXPECT_EQ(outcome({row(Verdict::failed)}, crashed, crashed), 4);
}

TEST(Outcome, OfAProgramsFailureConcernsRowsOfItsSuiteAlone) {
  BenchmarkId program;
  program.suite = "b";
  const steelyard::Run crashed = run_with({{program, "", -1, "signal 11"}});
  ComparisonRow own = row(Verdict::failed);
  own.benchmark = "BM_x [suite=b,dtype=f32]";
  ComparisonRow other = row(Verdict::failed);
  other.benchmark = "BM_x [suite=a]";
  ComparisonRow whole = row(Verdict::failed);
  whole.benchmark = "(the whole program)";
  EXPECT_EQ(outcome({own}, {}, crashed), 4);
  EXPECT_EQ(outcome({whole}, {}, crashed), 4);
  EXPECT_EQ(outcome({other}, {}, crashed), 2);
  const steelyard::Run unnamed = run_with({{{}, "", -1, "signal 11"}});
  EXPECT_EQ(outcome({other}, {}, unnamed), 4) << "of an archive that does not say whose failure it was";
}

TEST(Outcome, WhatBothSidesSkippedWasNotToBeJudged) {
  const steelyard::Run skipped =
      run_with({{parse_google_benchmark_name("BM_x"), "", 0, "the benchmark was skipped: f8 needs a newer device",
                 FailureKind::skipped}});
  ComparisonRow judged = row(Verdict::unchanged);
  judged.benchmark = "BM_y";
  EXPECT_EQ(outcome({row(Verdict::skipped), judged}, skipped, skipped), 0);
  EXPECT_EQ(outcome({row(Verdict::skipped)}, skipped, skipped), 2) << "nothing at all was judged";
  EXPECT_EQ(outcome({row(Verdict::missing), judged}, {}, skipped), 2) << "the baseline can do it";
}

TEST(BrokenRules, NameTheRowsThatFailByARuleAlone) {
  Comparison comparison;
  comparison.rows = {row(Verdict::skipped), row(Verdict::inconclusive), row(Verdict::unchanged)};
  comparison.rows[0].benchmark = "BM_s";
  EXPECT_TRUE(broken_rules(comparison, {}).skipped.empty());
  const BrokenRules broken = broken_rules(comparison, {.demand_decision = true, .forbid_skips = true});
  EXPECT_EQ(broken.skipped, std::set<std::string>{"BM_s"});
  EXPECT_EQ(broken.undecided, std::set<std::string>{comparison.rows[1].benchmark});
  EXPECT_FALSE(broken.nothing_judged);
  comparison.rows.resize(1);
  EXPECT_TRUE(broken_rules(comparison, {}).nothing_judged);
  comparison.rows.clear();
  EXPECT_FALSE(broken_rules(comparison, {}).nothing_judged) << "a report says of itself that it is empty";
}

TEST(Outcome, OfASkipIsNoPassWhereThePolicyForbidsIt) {
  ComparisonRow judged = row(Verdict::unchanged);
  judged.benchmark = "BM_y";
  Comparison comparison;
  comparison.rows = {row(Verdict::skipped), judged};
  EXPECT_EQ(static_cast<int>(outcome_of(comparison, {}, {}, {.forbid_skips = true})), 2);
  comparison.rows.front().gates = false;
  EXPECT_EQ(static_cast<int>(outcome_of(comparison, {}, {}, {.forbid_skips = true})), 0);
  Configuration configuration;
  EXPECT_FALSE(outcome_rules(configuration).forbid_skips);
  configuration.policy.forbid_skips = true;
  EXPECT_TRUE(outcome_rules(configuration).forbid_skips);
}

TEST(Outcome, OfAnErrorThatABenchmarkReportedIsNotThatOfACrash) {
  const steelyard::Run error = run_with({{parse_google_benchmark_name("BM_x"), "", 0,
                                          "the benchmark skipped itself with an error: x", FailureKind::reported_error},
                                         {parse_google_benchmark_name("BM_x"), std::string(kInstructions), -1, "x"}});
  EXPECT_EQ(outcome({row(Verdict::missing)}, {}, error), 2);
}

// Time was judged; the counts of a side failed where `has_count` is false.
int outcome_of_failed_counts(bool baseline_has_count, bool candidate_has_count, const ComparisonPolicy& policy = {},
                             const OutcomeRules& rules = {}) {
  const auto side = [](bool has_count) {
    if (has_count) return run_with({}, true);
    return run_with({{parse_google_benchmark_name("BM_x"), std::string(kInstructions), -1, "stripped"}});
  };
  Comparison comparison;
  comparison.policy = policy;
  comparison.rows = {row(Verdict::unchanged), row(Verdict::failed, kInstructions)};
  return static_cast<int>(outcome_of(comparison, side(baseline_has_count), side(candidate_has_count), rules));
}

TEST(Outcome, OfCountsThatFailedOnBothSidesPassesOnlyWhereNobodyAskedForThem) {
  EXPECT_EQ(outcome_of_failed_counts(false, false), 0);
  EXPECT_EQ(outcome_of_failed_counts(false, false, {}, {false, true}), 2);
  ComparisonPolicy named;
  named.metrics = {std::string(kRealTime), std::string(kInstructions)};
  EXPECT_EQ(outcome_of_failed_counts(false, false, named), 2);
}

// The row of counts as excuse_counts() leaves it.
ComparisonRow row_of_failed_counts(const Run& side, const OutcomeRules& rules = {}, bool any_judged = true,
                                   bool time_alone_gates = false) {
  Comparison comparison;
  comparison.rows = {row(any_judged ? Verdict::unchanged : Verdict::missing), row(Verdict::failed, kInstructions)};
  if (time_alone_gates) {
    comparison.policy.gates = {std::string(kRealTime)};
    comparison.rows[1].gates = false;
    comparison.rows[1].gate_note = "by the policy";
    const bool fails = outcome_of(comparison, side, side, rules) != ExitCode::success;
    EXPECT_EQ(fails, rules.demand_counts) << "whatever gates";
  }
  excuse_counts(side, side, rules, comparison);
  EXPECT_TRUE(comparison.rows[0].gates);
  return comparison.rows[1];
}

TEST(Outcome, CountsThatFailedAndThatNobodyAskedForDoNotGateAndSaySo) {
  const steelyard::Run failed =
      run_with({{parse_google_benchmark_name("BM_x"), std::string(kInstructions), -1, "stripped"}});
  const ComparisonRow excused = row_of_failed_counts(failed);
  EXPECT_FALSE(excused.gates);
  EXPECT_EQ(excused.gate_note, "nobody asked for counts, and neither side has one");
  EXPECT_EQ(excused.notes, RowNotes{RowNote::not_asked_for});
  EXPECT_EQ(row_of_failed_counts(failed, {false, true}).notes, RowNotes{});
  EXPECT_TRUE(row_of_failed_counts(failed, {false, true}).gates) << "an option demands them";
  EXPECT_EQ(row_of_failed_counts(failed, {}, true, true).gate_note, excused.gate_note) << "time alone gates";
  EXPECT_EQ(row_of_failed_counts(failed, {false, true}, true, true).gate_note, "by the policy") << "demanded";
  EXPECT_TRUE(row_of_failed_counts(failed, {}, false).gates) << "nothing else was judged";
  EXPECT_TRUE(row_of_failed_counts(run_with({}, true)).gates) << "there are counts";
  const steelyard::Run crashed = run_with({{parse_google_benchmark_name("BM_x"), "", 0, "signal 11"}});
  EXPECT_TRUE(row_of_failed_counts(crashed).gates) << "the program failed";
}

TEST(Outcome, OfACountThatOneSideAloneHasIsNoPass) {
  EXPECT_EQ(outcome_of_failed_counts(true, false), 2);
  EXPECT_EQ(outcome_of_failed_counts(false, true), 2);
}

TEST(Outcome, OfARowThatDoesNotGateIsSuccess) {
  const auto told = [](Verdict verdict) {
    ComparisonRow made = row(verdict, kInstructions);
    made.gates = false;
    return made;
  };
  for (const Verdict verdict :
       {Verdict::regression, Verdict::missing, Verdict::incomparable, Verdict::inconclusive, Verdict::failed}) {
    EXPECT_EQ(outcome({row(Verdict::unchanged), told(verdict)}, run_with({}, true), {}, true), 0) << to_text(verdict);
  }
  EXPECT_EQ(outcome({row(Verdict::regression), told(Verdict::improvement)}), 1);
  EXPECT_EQ(outcome({told(Verdict::regression)}), 0) << "it was judged";
}

TEST(Outcome, OfACrashIsTheProgramsFailureThoughTheRowDoesNotGate) {
  const steelyard::Run crashed = run_with({{parse_google_benchmark_name("BM_x"), "", 0, "signal 11"}});
  ComparisonRow told = row(Verdict::failed);
  told.gates = false;
  EXPECT_EQ(outcome({row(Verdict::unchanged), told}, {}, crashed), 4);
}

TEST(Outcome, OfDemandedCountsThatDoNotGateIsNoPassWhereTheyWereNotJudged) {
  ComparisonRow told = row(Verdict::incomparable, kInstructions);
  told.gates = false;
  Comparison comparison;
  comparison.rows = {row(Verdict::unchanged), told};
  EXPECT_EQ(static_cast<int>(outcome_of(comparison, {}, {}, {})), 0);
  EXPECT_EQ(static_cast<int>(outcome_of(comparison, {}, {}, {false, true})), 2);
}

TEST(Outcome, OfRowsNoneOfWhichWasJudgedIsNoPass) {
  const steelyard::Run failed =
      run_with({{parse_google_benchmark_name("BM_x"), std::string(kInstructions), -1, "stripped"}});
  EXPECT_EQ(outcome({row(Verdict::failed, kInstructions)}, failed, failed), 2);
}

TEST(Outcome, OfABenchmarkThatCrashedIsTheProgramsFailureThoughOnlyCountsAreJudged) {
  const steelyard::Run crashed = run_with({{parse_google_benchmark_name("BM_x"), "", 0, "signal 11"}});
  EXPECT_EQ(outcome({row(Verdict::failed, kInstructions)}, run_with({}, true), crashed), 4);
}

TEST(Outcome, OfABadRecordIsNotJudgedOnEitherSideAndWhateverItsMetric) {
  const auto bad = [](const char* benchmark, std::string_view metric) {
    return run_with({{parse_google_benchmark_name(benchmark), std::string(metric), 0, "bad record benchmarks[0]",
                      FailureKind::bad_record}});
  };
  EXPECT_EQ(outcome({row(Verdict::failed)}, {}, bad("BM_x", kRealTime)), 2);
  EXPECT_EQ(outcome({row(Verdict::unchanged)}, {}, bad("BM_x", kCpuTime)), 2);
  EXPECT_EQ(outcome({row(Verdict::unchanged)}, bad("BM_other", ""), {}), 2);
  EXPECT_EQ(outcome({row(Verdict::regression)}, {}, bad("BM_x", kCpuTime)), 1);
}

TEST(Outcome, OfARecordThatAMeasuredProgramWroteBadlyIsTheProgramsFailure) {
  const auto run = run_with({{parse_google_benchmark_name("BM_x"), "", 0, "its output, benchmarks[0]: found NaN"}});
  EXPECT_EQ(outcome({row(Verdict::failed)}, {}, run), 4);
}

TEST(Outcome, RulesTakeCountsAsDemandedWhereTheyAreAlwaysTaken) {
  Configuration configuration;
  EXPECT_FALSE(outcome_rules(configuration).demand_counts);
  configuration.run.counts = bench::CountChoice::always;
  configuration.policy.demand_decision = true;
  EXPECT_TRUE(outcome_rules(configuration).demand_counts);
  EXPECT_TRUE(outcome_rules(configuration).demand_decision);
}

TEST(Outcome, OfTargetsIsThatOfARegressionOrOfWhatWasNotJudged) {
  const auto of = [](std::vector<TargetVerdict> verdicts) {
    TargetReport report;
    for (const TargetVerdict verdict : verdicts) report.targets.emplace_back().verdict = verdict;
    return static_cast<int>(outcome_of(report));
  };
  EXPECT_EQ(of({}), 0);
  EXPECT_EQ(of({TargetVerdict::met, TargetVerdict::met}), 0);
  EXPECT_EQ(of({TargetVerdict::met, TargetVerdict::undecided}), 2);
  EXPECT_EQ(of({TargetVerdict::undecided, TargetVerdict::missed}), 1);
}

TEST(Outcome, OfSeveralRowsIsTheWorstByTheContract) {
  const steelyard::Run crashed = run_with({{parse_google_benchmark_name("BM_x"), "", 0, "signal 11"}});
  EXPECT_EQ(outcome({row(Verdict::missing), row(Verdict::regression), row(Verdict::unchanged)}), 1);
  EXPECT_EQ(outcome({row(Verdict::regression), row(Verdict::failed)}, {}, crashed), 4);
}

}  // namespace
}  // namespace steelyard::ci::outcome_test
