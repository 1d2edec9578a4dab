// Runs fuzzed_program, as its user would, and reads what it wrote through the doors that a run goes through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "bench/formats/google_benchmark.hpp"
#include "bench/harness/fuzz/fuzz_item.hpp"
#include "tests/bench/harness/fuzz/fuzzed_program.hpp"

namespace steelyard::fuzzed_benchmark_test {
namespace {

using testing::HasSubstr;

Run measured() {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("fuzzed_" + std::to_string(::getpid()) + ".json");
  const std::string command =
      std::string(STEELYARD_FUZZED_PROGRAM) +
      " --benchmark_min_time=0.001 --benchmark_out_format=json --benchmark_out=" + file.string() + " >/dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::vector<std::string> warnings;
  Result<Run> run = bench::load_google_benchmark(file, warnings);
  std::filesystem::remove(file);
  EXPECT_TRUE(run) << run.error().text();
  return *run;
}

TEST(FuzzedBenchmark, EachItemIsMeasuredUnderItsParametersAndItsHashIsKept) {
  const steelyard::Run run = measured();
  const FuzzedItems items = *take(sum_fuzzer(), 5);
  for (const ItemPlan& plan : items.items) {
    const BenchmarkId id = parse_google_benchmark_name("time_sum" + plan.identity);
    ASSERT_GE(id.parameters.size(), 2U);
    EXPECT_EQ(id.parameters[0], (Parameter{"rows", std::to_string(*plan.values.whole("rows"))}));
    const bool is_measured = std::any_of(run.measurements.begin(), run.measurements.end(), [&](const Measurement& one) {
      return one.benchmark == id && one.metric.name == kRealTime;
    });
    EXPECT_TRUE(is_measured) << id.canonical();
    EXPECT_EQ(run.labels.at(id.canonical()), item_label(*make_item(plan), items.rejection_rate()));
  }
}

void expect_measured(const Run& run, const std::string& benchmark) {
  const bool is_measured = std::any_of(run.measurements.begin(), run.measurements.end(),
                                       [&](const Measurement& one) { return one.benchmark.name == benchmark; });
  EXPECT_TRUE(is_measured) << benchmark << (run.failures.empty() ? "" : run.failures.back().said);
}

TEST(FuzzedBenchmark, OneItemIsHeldInTheWholeProgram) { expect_measured(measured(), "time_after"); }

TEST(FuzzedBenchmark, ItemsAreOnTheDeviceThatWasGiven) { expect_measured(measured(), "time_away"); }

TEST(FuzzedBenchmark, MistakesAreFailuresOfTheirOwn) {
  const steelyard::Run run = measured();
  std::string reasons;
  for (const Failure& failure : run.failures) {
    EXPECT_NE(failure.benchmark.name, "time_sum");
    reasons += failure.benchmark.name + ": " + failure.said + "\n";
  }
  EXPECT_THAT(reasons, HasSubstr("time_nothing: the benchmark reported an error: fuzzer with seed 0, item 0"));
  EXPECT_THAT(reasons, HasSubstr("\"n above 9\" rejected 1000"));
  EXPECT_THAT(reasons, HasSubstr("time_mistake: the benchmark reported an error: it threw: found no tensor \"y\""));
  EXPECT_THAT(reasons, HasSubstr("time_throwing: the benchmark reported an error: it threw an exception that is no"));
}

}  // namespace
}  // namespace steelyard::fuzzed_benchmark_test
