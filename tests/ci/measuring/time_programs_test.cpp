#include "ci/measuring/time_programs.hpp"

#include <gmock/gmock.h>

#include "bench/runner/core_choice.hpp"
#include "tests/ci/measuring/programs_to_time.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::time_programs_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TimePrograms : public ProgramsToTime {
 protected:
  static Result<bench::MeasuredPair> time(const std::vector<ProgramPair>& programs, Nanoseconds budget = seconds(120)) {
    std::vector<ListedPair> listed;
    for (const ProgramPair& pair : programs) {
      Result<ListedPair> list = list_pair(pair, {}, nullptr);
      EXPECT_TRUE(list) << list.error().text();
      listed.push_back(std::move(list).value());
    }
    bench::MeasuringSettings settings;
    settings.rounds = 2;
    settings.repetitions = 1;
    settings.min_time = milliseconds(1);
    settings.budget = seconds(20);
    return time_programs(listed, settings, {}, {budget});
  }
  static std::vector<std::string> measured(const steelyard::Run& run) {
    std::vector<std::string> names;
    for (const Measurement& measurement : run.measurements) {
      if (measurement.metric.name == kRealTime) names.push_back(measurement.benchmark.canonical());
    }
    return names;
  }
};

TEST_F(TimePrograms, ArePairsWhereverANewProgramStandsInTheList) {
  const ProgramPair fresh{missing("new"), working("new")};
  const ProgramPair old{working("old"), working("old")};
  for (const std::vector<ProgramPair>& programs : {std::vector{fresh, old}, std::vector{old, fresh}}) {
    const Result<bench::MeasuredPair> pair = time(programs);
    ASSERT_TRUE(pair) << pair.error().text();
    EXPECT_NE(pair->baseline.header.session, "");
    EXPECT_EQ(pair->baseline.header.session, pair->candidate.header.session);
    EXPECT_TRUE(is_concurrent(pair->baseline.header.layout));
    EXPECT_TRUE(is_concurrent(pair->candidate.header.layout));
    EXPECT_NE(pair->candidate.header.settings.at("layout_reason"), "one program alone");
    EXPECT_THAT(measured(pair->baseline), ElementsAre("BM_same [suite=old]"));
    EXPECT_EQ(measured(pair->candidate).size(), 2U);
  }
}

TEST_F(TimePrograms, KeepTheFirstWhereTheBudgetDoesNotReachTheSecond) {
  const Result<bench::MeasuredPair> pair =
      time({{working("first"), working("first")}, {working("second"), working("second")}}, nanoseconds(1));
  ASSERT_TRUE(pair) << pair.error().text();
  for (const steelyard::Run* run : {&pair->baseline, &pair->candidate}) {
    EXPECT_THAT(measured(*run), ElementsAre("BM_same [suite=first]"));
    ASSERT_EQ(run->failures.size(), 1U);
    EXPECT_EQ(run->failures[0].benchmark.canonical(), "BM_same [suite=second]");
    EXPECT_EQ(run->failures[0].said, "the budget of 20.0 s was spent before its program; ask for more time")
        << "what was asked for, not what was left for timing";
  }
}

TEST_F(TimePrograms, SkipAProgramWithoutBenchmarks) {
  const ProgramPair none{working("none", "no such benchmark"), working("none", "no such benchmark")};
  const ProgramPair some{working("some"), working("some")};
  for (const std::vector<ProgramPair>& programs : {std::vector{none, some}, std::vector{some, none}}) {
    const Result<bench::MeasuredPair> pair = time(programs);
    ASSERT_TRUE(pair) << pair.error().text();
    EXPECT_THAT(measured(pair->candidate), ElementsAre("BM_same [suite=some]"));
    EXPECT_THAT(pair->baseline.failures, IsEmpty());
    EXPECT_THAT(pair->candidate.failures, IsEmpty());
  }
  const Result<bench::MeasuredPair> nothing = time({none, none});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::input);
}

TEST_F(TimePrograms, KeepTheOthersWhereOneProgramCannotBeAsked) {
  const ProgramPair broken{crashing("broken", "a"), crashing("broken", "b")};
  const ProgramPair sound{working("sound"), working("sound")};
  for (const std::vector<ProgramPair>& programs : {std::vector{broken, sound}, std::vector{sound, broken}}) {
    const Result<bench::MeasuredPair> pair = time(programs);
    ASSERT_TRUE(pair) << pair.error().text();
    for (const steelyard::Run* run : {&pair->baseline, &pair->candidate}) {
      EXPECT_THAT(measured(*run), ElementsAre("BM_same [suite=sound]"));
      ASSERT_EQ(run->failures.size(), 1U);
      EXPECT_EQ(run->failures[0].benchmark.suite, "broken");
      EXPECT_THAT(run->failures[0].said, HasSubstr(run == &pair->baseline ? "/a: " : "/b: "));
    }
  }
  const Result<bench::MeasuredPair> alone = time({broken});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().kind, ErrorKind::program);
}

