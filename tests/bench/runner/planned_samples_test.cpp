// Measurements whose samples are planned: by a pilot, or given; with fresh copies of the program for every round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "bench/runner/core_choice.hpp"
#include "bench/runner/measure.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/measured_programs.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::planned_samples_test {
namespace {

using ::testing::HasSubstr;

testkit::MeasureOptions options_for(const std::string& filter) {
  testkit::MeasureOptions options;
  options.filter = filter;
  options.layout = Layout::interleaved;
  options.rounds = 4;
  options.repeat_disturbed = false;
  options.budget = seconds(20);
  options.seed = 3;
  return options;
}

MeasuredPair measured(const Program& baseline, const Program& candidate, const testkit::MeasureOptions& options) {
  Result<MeasuredPair> pair = testkit::measure_pair(baseline, candidate, options);
  EXPECT_TRUE(pair) << (pair ? "" : pair.error().text());
  return pair ? std::move(pair).value() : MeasuredPair{};
}

const Measurement* find(const Run& run, const std::string& benchmark, std::string_view metric = kRealTime) {
  const auto at = std::find_if(run.measurements.begin(), run.measurements.end(), [&](const Measurement& measurement) {
    return measurement.benchmark.canonical() == benchmark && measurement.metric.name == metric;
  });
  return at == run.measurements.end() ? nullptr : &*at;
}

TEST(Pilot, DecidesHowLongSamplesAreAndItsOwnAreNotKept) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options_for("sum"));
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    EXPECT_TRUE(run->failures.empty());
    EXPECT_EQ(run->invocations.size(), 8U);
    for (const Invocation& invocation : run->invocations) EXPECT_GE(invocation.round, 0);
  }
  EXPECT_EQ(pair.samples.sizes.size(), 2U);
  EXPECT_EQ(find(pair.baseline, "BM_sum/8")->invocations[0].values.size(), 3U);
  EXPECT_TRUE(pair.baseline.header.settings.contains("pilot"));
}

// A text that the first benchmark of a process makes for all of them is no reason to take fewer samples.
TEST(Pilot, TellsWhatIsMadeOnceFromWhatEachSampleMakesAnew) {
  STEELYARD_NEEDS_FIXTURE();
  const Program program = testkit::fixture({{"VICTIM", "once"}});
  const MeasuredPair pair = measured(program, program, options_for("victim"));
  EXPECT_EQ(find(pair.baseline, "BM_victim")->invocations[0].values.size(), 3U);
}

// What a stalled process took is not what an iteration takes: fewer samples would be taken of it.
TEST(Pilot, LooksAgainAtWhatMayHaveBeenCutShort) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  const std::string mark = (folder.path() / "stalled").string();
  const Program candidate = testkit::fixture({{"VICTIM", "stall"}, {"STALL_MS", "80"}, {"STALLED", mark}});
  const MeasuredPair pair = measured(testkit::fixture(), candidate, options_for("victim"));
  EXPECT_TRUE(std::filesystem::exists(mark));
  EXPECT_EQ(find(pair.candidate, "BM_victim")->invocations[0].values.size(), 3U);
}

TEST(Pilot, IsNotNeededWhereSizesAreGiven) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = options_for("sum/8");
  options.samples.usual = {0, 1, milliseconds(1)};
  options.samples.sizes["BM_sum/8"] = {0, 2, milliseconds(1)};
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  EXPECT_FALSE(pair.baseline.header.settings.contains("pilot"));
  EXPECT_EQ(find(pair.baseline, "BM_sum/8")->invocations[0].values.size(), 2U);
}

