// What measure_pair and measure_one make of programs that go wrong; the rest is in measure_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>

#include "bench/runner/measure.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/measured_programs.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::measure_failures_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

testkit::MeasureOptions quick(const std::string& filter) {
  testkit::MeasureOptions options;
  options.filter = filter;
  options.rounds = 4;
  options.repetitions = 1;
  options.min_time = milliseconds(1);
  options.repeat_disturbed = false;  // a busy machine would add processes that the tests do not expect
  return options;
}

// The baseline behaves; the candidate's BM_victim does not.
MeasuredPair with_victim(const std::string& behaviour, testkit::MeasureOptions options = quick("victim|sum/8")) {
  Result<MeasuredPair> pair =
      testkit::measure_pair(testkit::fixture(), testkit::fixture({{"VICTIM", behaviour}}), options);
  EXPECT_TRUE(pair) << (pair ? "" : pair.error().text());
  return pair ? std::move(pair).value() : MeasuredPair{};
}

std::size_t invocations_of(const Run& run, const std::string& benchmark) {
  for (const Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() == benchmark) return measurement.invocations.size();
  }
  return 0;
}

Error refusal(const Program& baseline, const Program& candidate,
              const testkit::MeasureOptions& options = quick("sum/8")) {
  const Result<MeasuredPair> pair = testkit::measure_pair(baseline, candidate, options);
  EXPECT_FALSE(pair);
  return pair ? Error{} : pair.error();
}

TEST(MeasurePairFailures, ContainACrashInItsBenchmarkAndSide) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_victim("crash");
  ASSERT_EQ(pair.candidate.failures.size(), 3U);  // the fourth try is not made
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pair.candidate.failures[i].benchmark.canonical(), "BM_victim");
    EXPECT_EQ(pair.candidate.failures[i].round, static_cast<int>(i));
    EXPECT_THAT(pair.candidate.failures[i].said, HasSubstr("was ended by signal 6 (Aborted)"));
  }
  EXPECT_TRUE(pair.baseline.failures.empty());
  EXPECT_EQ(invocations_of(pair.baseline, "BM_victim"), 4U);
  EXPECT_EQ(invocations_of(pair.candidate, "BM_victim"), 0U);
  EXPECT_EQ(invocations_of(pair.baseline, "BM_sum/8"), 4U);
  EXPECT_EQ(invocations_of(pair.candidate, "BM_sum/8"), 4U);
}

TEST(MeasurePairFailures, StopMeasuringABenchmarkThatOneSideHasGivenUp) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("victim");
  options.rounds = 8;
  const MeasuredPair pair = with_victim("crash", options);
  EXPECT_EQ(pair.candidate.failures.size(), 3U);
  EXPECT_EQ(invocations_of(pair.baseline, "BM_victim"), 4U);  // to the end of the pair of rounds
}

TEST(MeasurePairFailures, QuoteTheLastLineOfAProgramThatExits) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_victim("exit");
  ASSERT_FALSE(pair.candidate.failures.empty());
  EXPECT_EQ(pair.candidate.failures[0].said, "exited with 3; its last line of stderr: \"the disk is full\"");
}

TEST(MeasurePairFailures, EndAHangAtItsTimeLimitAndTryItOnceMore) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("victim");
  options.timeout = seconds(3);  // far above what the other side's processes take
  const MeasuredPair pair = with_victim("hang", options);
  ASSERT_EQ(pair.candidate.failures.size(), 2U);
  EXPECT_THAT(pair.candidate.failures[0].said, HasSubstr("ran past its limit of"));
  EXPECT_EQ(invocations_of(pair.baseline, "BM_victim"), 2U);
}

