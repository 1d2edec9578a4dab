#include "ci/measuring/measure_programs.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "ci/measuring/measure_gates.hpp"
#include "ci/measuring/time_programs.hpp"
#include "regress/ab/permutations.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "tests/ci/measuring/programs_to_time.hpp"

namespace steelyard::ci::measure_programs_test {
namespace {

class MeasurePrograms : public ProgramsToTime {
 protected:
  void SetUp() override {
    ProgramsToTime::SetUp();
    configuration_.run.counts = bench::CountChoice::never;
    configuration_.run.repetitions = 1;
    configuration_.run.min_time = milliseconds(1);
    configuration_.run.budget = seconds(60);
  }
  Result<MeasuredPrograms> measured(const std::vector<ProgramPair>& programs) {
    return measure_programs(programs, configuration_, calibration_, progress_, nullptr);
  }
  std::ostringstream err_;
  ProgressLine progress_{err_, false, 80};
  Configuration configuration_;
  CalibrationLookup calibration_;
};

TEST_F(MeasurePrograms, AskForAsManyRoundsAsTheJudgementNeeds) {
  const std::vector<ProgramPair> programs{{working("", "."), working("", ".")}};
  configuration_.run.no_early_stop = true;
  configuration_.policy.comparison.false_alarm_rate = 0.0001;
  configuration_.run.budget = nanoseconds(1);  // what is planned is asked here, not what is done
  const Result<MeasuredPrograms> measured = this->measured(programs);
  ASSERT_TRUE(measured) << measured.error().text();
  const int needed = regress::rounds_needed(0.0001, 1);
  EXPECT_GT(needed, bench::kUsualRounds);
  EXPECT_EQ(measured->pair.baseline.header.settings.at("rounds_planned"), std::to_string(needed));
}

// Those that other machines measure are judged with them.
TEST_F(MeasurePrograms, TakeMoreFixedRoundsOfManyBenchmarks) {
  configuration_.run.no_early_stop = true;
  configuration_.run.budget = nanoseconds(1);
  Result<ListedPair> listed = list_pair({working("", "."), working("", ".")}, configuration_.run, nullptr);
  ASSERT_TRUE(listed) << listed.error().text();
  const auto planned = [&](std::size_t benchmarks) {
    listed->elsewhere = benchmarks - listed->size();
    const Result<MeasuredPrograms> measured =
        measure_listed({*listed}, configuration_, calibration_, progress_, nullptr);
    return measured ? measured->pair.baseline.header.settings.at("rounds_planned") : measured.error().text();
  };
  for (const auto& [benchmarks, rounds] : {std::pair{23U, "12"},
                                           {24U, "14"},
                                           {85U, "14"},
                                           {86U, "16"},
                                           {321U, "16"},
                                           {322U, "18"},
                                           {1215U, "18"},
                                           {1216U, "20"}}) {
    EXPECT_EQ(planned(benchmarks), rounds) << benchmarks;
  }
  configuration_.policy.comparison.false_alarm_rate = 0.01;
  for (const auto& [benchmarks, rounds] : {std::pair{52U, "16"}, {200U, "18"}, {500U, "20"}}) {
    EXPECT_EQ(planned(benchmarks), rounds) << benchmarks;
  }
}

TEST_F(MeasurePrograms, SpendWhatAPatternMayCostAndSaySo) {
  const std::vector<ProgramPair> programs{{working("", "."), working("", ".")}};
  configuration_.run.rounds = 12;
  PatternPolicy table;
  table.match = "*";
  table.where = "steelyard.toml:12";
  table.budget_ns = 1;
  configuration_.policy.comparison.patterns = {table};
  const Result<MeasuredPrograms> measured = this->measured(programs);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_THAT(measured->warnings, ::testing::Contains(::testing::AllOf(::testing::HasSubstr("the budget of \"*\""),
                                                                       ::testing::HasSubstr("1.00 ns, was spent"))));
  ASSERT_FALSE(measured->pair.baseline.measurements.empty());
  for (const Measurement& measurement : measured->pair.baseline.measurements) {
    EXPECT_LT(measurement.invocations.size(), 12u) << measurement.benchmark.canonical();
  }
}

TEST_F(MeasurePrograms, LookEarlyByAPlanThatIsKeptUnlessTheRoundsAreFixed) {
  const std::vector<ProgramPair> programs{{working("", "."), working("", ".")}};
  configuration_.run.budget = nanoseconds(1);
  const Result<MeasuredPrograms> early = this->measured(programs);
  ASSERT_TRUE(early) << early.error().text();
  const regress::LookPlan expected = regress::plan_looks({});
  for (const steelyard::Run* run : {&early->pair.baseline, &early->pair.candidate}) {
    EXPECT_EQ(run->header.settings.at("looks"), regress::to_text(expected));
  }
  EXPECT_EQ(regress::mutual_look_plan(early->pair.baseline.header, early->pair.candidate.header), expected);
  configuration_.run.rounds = 12;
  const Result<MeasuredPrograms> fixed = this->measured(programs);
  ASSERT_TRUE(fixed) << fixed.error().text();
  EXPECT_FALSE(fixed->pair.baseline.header.settings.contains("looks"));
}

// What no verdict can come of is not measured on for.
TEST_F(MeasurePrograms, EndWithTheFirstLookWhereTheMachinesCalibrationFailed) {
  const std::vector<ProgramPair> programs{{working(""), working("")}};
  configuration_.policy.comparison.false_alarm_rate = 1e-6;  // that no first look could decide at
  int asked = 0;
  Calibration calibration;
  calibration_ = [&](const steelyard::Run&, const steelyard::Run& candidate) {
    ++asked;
    calibration.fingerprint = candidate.environment.fingerprint();
    calibration.layout = candidate.header.layout;
    calibration.failed = true;
    return &calibration;
  };
  const Result<MeasuredPrograms> measured = this->measured(programs);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_GE(asked, 1);
  const regress::LookPlan looks =
      regress::mutual_look_plan(measured->pair.baseline.header, measured->pair.candidate.header);
  ASSERT_GT(looks.looks.size(), 1U);
  EXPECT_EQ(measured->pair.candidate.header.settings.at("rounds"), std::to_string(looks.looks.front().rounds));
}

TEST_F(MeasurePrograms, JudgeAnOldProgramInPairsBesideANewOne) {
  const std::vector<ProgramPair> programs{{missing("new"), working("new")}, {working("old"), working("old")}};
  configuration_.run.rounds = 12;
  const Result<MeasuredPrograms> measured = this->measured(programs);
  ASSERT_TRUE(measured) << measured.error().text();
  const Comparison comparison = regress::compare_runs(measured->pair.baseline, measured->pair.candidate, {}).comparison;
  ASSERT_EQ(comparison.rows.size(), 2U);
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::fresh);
  EXPECT_EQ(comparison.rows[1].benchmark, "BM_same [suite=old]");
  EXPECT_TRUE(is_concurrent(comparison.rows[1].layout)) << to_text(comparison.rows[1].layout);
  EXPECT_EQ(comparison.rows[1].rounds, 12);
}

// Whoever runs a build again has to ask it for its own name of a benchmark.
TEST_F(MeasurePrograms, KnowWhatEachBuildCallsItsBenchmarksItself) {
  bench::Program renamed = working("", ".");
  renamed.executable = fixture("renamed");
  configuration_.renames = {{"BM_varied", "BM_changing", true}};
  configuration_.run.rounds = 2;
  const Result<MeasuredPrograms> measured = this->measured({{working("", "."), renamed}});
  ASSERT_TRUE(measured) << measured.error().text();
  ASSERT_EQ(measured->programs.size(), 1U);
  EXPECT_EQ(measured->programs[0].baseline.own_name("BM_changing"), "BM_varied");
  EXPECT_EQ(measured->programs[0].candidate.own_name("BM_changing"), "BM_changing");
}

TEST_F(MeasurePrograms, AreListedAsOftenForManyGatesOfACalibrationAsForOne) {
  GatesPlan plan;
  plan.programs = {working("")};
  plan.programs.front().executable = noting("noting", "fast");
  plan.configuration = configuration_;
  plan.configuration.run.rounds = 2;
  const auto asked_for = [&](int gates) {
    write(folder_ / "noting.asked", "");
    plan.gates = gates;
    const Result<MeasuredGates> measured = measure_gates(plan, progress_, nullptr);
    EXPECT_TRUE(measured) << measured.error().text();
    EXPECT_EQ(measured ? measured->gates.size() : 0, static_cast<std::size_t>(gates));
    return std::filesystem::file_size(folder_ / "noting.asked");
  };
  EXPECT_EQ(asked_for(1), 2U) << "what none matches, and all";
  EXPECT_EQ(asked_for(3), 2U);
}

}  // namespace
}  // namespace steelyard::ci::measure_programs_test