TEST_F(TimePrograms, BlameABaselineThatCannotBeAskedAlone) {
  const Result<bench::MeasuredPair> pair = time({{crashing(""), working("")}});
  ASSERT_TRUE(pair) << pair.error().text();
  EXPECT_EQ(pair->baseline.failures.size(), 1U);
  EXPECT_THAT(pair->candidate.failures, IsEmpty());
  EXPECT_THAT(measured(pair->candidate), ElementsAre("BM_same"));
}

// The second program can be asked for its benchmarks and no more: the file is gone when it is to be measured.
TEST_F(TimePrograms, TurnAnErrorOfTheSecondIntoFailuresOfTheSideItNames) {
  const ProgramPair sound{working("sound"), working("sound")};
  bench::Program gone = working("gone");
  std::filesystem::copy_file(fixture("fast"), folder_ / "gone");
  gone.executable = folder_ / "gone";
  const std::vector<ProgramPair> programs{sound, {working("gone"), gone}};
  std::vector<ListedPair> listed;
  for (const ProgramPair& pair : programs) listed.push_back(*list_pair(pair, {}, nullptr));
  std::filesystem::remove(folder_ / "gone");
  bench::MeasuringSettings settings;
  settings.rounds = 2;
  settings.min_time = milliseconds(1);
  const Result<bench::MeasuredPair> pair = time_programs(listed, settings, {}, {});
  ASSERT_TRUE(pair) << pair.error().text();
  EXPECT_THAT(pair->baseline.failures, IsEmpty());
  ASSERT_EQ(pair->candidate.failures.size(), 1U);
  EXPECT_EQ(pair->candidate.failures[0].benchmark.canonical(), "BM_same [suite=gone]");
  EXPECT_EQ(pair->candidate.failures[0].metric, "");
}

// Benchmarks of several threads take turns, and the other program's run side by side: by one plan all the same, since
// both are judged by the one that the runs tell.
TEST_F(TimePrograms, AreAllLookedAtByThePlanOfTheFirstWhateverLayoutEachHas) {
  STEELYARD_SKIP_WITHOUT("two-cores", bench::choose_cores(bench::read_allowed_cores(), {}).two_equal,
                         "no two equal cores");
  bench::MeasuringSettings settings;
  settings.layout = Layout::duet;
  settings.repetitions = 1;
  settings.min_time = milliseconds(1);
  bench::TimingPlan timing;
  timing.repeat_disturbed = false;
  static_cast<bench::LookTimes&>(timing.looks) = {{4, 8}, 0, "4:0.5 8:0.5"};
  timing.looks.in_turns = bench::LookTimes{{4, 6}, 0, "4:0.5 6:0.5"};
  timing.looks.decided = [](const steelyard::Run&, const steelyard::Run&) { return std::set<std::string>(); };
  for (const bool is_first_in_turns : {true, false}) {
    std::vector<ListedPair> listed;
    for (const char* const suite : {"first", "second"}) {
      listed.push_back(*list_pair({working(suite), working(suite)}, {}, nullptr));
    }
    STEELYARD_SKIP_WITHOUT("two-cores", listed[0].candidate.listing.core >= 0, "the system pins no process to a core");
    ListedPair& in_turns = listed[is_first_in_turns ? 0 : 1];
    for (bench::ListedProgram* side : {&in_turns.baseline, &in_turns.candidate}) {
      for (bench::ListedBenchmark& benchmark : side->listing.benchmarks) benchmark.uses_several_cores = true;
    }
    const Result<bench::MeasuredPair> pair = time_programs(listed, settings, timing, {seconds(120)});
    ASSERT_TRUE(pair) << pair.error().text();
    for (const steelyard::Run* run : {&pair->baseline, &pair->candidate}) {
      const std::map<std::string, std::string>& told = run->header.settings;
      ASSERT_TRUE(told.contains(std::string(kSeveralThreadsSetting))) << "none ran side by side";
      EXPECT_EQ(told.at("looks"), is_first_in_turns ? "4:0.5 6:0.5" : "4:0.5 8:0.5");
      EXPECT_THAT(measured(*run), ElementsAre("BM_same [suite=first]", "BM_same [suite=second]"));
      for (const Measurement& measurement : run->measurements) {
        if (measurement.metric.name != kRealTime) continue;
        EXPECT_EQ(measurement.invocations.size(), is_first_in_turns ? 6U : 8U) << measurement.benchmark.canonical();
      }
    }
  }
}

}  // namespace
}  // namespace steelyard::ci::time_programs_test
