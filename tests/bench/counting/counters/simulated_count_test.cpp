// Callgrind's simulations beside the counting of a real program.
#include <gmock/gmock.h>

#include <map>

#include "bench/counting/benchmark_count.hpp"
#include "tests/bench/counting/counting_fixture.hpp"

namespace steelyard::bench::simulated_count_test {
namespace {

// Counted once for all tests.
const CountedRun& simulated() {
  static const CountedRun run = [] {
    CountOptions options;
    options.counters = {.cache = true, .branch = true};
    return counted(program_of("counting_counted"), {"mix_in_range_for/1000", "paused", "lambda"}, options);
  }();
  return run;
}

TEST_F(Counting, SimulatingCachesAndBranchesLeavesTheInstructionsAlone) {
  const std::vector<std::string> names{"mix_in_range_for/1000", "paused", "lambda"};
  const CountedRun alone = counted(program_of("counting_counted"), names);
  const CountedRun& run = simulated();
  for (const std::string& name : names) {
    EXPECT_GT(value_of(alone, name), 0) << name;
    EXPECT_EQ(value_of(run, name), value_of(alone, name)) << name;
    EXPECT_EQ(measurement_of(run, name)->count_key, measurement_of(alone, name)->count_key) << name;
  }
}

TEST_F(Counting, SimulatedMetricsAreThoseOfTheLoopAndInTheProfile) {
  const CountedRun& run = simulated();
  std::map<std::string, std::vector<double>> values;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() != canonical("mix_in_range_for/1000")) continue;
    values[measurement.metric.name] = measurement.invocations.front().values;
    EXPECT_EQ(measurement.invocations.front().invocation, 0U) << "of the same processes as the instructions";
    if (measurement.metric.name == "branch_mispredictions") {
      EXPECT_GE(measurement.count_basis.jitter, kMinLearnedJitter);
    } else {
      EXPECT_EQ(measurement.count_basis.jitter, 0) << measurement.metric.name;
    }
  }
  ASSERT_EQ(values.size(), 7U);
  for (const auto& [metric, repeats] : values) {
    ASSERT_EQ(repeats.size(), 2U) << metric;
    if (metric == "branch_mispredictions") continue;
    EXPECT_EQ(repeats[0], repeats[1]) << metric;
  }
  EXPECT_EQ(values["ram_hits"].front(), 0) << "a thousand words stay in the first level";
  EXPECT_GE(values["branches"].front(), 1000) << "one for each word";
  EXPECT_LT(values["branch_mispredictions"].front(), 10);
  EXPECT_EQ(values["estimated_cycles"].front(), values["l1_hits"].front() + 5 * values["ll_hits"].front());
  EXPECT_THAT(run.profiles.front().events, ::testing::Contains("D1mr"));
  EXPECT_EQ(run.profiles.front().totals.size(), 13U);
  EXPECT_TRUE(run.header.settings.contains("counting.cache_model"));
}

}  // namespace
}  // namespace steelyard::bench::simulated_count_test