TEST(MeasureOneFailures, AHangTakesNoMoreThanIsLeftOfTheBudget) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options;
  options.filter = "victim|sum/8";
  options.rounds = 4;
  options.repeat_disturbed = false;
  options.budget = seconds(4);
  ASSERT_EQ(options.timeout, seconds(60));
  const auto began = std::chrono::steady_clock::now();
  const auto run = testkit::measure_one(testkit::fixture({{"VICTIM", "hang"}}), options);
  const auto took = std::chrono::steady_clock::now() - began;
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_LT(took, std::chrono::seconds(40)) << "less than one process may take";
  EXPECT_EQ(invocations_of(*run, "BM_victim"), 0U);
  ASSERT_FALSE(run->failures.empty());
  EXPECT_THAT(run->failures.front().said, HasSubstr("ran past its limit of"));
  EXPECT_THAT(run->failures.front().said, HasSubstr(", the rest of the budget; its own is " + to_text(seconds(60))));
}

TEST(MeasurePairFailures, AreNotMadeOfMegabytesOnStderr) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair flooding = with_victim("flood");
  EXPECT_TRUE(flooding.candidate.failures.empty());
  EXPECT_EQ(invocations_of(flooding.candidate, "BM_victim"), 4U);
  const MeasuredPair crashing = with_victim("flood_and_crash");
  ASSERT_FALSE(crashing.candidate.failures.empty());
  EXPECT_THAT(crashing.candidate.failures[0].said, HasSubstr("the end of the flood"));
}

TEST(MeasurePairFailures, CarryTheBenchmarksOwnError) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_victim("skip");
  ASSERT_EQ(pair.candidate.failures.size(), 3U);
  for (const Failure& failure : pair.candidate.failures) {
    EXPECT_THAT(failure.said, HasSubstr("the device is away"));
    EXPECT_EQ(failure.kind, FailureKind::reported_error);
  }
}

TEST(MeasurePairFailures, AreNotMadeOfASourceThatAsksForAggregatesOnlyAndEverySampleIsKept) {
  STEELYARD_NEEDS_FIXTURE();
  const auto program = testkit::fixture({{"AGGREGATES", "1"}});
  for (const bool piloted : {false, true}) {
    testkit::MeasureOptions options = quick("aggregates|displayed|flagless");
    options.repetitions = 4;
    if (piloted) options.min_time.reset();
    const Result<MeasuredPair> pair = testkit::measure_pair(program, program, options);
    ASSERT_TRUE(pair) << pair.error().text();
    for (const steelyard::Run* run : {&pair->baseline, &pair->candidate}) {
      EXPECT_TRUE(run->failures.empty()) << run->failures.front().said;
      const std::map<std::string, std::size_t> wanted{
          {"BM_aggregates/repeats:3", 3}, {"BM_displayed/repeats:3", 3}, {"BM_flagless", 4}};
      std::map<std::string, int> times;
      for (const Measurement& measurement : run->measurements) {
        const std::string name = measurement.benchmark.canonical();
        ASSERT_EQ(measurement.invocations.size(), 4U) << name;
        ++times[name];
        for (const InvocationSamples& samples : measurement.invocations) {
          EXPECT_EQ(samples.values.size(), wanted.at(name)) << name << ' ' << measurement.metric.name;
          EXPECT_EQ(samples.iterations.size(), samples.values.size()) << name;
        }
      }
      EXPECT_EQ(times.size(), wanted.size());
      for (const auto& [name, metrics] : times) EXPECT_EQ(metrics, 2) << name << ": both times";
    }
  }
}

TEST(MeasurePairFailures, AreNotMadeOfChatterOnStdout) {
  STEELYARD_NEEDS_FIXTURE();
  const auto chatter = testkit::fixture({{"START", "chatter"}});
  const Result<MeasuredPair> pair = testkit::measure_pair(testkit::fixture(), chatter, quick("sum/8"));
  ASSERT_TRUE(pair);
  EXPECT_TRUE(pair->candidate.failures.empty());
  EXPECT_EQ(invocations_of(pair->candidate, "BM_sum/8"), 4U);
}

TEST(MeasurePairFailures, AreMadeOfAnExceptionThatNobodyCaught) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_victim("throw");
  ASSERT_FALSE(pair.candidate.failures.empty());
  EXPECT_THAT(pair.candidate.failures[0].said, HasSubstr("no such table"));
  EXPECT_EQ(invocations_of(pair.candidate, "BM_sum/8"), 4U);
}

