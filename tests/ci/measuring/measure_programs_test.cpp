#include "ci/measuring/measure_programs.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "tests/ci/measuring/programs_to_time.hpp"

namespace steelyard {
namespace {

class MeasurePrograms : public ProgramsToTime {
 protected:
  static MeasuringPlan plan_of(std::vector<ProgramPair> programs) {
    MeasuringPlan plan;
    plan.programs = std::move(programs);
    plan.settings.counts = CountChoice::never;
    plan.settings.repetitions = 1;
    plan.settings.min_time = milliseconds(1);
    plan.budget = seconds(60);
    return plan;
  }
};

TEST_F(MeasurePrograms, AskForAsManyRoundsAsTheJudgementNeeds) {
  MeasuringPlan plan = plan_of({{working("", "."), working("", ".")}});
  plan.settings.no_early_stop = true;
  plan.policy.false_alarm_rate = 0.0001;
  plan.budget = nanoseconds(1);  // what is planned is asked here, not what is done
  std::ostringstream err;
  ProgressLine progress(err, false, 80);
  const Result<MeasuredPrograms> measured = measure_programs(plan, progress, nullptr);
  ASSERT_TRUE(measured) << measured.error().text();
  const int needed = rounds_needed(0.0001, 2);
  EXPECT_GT(needed, kUsualRounds);
  EXPECT_EQ(measured->pair.baseline.header.settings.at("rounds_planned"), std::to_string(needed));
}

TEST_F(MeasurePrograms, LookEarlyByAPlanThatIsKeptUnlessTheRoundsAreFixed) {
  MeasuringPlan plan = plan_of({{working("", "."), working("", ".")}});
  plan.budget = nanoseconds(1);
  std::ostringstream err;
  ProgressLine progress(err, false, 80);
  const Result<MeasuredPrograms> early = measure_programs(plan, progress, nullptr);
  ASSERT_TRUE(early) << early.error().text();
  const LookPlan expected = plan_looks({0.05, 2});
  for (const steelyard::Run* run : {&early->pair.baseline, &early->pair.candidate}) {
    EXPECT_EQ(run->header.settings.at("looks"), to_text(expected));
  }
  EXPECT_EQ(mutual_look_plan(early->pair.baseline.header, early->pair.candidate.header), expected);
  plan.settings.rounds = 12;
  const Result<MeasuredPrograms> fixed = measure_programs(plan, progress, nullptr);
  ASSERT_TRUE(fixed) << fixed.error().text();
  EXPECT_FALSE(fixed->pair.baseline.header.settings.contains("looks"));
}

// What no verdict can come of is not measured on for.
TEST_F(MeasurePrograms, EndWithTheFirstLookWhereTheMachinesCalibrationFailed) {
  MeasuringPlan plan = plan_of({{working(""), working("")}});
  plan.policy.false_alarm_rate = 1e-6;  // that no first look could decide at
  int asked = 0;
  plan.calibration = [&asked](const steelyard::Run&, const steelyard::Run& candidate) {
    ++asked;
    Calibration calibration;
    calibration.fingerprint = candidate.environment.fingerprint();
    calibration.layout = candidate.header.layout;
    calibration.failed = true;
    return std::optional(calibration);
  };
  std::ostringstream err;
  ProgressLine progress(err, false, 80);
  const Result<MeasuredPrograms> measured = measure_programs(plan, progress, nullptr);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_GE(asked, 1);
  const LookPlan looks = mutual_look_plan(measured->pair.baseline.header, measured->pair.candidate.header);
  ASSERT_GT(looks.looks.size(), 1U);
  EXPECT_EQ(measured->pair.candidate.header.settings.at("rounds"), std::to_string(looks.looks.front().rounds));
}

TEST_F(MeasurePrograms, JudgeAnOldProgramInPairsBesideANewOne) {
  MeasuringPlan plan = plan_of({{missing("new"), working("new")}, {working("old"), working("old")}});
  plan.settings.rounds = 12;
  std::ostringstream err;
  ProgressLine progress(err, false, 80);
  const Result<MeasuredPrograms> measured = measure_programs(plan, progress, nullptr);
  ASSERT_TRUE(measured) << measured.error().text();
  const Comparison comparison = compare_runs(measured->pair.baseline, measured->pair.candidate, {});
  ASSERT_EQ(comparison.rows.size(), 2U);
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::fresh);
  EXPECT_EQ(comparison.rows[1].benchmark, "BM_same [suite=old]");
  EXPECT_TRUE(is_concurrent(comparison.rows[1].layout)) << to_text(comparison.rows[1].layout);
  EXPECT_EQ(comparison.rows[1].rounds, 12);
}

TEST_F(MeasurePrograms, AloneReportsTheProgramThatCannotBeAsked) {
  std::ostringstream err;
  ProgressLine progress(err, false, 80);
  std::vector<std::string> warnings;
  const Result<steelyard::Run> run = measure_alone(crashing(""), plan_of({}), progress, warnings, nullptr);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::program);
}

}  // namespace
}  // namespace steelyard
