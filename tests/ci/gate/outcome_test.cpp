#include "ci/gate/outcome.hpp"

#include <gtest/gtest.h>

namespace steelyard {
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

TEST(Outcome, OfACountThatFailedIsALossOnlyWhereTheBaselineHasIt) {
  const steelyard::Run failed =
      run_with({{parse_google_benchmark_name("BM_x"), std::string(kInstructions), -1, "stripped"}});
  EXPECT_EQ(outcome({row(Verdict::failed, kInstructions)}, failed, failed), 0);
  EXPECT_EQ(outcome({row(Verdict::failed, kInstructions)}, run_with({}, true), failed), 2);
}

TEST(Outcome, OfSeveralRowsIsTheWorstByTheContract) {
  const steelyard::Run crashed = run_with({{parse_google_benchmark_name("BM_x"), "", 0, "signal 11"}});
  EXPECT_EQ(outcome({row(Verdict::missing), row(Verdict::regression), row(Verdict::unchanged)}), 1);
  EXPECT_EQ(outcome({row(Verdict::regression), row(Verdict::failed)}, {}, crashed), 4);
}

}  // namespace
}  // namespace steelyard