TEST(MeasurePairFailures, AreNotMadeOfAChildThatAProgramLeavesBehind) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_victim("fork");
  EXPECT_TRUE(pair.candidate.failures.empty());
  EXPECT_EQ(invocations_of(pair.candidate, "BM_victim"), 4U);
}

TEST(MeasurePairFailures, AreNotMadeOfABenchmarkThatPrintsWhatLooksLikeAResult) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_victim("print");
  EXPECT_TRUE(pair.candidate.failures.empty());
  EXPECT_EQ(invocations_of(pair.candidate, "BM_victim"), 4U);
}

TEST(MeasurePairFailures, SayThatAProgramWhichClosedEverythingLeftNoResult) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_victim("close");
  ASSERT_FALSE(pair.candidate.failures.empty());
  EXPECT_EQ(pair.candidate.failures[0].benchmark.canonical(), "BM_victim");
  EXPECT_EQ(invocations_of(pair.candidate, "BM_sum/8"), 4U);
}

TEST(MeasurePairFailures, AreMadeOfABenchmarkWithoutOneIteration) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_victim("no_loop");
  ASSERT_FALSE(pair.candidate.failures.empty());
  EXPECT_EQ(pair.candidate.failures[0].benchmark.canonical(), "BM_victim");
  EXPECT_EQ(invocations_of(pair.candidate, "BM_victim"), 0U);
  EXPECT_EQ(invocations_of(pair.candidate, "BM_sum/8"), 4U);
}

TEST(MeasurePairFailures, OfAWholeProgramLeaveTheOtherSideItsData) {
  STEELYARD_NEEDS_FIXTURE();
  const auto crashing = testkit::fixture({{"START", "crash"}});
  const Result<MeasuredPair> pair = testkit::measure_pair(testkit::fixture(), crashing, quick("sum/8"));
  ASSERT_TRUE(pair) << pair.error().text();
  ASSERT_EQ(pair->candidate.failures.size(), 1U);
  EXPECT_EQ(pair->candidate.failures[0].benchmark.name, "");
  EXPECT_EQ(pair->candidate.failures[0].round, -1);
  EXPECT_THAT(pair->candidate.failures[0].said, HasSubstr("cannot load the model"));
  EXPECT_EQ(invocations_of(pair->baseline, "BM_sum/8"), 4U);
  EXPECT_EQ(refusal(crashing, crashing).kind, ErrorKind::program);
}

TEST(MeasurePairFailures, NameTheSideThatIsNoBenchmarkProgram) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  const auto program = [](const std::filesystem::path& executable) {
    Program result;
    result.executable = executable;
    return result;
  };
  for (const auto& bad : {folder.path() / "missing", folder.path(), folder.write("data", "x", false),
                          folder.write("script", "exit 0\n", true), std::filesystem::path("/bin/echo")}) {
    for (const Error& error : {refusal(testkit::fixture(), program(bad)), refusal(program(bad), testkit::fixture())}) {
      EXPECT_EQ(error.kind, ErrorKind::input) << bad;
      EXPECT_EQ(error.where, bad.string());
      EXPECT_NE(error.found, "");
      EXPECT_NE(error.wanted, "");
      EXPECT_NE(error.fix, "");
    }
  }
}

TEST(MeasurePairFailures, SayThatNothingMatchesTheFilter) {
  STEELYARD_NEEDS_FIXTURE();
  const Error error = refusal(testkit::fixture(), testkit::fixture(), quick("no_such_benchmark"));
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_EQ(error.where, "--filter") << "no place that may be gone";
  EXPECT_EQ(error.found, "no benchmark that matches \"no_such_benchmark\"");
  const Result<ListedProgram> all = list_benchmarks(testkit::fixture(), quick(""));
  ASSERT_TRUE(all);
  ASSERT_GT(all->benchmarks().size(), 3U);
  EXPECT_THAT(error.fix, StartsWith("choose among " + all->benchmarks()[0].name + ", " + all->benchmarks()[1].name));
  EXPECT_THAT(error.fix, EndsWith(" and " + std::to_string(all->benchmarks().size() - 3) + " more"));
}

