#include "bench/harness/to_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/compare_runs.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::to_run_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TaskMeasurement measured(std::string statement, std::vector<double> raw_times, std::int64_t runs_per_time = 1) {
  TaskMeasurement measurement;
  measurement.task.statement = std::move(statement);
  measurement.raw_times = std::move(raw_times);
  measurement.runs_per_time = runs_per_time;
  return measurement;
}

Run run_of(const std::vector<TaskMeasurement>& list, const ToRunOptions& options = {}) {
  auto run = to_run(list, options);
  EXPECT_TRUE(run) << run.error().text();
  return run ? std::move(run).value() : Run{};
}

std::string error_of(const std::vector<TaskMeasurement>& list, const ToRunOptions& options = {}) {
  const auto run = to_run(list, options);
  EXPECT_FALSE(run);
  return run ? "" : run.error().text();
}

TEST(ToRun, TimesBecomeNanosecondsPerIteration) {
  TaskMeasurement varied = measured("f(x)", {2e-6, 6e-6}, 2);
  varied.runs_of_times = {2, 3};
  const steelyard::Run run = run_of({varied, measured("g(x)", {3e-6}, 4)});
  ASSERT_EQ(run.measurements.size(), 2U);
  EXPECT_EQ(run.measurements[0].metric, *well_known_metric(kRealTime));
  const InvocationSamples& samples = run.measurements[0].invocations.front();
  EXPECT_DOUBLE_EQ(samples.values[0], 1000);
  EXPECT_DOUBLE_EQ(samples.values[1], 2000);
  EXPECT_THAT(samples.iterations, ElementsAre(2, 3));
  EXPECT_THAT(run.measurements[1].invocations.front().iterations, ElementsAre(4));
  EXPECT_EQ(run.invocations.size(), 1U);
}

TEST(ToRun, LabelsAndThreadsNameTheBenchmark) {
  TaskMeasurement measurement = measured("dot(x,\n    y)", {1});
  EXPECT_EQ(run_of({measurement}).measurements.front().benchmark.canonical(), "dot(x, y)");
  measurement.task.label = "batched dot";
  measurement.task.sub_label = "multiply and sum";
  measurement.task.description = "float32";
  measurement.task.threads = 4;
  EXPECT_EQ(run_of({measurement}).measurements.front().benchmark.canonical(),
            "batched dot/sub_label:multiply and sum/description:float32/threads:4");
}

TEST(ToRun, RepeatsAreOneProcessUnlessSaidOtherwise) {
  const std::vector<TaskMeasurement> list{measured("f", {1, 2}), measured("g", {5}), measured("f", {3})};
  const steelyard::Run joined = run_of(list);
  EXPECT_EQ(joined.invocations.size(), 1U);
  EXPECT_EQ(joined.measurements[0].invocations.front().values.size(), 3U);
  const steelyard::Run apart = run_of(list, {.repeats_are_processes = true});
  EXPECT_EQ(apart.invocations.size(), 2U);
  EXPECT_EQ(apart.invocations[1].round, 1);
  ASSERT_EQ(apart.measurements[0].invocations.size(), 2U);
  EXPECT_EQ(apart.measurements[0].invocations[1].invocation, 1U);
  EXPECT_EQ(apart.measurements[1].invocations.size(), 1U);
}

TEST(ToRun, TwoTasksOfOneNameAreAnErrorThatTellsThem) {
  TaskMeasurement patched = measured("f", {1});
  patched.task.environment = "patched";
  EXPECT_THAT(error_of({measured("f", {1}), patched}),
              HasSubstr("\"f\" and \"f\" of environment \"patched\" by that name"));
  EXPECT_THAT(error_of({measured("f", {})}), HasSubstr("no time"));
  EXPECT_THAT(error_of({measured("f", {1}, 0)}), HasSubstr("0 runs per time"));
}

TEST(ToRun, MachinesAreKeptApart) {
  TaskMeasurement here = measured("f", {1});
  TaskMeasurement there = measured("g", {1});
  here.fingerprint = "aaaa";
  there.fingerprint = "bbbb";
  EXPECT_THAT(error_of({here, there}), HasSubstr("machine aaaa and of machine bbbb"));
  EXPECT_THAT(error_of({here, measured("g", {1})}), HasSubstr("an unknown machine"));
  Environment environment;
  environment.set("cpu.model", "some", true);
  EXPECT_THAT(error_of({here}, {.environment = environment}), HasSubstr("machine aaaa"));
  here.fingerprint = environment.fingerprint();
  EXPECT_EQ(run_of({here}, {.environment = environment}).environment, environment);
  EXPECT_NE(run_of({there}).environment.fingerprint(), run_of({here}).environment.fingerprint());
  EXPECT_EQ(run_of({measured("f", {1})}).environment.fingerprint(), "");
}

TEST(ToRun, RunIsArchivedAndComparedLikeAnyOther) {
  std::vector<TaskMeasurement> before;
  std::vector<TaskMeasurement> after;
  for (int process = 0; process < 12; ++process) {
    const double noise = 1 + 0.001 * (process % 5);
    before.push_back(measured("f", {1e-6 * noise, 1.001e-6 * noise}));
    after.push_back(measured("f", {2e-6 * noise, 2.002e-6 * noise}));
  }
  const ToRunOptions options{.repeats_are_processes = true};
  steelyard::Run baseline = run_of(before, options);
  steelyard::Run candidate = run_of(after, options);
  storage::seal(baseline);
  const auto read = storage::decode_run(storage::encode_run(baseline), "in.syrun");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, baseline);
  const auto comparison = regress::compare_runs(baseline, candidate, {}).comparison;
  ASSERT_EQ(comparison.rows.size(), 1U);
  ASSERT_TRUE(comparison.rows.front().ratio);
  EXPECT_NEAR(*comparison.rows.front().ratio, 2, 0.01);
}

TEST(ToRun, NothingIsAnEmptyRun) { EXPECT_TRUE(run_of({}).measurements.empty()); }

}  // namespace
}  // namespace steelyard::to_run_test
