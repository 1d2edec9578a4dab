#include "bench/counting/benchmark_count.hpp"

#include <gmock/gmock.h>

#include "bench/counting/counters/counter_choice.hpp"

namespace steelyard::bench::counter_measurements_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using FilledRun = Run;  // inside a test, Run is gtest's own

const std::vector<std::string> kBranchEvents{"Ir", "Bc", "Bcm", "Bi", "Bim"};
constexpr CounterChoice kBranch{.branch = true};

BenchmarkCount count_of(std::vector<std::vector<std::int64_t>> net_totals) {
  BenchmarkCount count;
  count.iterations = 10;
  count.profile.events = kBranchEvents;
  count.net_totals = std::move(net_totals);
  return count;
}

Measurement instructions() {
  Measurement measurement;
  measurement.benchmark = parse_google_benchmark_name("sorts/8");
  measurement.count_key = "valgrind-3.19.0";
  measurement.count_basis.scope = CountScope::whole_functions;
  measurement.invocations.push_back({4, {100}, {10}});
  return measurement;
}

FilledRun added(const BenchmarkCount& count, const CounterChoice& choice) {
  FilledRun run;
  add_simulated(count, choice, instructions(), run);
  return run;
}

TEST(CounterMeasurements, AreOfTheBenchmarkAndTheInvocationOfTheInstructions) {
  const FilledRun run = added(count_of({{1000, 50, 5, 20, 0}}), kBranch);
  ASSERT_EQ(run.measurements.size(), 2U);
  EXPECT_EQ(run.measurements[0].metric, *well_known_metric("branches"));
  EXPECT_EQ(run.measurements[0].benchmark.canonical(), "sorts/8");
  EXPECT_THAT(run.measurements[0].invocations, ElementsAre(InvocationSamples{4, {7}, {10}}));
  EXPECT_THAT(run.measurements[1].invocations, ElementsAre(InvocationSamples{4, {0.5}, {10}}));
  EXPECT_EQ(run.measurements[0].count_basis.scope, CountScope::whole_functions);
  EXPECT_EQ(run.measurements[0].count_basis.jitter, std::nullopt) << "one value says nothing of it";
}

TEST(CounterMeasurements, KeyHoldsTheGeometryOnlyWhereCachesAreSimulated) {
  EXPECT_EQ(added(count_of({{1000, 50, 5, 20, 0}}), kBranch).measurements[0].count_key, "valgrind-3.19.0");
  EXPECT_THAT(added(count_of({{1000, 50, 5, 20, 0}}), {.cache = true}).measurements[0].count_key,
              HasSubstr("valgrind-3.19.0;caches I1 32768/8/64"));
}

TEST(CounterMeasurements, DifferentRepeatsTeachTheirJitter) {
  Measurement of_region = instructions();
  of_region.count_basis.scope = CountScope::timed_region;
  FilledRun run;
  add_simulated(count_of({{1000, 50, 5, 20, 0}, {1000, 60, 5, 20, 0}}), kBranch, of_region, run);
  EXPECT_THAT(run.measurements[0].invocations[0].values, ElementsAre(7, 8));
  EXPECT_DOUBLE_EQ(*run.measurements[0].count_basis.jitter, 1 / 7.5);
}

TEST(CounterMeasurements, MispredictionsAreNeverCalledExact) {
  Measurement of_region = instructions();
  of_region.count_basis.scope = CountScope::timed_region;
  FilledRun run;
  add_simulated(count_of({{1000, 50, 5, 20, 0}, {1000, 50, 5, 20, 0}}), kBranch, of_region, run);
  EXPECT_EQ(run.measurements[0].count_basis.jitter, 0);
  EXPECT_EQ(run.measurements[0].count_basis.jitter_from, "one thread, timed region: 2 of 2 equal");
  EXPECT_EQ(run.measurements[1].metric.name, "branch_mispredictions");
  EXPECT_EQ(run.measurements[1].count_basis.jitter, kMinLearnedJitter);
  EXPECT_THAT(run.measurements[1].count_basis.jitter_from, HasSubstr("history"));
}

TEST(CounterMeasurements, FewerAtTwiceTheIterationsIsAFailureOfThatMetricAlone) {
  const FilledRun run = added(count_of({{1000, 50, -5, 20, 0}}), kBranch);
  ASSERT_EQ(run.measurements.size(), 1U);
  EXPECT_EQ(run.measurements[0].metric.name, "branches");
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.failures[0].metric, "branch_mispredictions");
}

TEST(CounterMeasurements, NothingIsAddedUnasked) {
  EXPECT_THAT(added(count_of({{1000, 50, 5, 20, 0}}), {.heap = true}).measurements, IsEmpty());
}

TEST(CounterMeasurements, EveryMetricOfTheModelIsKnownAndGatesOnlyByName) {
  const std::vector<std::string> events{"Ir",   "Dr",   "Dw", "I1mr", "D1mr", "D1mw", "ILmr",
                                        "DLmr", "DLmw", "Bc", "Bcm",  "Bi",   "Bim"};
  const std::vector<SimulatedCount> counts = simulated_counts(events, std::vector<std::int64_t>(events.size(), 1));
  EXPECT_EQ(counts.size(), 6U);
  for (const SimulatedCount& count : counts) {
    const auto metric = well_known_metric(count.metric);
    ASSERT_TRUE(metric) << count.metric;
    EXPECT_EQ(metric->kind, MetricKind::counted);
    EXPECT_FALSE(gates_by_default(*metric)) << count.metric;
  }
}

TEST(CounterMeasurements, RecordOfTheModelIsInTheSettings) {
  FilledRun run;
  record_cache_model({.cache = true}, run);
  EXPECT_EQ(run.header.settings["counting.cache_model"], cache_model_text());
  EXPECT_FALSE(run.header.settings.contains("counting.branch_model"));
}

}  // namespace
}  // namespace steelyard::bench::counter_measurements_test