TEST(LayoutTrial, IsMadeWhereNobodyAsksForALayoutAndToldInTheHeader) {
  STEELYARD_NEEDS_FIXTURE();
  STEELYARD_SKIP_WITHOUT("two-cores", choose_cores(read_allowed_cores(), {}).two_equal, "no two equal cores");
  testkit::MeasureOptions options = options_for("sum|victim");
  options.budget = seconds(1200);  // of which the trial may have 48, far more than it needs
  EXPECT_THAT(measured(testkit::fixture(), testkit::fixture(), options).baseline.header.settings.at("layout_reason"),
              ::testing::Not(HasSubstr("tried")));
  options.layout.reset();
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  const std::string& reason = pair.baseline.header.settings.at("layout_reason");
  EXPECT_TRUE(reason.find("16 tried") != std::string::npos || reason.find("refuses to pin") != std::string::npos)
      << reason;
  EXPECT_TRUE(is_concurrent(pair.baseline.header.layout));
}

TEST(FreshCopies, AreRunInEveryRoundAndAreNotTheOtherSides) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = options_for("victim");
  options.repetitions = 1;
  options.min_time = milliseconds(1);
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  std::map<std::pair<int, int>, double> inodes;  // by round and side
  for (const int side : {0, 1}) {
    const steelyard::Run& run = side == 0 ? pair.baseline : pair.candidate;
    const Measurement* inode = find(run, "BM_victim", "inode");
    ASSERT_NE(inode, nullptr);
    for (const InvocationSamples& samples : inode->invocations) {
      inodes[{run.invocations[samples.invocation].round, side}] = samples.values.front();
    }
  }
  ASSERT_EQ(inodes.size(), 8U);
  for (int round = 0; round < 4; ++round) {
    const double baseline = inodes[{round, 0}];
    EXPECT_NE(baseline, (inodes[{round, 1}])) << round;
    if (round == 0) continue;
    EXPECT_NE(baseline, (inodes[{round - 1, 0}])) << round;
  }
  EXPECT_THAT(pair.baseline.header.settings.at("fresh_copies"), HasSubstr("one a round"));
}

TEST(FreshCopies, AreSharedByAsManyRoundsAsAskedFor) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = options_for("victim");
  options.layout.reset();
  options.repetitions = 1;
  options.min_time = milliseconds(1);
  options.rounds_per_copy = 2;
  const Result<steelyard::Run> run = testkit::measure_one(testkit::fixture(), options);
  ASSERT_TRUE(run) << run.error().text();
  const Measurement* inode = find(*run, "BM_victim", "inode");
  ASSERT_NE(inode, nullptr);
  ASSERT_EQ(inode->invocations.size(), 4U);
  std::vector<double> inodes;
  for (const InvocationSamples& samples : inode->invocations) inodes.push_back(samples.values.front());
  EXPECT_EQ(inodes[0], inodes[1]);
  EXPECT_NE(inodes[1], inodes[2]);
  EXPECT_EQ(inodes[2], inodes[3]);
  std::set<std::int32_t> cores;
  for (const Invocation& invocation : run->invocations) cores.insert(invocation.core);
  EXPECT_EQ(cores.size(), 1U) << "what cores differ by is not what copies differ by";
  EXPECT_THAT(run->header.settings.at("fresh_copies"), HasSubstr("one for 2 rounds"));
  options.rounds_per_copy = 0;
  EXPECT_FALSE(testkit::measure_one(testkit::fixture(), options));
}

TEST(FreshCopies, GiveWayWhereAProgramRunsOnlyFromWhereItLies) {
  STEELYARD_NEEDS_FIXTURE();
  const Program stays = testkit::fixture({{"VICTIM", "stay"}});
  for (const bool planned : {false, true}) {
    testkit::MeasureOptions options = options_for("victim");
    if (!planned) {
      options.repetitions = 1;
      options.min_time = milliseconds(1);
    }
    const MeasuredPair pair = measured(stays, stays, options);
    EXPECT_TRUE(pair.baseline.failures.empty());
    EXPECT_TRUE(pair.candidate.failures.empty());
    EXPECT_EQ(pair.candidate.invocations.size(), 4U);
    EXPECT_THAT(pair.baseline.header.settings.at("fresh_copies"), HasSubstr("it yields results only where it lies"));
  }
}