TEST(MeasurePairFailures, NameACommandThatTheFilterExcludesWithoutRunningIt) {
  const testkit::TemporaryFolder folder;
  Program program;
  program.executable = "/bin/sh";
  program.arguments = {"-c", "echo >>'" + (folder.path() / "runs").string() + "'"};
  program.command.emplace().name = "sort";
  const testkit::MeasureOptions options = quick("no_such_benchmark");
  const Result<ListedProgram> listed = list_benchmarks(program, options);
  ASSERT_TRUE(listed) << listed.error().text();
  const std::uintmax_t runs = std::filesystem::file_size(folder.path() / "runs");  // a byte each
  EXPECT_GT(runs, 0U);
  const Result<MeasuredPair> pair = measure_pair(*listed, *listed, options, options, options);
  ASSERT_FALSE(pair);
  EXPECT_EQ(pair.error().where, "--filter");
  EXPECT_EQ(pair.error().fix, "choose sort, as the command is called");
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "runs"), runs);
}

// Before any program is looked at.
std::string where_refused(const testkit::MeasureOptions& options) {
  const Result<MeasuredPair> pair = measure_pair(ListedProgram{}, ListedProgram{}, options, options, options);
  EXPECT_FALSE(pair);
  return pair ? "" : pair.error().where;
}

TEST(MeasurePairFailures, RefuseOptionsThatMakeNoSense) {
  testkit::MeasureOptions options = quick("");
  options.rounds = 3;
  EXPECT_EQ(where_refused(options), "rounds");
  options = quick("");
  options.repetitions = -1;
  EXPECT_EQ(where_refused(options), "repetitions");
  options = quick("");
  options.min_time = seconds(-1);
  EXPECT_EQ(where_refused(options), "min_time");
  options = quick("");
  options.layout = Layout::separate;
  EXPECT_EQ(where_refused(options), "layout");
}

TEST(MeasureOneFailures, AreThoseOfItsProgram) {
  STEELYARD_NEEDS_FIXTURE();
  const Result<steelyard::Run> crashed = testkit::measure_one(testkit::fixture({{"START", "crash"}}), quick(""));
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().kind, ErrorKind::program);
  const Result<steelyard::Run> run =
      testkit::measure_one(testkit::fixture({{"VICTIM", "crash"}}), quick("victim|sum/8"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->failures.size(), 3U);
  EXPECT_EQ(invocations_of(*run, "BM_sum/8"), 4U);
}

TEST(MeasureOne, RunsAScriptThatFindsItsProgramBesideItself) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  std::filesystem::create_symlink(testkit::fixture_executable(), folder.path() / "real");
  Program script;
  script.executable = folder.write("bench.sh", "#!/bin/sh\nexec \"${0%/*}/real\" \"$@\"\n", true);
  const Result<steelyard::Run> run = testkit::measure_one(script, quick("sum/8"));
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(invocations_of(*run, "BM_sum/8"), 4U);
}

TEST(MeasurePairFailures, OfAWholeProgramSayOfWhichSuite) {
  STEELYARD_NEEDS_FIXTURE();
  Program sound = testkit::fixture();
  Program crashing = testkit::fixture({{"START", "crash"}});
  sound.suite = crashing.suite = "text";
  const Result<MeasuredPair> pair = testkit::measure_pair(sound, crashing, quick("sum/8"));
  ASSERT_TRUE(pair) << pair.error().text();
  ASSERT_EQ(pair->candidate.failures.size(), 1U);
  EXPECT_EQ(pair->candidate.failures[0].benchmark.name, "");
  EXPECT_EQ(pair->candidate.failures[0].benchmark.suite, "text");
}

}  // namespace
}  // namespace steelyard::bench::measure_failures_test
