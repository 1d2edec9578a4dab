// A program that is linked with bench_main under the runner: its blocks are samples, and what one of its benchmarks
// does wrong is that benchmark's failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/bench/runner/measured_programs.hpp"

namespace steelyard::measured_program_test {
namespace {

using ::testing::HasSubstr;
using MeasuredRun = Run;  // inside a test, Run is gtest's own

Result<MeasuredRun> measure(const std::string& filter, const std::string& behaviour) {
  bench::Program program;
  program.executable = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "main_fixture";
  program.environment = {{"VICTIM", behaviour}};
  testkit::MeasureOptions options;
  options.filter = filter;
  options.rounds = 2;
  options.repetitions = 2;
  options.min_time = milliseconds(4);
  return testkit::measure_one(program, options);
}

std::size_t invocations_of(const MeasuredRun& run, const std::string& benchmark) {
  for (const Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() == benchmark) return measurement.invocations.size();
  }
  return 0;
}

TEST(MeasuredProgram, YieldsItsBlocksAsSamplesOfOneInvocation) {
  const auto run = measure("^BM_work$", "");
  ASSERT_TRUE(run) << run.error().text();
  ASSERT_FALSE(run->measurements.empty());
  for (const Measurement& measurement : run->measurements) {
    for (const InvocationSamples& samples : measurement.invocations) {
      EXPECT_EQ(samples.iterations.size(), samples.values.size());
      EXPECT_GE(samples.values.size(), 2U);
      EXPECT_LE(samples.values.size(), 16U);
    }
  }
}

TEST(MeasuredProgram, FailsInOneBenchmarkAlone) {
  const std::pair<const char*, const char*> cases[] = {{"throw", "the device is away"},
                                                       {"throw_in_loop", "in the loop"},
                                                       {"exit", "exited with 3"},
                                                       {"dtype", "found the dtype"}};
  for (const auto& [behaviour, reason] : cases) {
    const auto run = measure("^BM_(victim|last)$", behaviour);
    ASSERT_TRUE(run) << behaviour << ": " << run.error().text();
    ASSERT_FALSE(run->failures.empty()) << behaviour;
    EXPECT_EQ(run->failures[0].benchmark.name, "BM_victim");
    EXPECT_THAT(run->failures[0].said, HasSubstr(reason));
    EXPECT_GE(invocations_of(*run, "BM_last"), 2U) << behaviour;
    EXPECT_EQ(invocations_of(*run, "BM_victim"), 0U) << behaviour;
  }
}

TEST(MeasuredProgram, IsNotDisturbedByAForkedChildNorByChatter) {
  for (const char* behaviour : {"fork", "stdout"}) {
    const auto run = measure("^BM_(victim|last)$", behaviour);
    ASSERT_TRUE(run) << behaviour << ": " << run.error().text();
    EXPECT_TRUE(run->failures.empty()) << behaviour << ": " << run->failures.front().said;
    EXPECT_GE(invocations_of(*run, "BM_victim"), 2U) << behaviour;
  }
}

}  // namespace
}  // namespace steelyard::measured_program_test