testkit::MeasureOptions shared_processes() {
  testkit::MeasureOptions options = options_for("sum|victim");
  options.samples.usual = {0, 2, milliseconds(1)};
  for (const char* name : {"BM_sum/8", "BM_sum/64", "BM_victim"}) options.samples.sizes[name] = options.samples.usual;
  options.samples.group = 8;
  return options;
}

TEST(SharedProcesses, AreOneInvocationOfAllTheirBenchmarks) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), shared_processes());
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    EXPECT_TRUE(run->failures.empty());
    ASSERT_EQ(run->invocations.size(), 4U);
    for (const char* name : {"BM_sum/8", "BM_sum/64", "BM_victim"}) {
      const Measurement* measurement = find(*run, name);
      ASSERT_NE(measurement, nullptr) << name;
      ASSERT_EQ(measurement->invocations.size(), 4U);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(measurement->invocations[i].invocation, i);
        EXPECT_EQ(measurement->invocations[i].values.size(), 2U);
      }
    }
  }
  EXPECT_EQ(pair.baseline.invocations[0].slot + pair.candidate.invocations[0].slot, 1);
  EXPECT_EQ(pair.baseline.header.settings.at("benchmarks_a_process"), "8");
}

TEST(SharedProcesses, ThatCrashCostNoOtherBenchmarkARound) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture({{"VICTIM", "crash"}}), shared_processes());
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    for (const char* name : {"BM_sum/8", "BM_sum/64"}) {
      const Measurement* measurement = find(*run, name);
      ASSERT_NE(measurement, nullptr) << name;
      std::set<int> rounds;
      for (const InvocationSamples& samples : measurement->invocations) {
        EXPECT_TRUE(rounds.insert(run->invocations[samples.invocation].round).second);
      }
      EXPECT_EQ(rounds.size(), 4U);
    }
  }
  ASSERT_FALSE(pair.candidate.failures.empty());
  for (const Failure& failure : pair.candidate.failures) EXPECT_EQ(failure.benchmark.canonical(), "BM_victim");
  EXPECT_TRUE(pair.baseline.failures.empty());
}

TEST(SharedProcesses, AreOnlyOfBenchmarksWithOneSize) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = shared_processes();
  options.samples.sizes["BM_victim"].repetitions = 1;
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  EXPECT_EQ(pair.baseline.invocations.size(), 8U);
  EXPECT_EQ(find(pair.baseline, "BM_victim")->invocations[0].values.size(), 1U);
  EXPECT_EQ(find(pair.baseline, "BM_sum/8")->invocations[0].values.size(), 2U);
}

TEST(SharedProcesses, OfSeveralThreadsAreApartFromTheOthers) {
  STEELYARD_NEEDS_FIXTURE();
  const Program program = testkit::fixture({{"EXTRA", "threaded"}});
  testkit::MeasureOptions options = shared_processes();
  options.filter = "sum|threaded|extra";
  const MeasuredPair pair = measured(program, program, options);
  EXPECT_TRUE(pair.baseline.failures.empty());
  ASSERT_EQ(pair.baseline.invocations.size(), 8U) << "one of two threaded ones a round, and one of the others";
  std::map<std::string, std::set<std::size_t>> processes;
  for (const char* name : {"BM_sum/8", "BM_sum/64", "BM_threaded/threads:2", "BM_extra/threads:2"}) {
    const Measurement* measurement = find(pair.baseline, name);
    ASSERT_NE(measurement, nullptr) << name;
    for (const InvocationSamples& samples : measurement->invocations) processes[name].insert(samples.invocation);
  }
  EXPECT_EQ(processes["BM_threaded/threads:2"], processes["BM_extra/threads:2"]);
  EXPECT_EQ(processes["BM_sum/8"], processes["BM_sum/64"]);
  EXPECT_NE(processes["BM_sum/8"], processes["BM_extra/threads:2"]);
}

}  // namespace
}  // namespace steelyard::bench::planned_samples_test
