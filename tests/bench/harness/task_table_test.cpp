#include "bench/harness/task_table.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/bench/harness/mock_task.hpp"

namespace steelyard::task_table_test {
namespace {

TaskSpec spec(std::string sub_label, std::string environment) {
  TaskSpec task;
  task.label = "dot";
  task.sub_label = std::move(sub_label);
  task.environment = std::move(environment);
  task.description = "f32";
  return task;
}

TEST(TaskTable, BuildsAreRowsThatAreComparedWithEachOther) {
  const std::vector<TaskMeasurement> measurements{MockTask(2e-6).blocked(spec("bmm", "main"), 1),
                                                  MockTask(1e-6).blocked(spec("bmm", "patch"), 1)};
  const Result<std::vector<SignificanceTable>> tables = task_tables(measurements, {});
  ASSERT_TRUE(tables);
  ASSERT_EQ(tables->size(), 1U);
  const SignificanceTable& table = tables->front();
  EXPECT_EQ(table.data.rows[0].name, "(main) bmm");
  EXPECT_EQ(table.data.rows[0].group, "1 thread");
  EXPECT_EQ(table.cells[0][0].standing, Standing::worse);
  EXPECT_EQ(table.cells[1][0].standing, Standing::best);
}

TEST(TaskTable, TimesArePerRunAndInTheOrderTaken) {
  TaskMeasurement measurement;
  measurement.task = spec("bmm", "");
  measurement.runs_per_time = 10;
  measurement.raw_times = {3e-6, 1e-6, 2e-6};
  const Result<std::vector<SignificanceTable>> tables = task_tables({measurement}, {});
  ASSERT_TRUE(tables);
  EXPECT_EQ(tables->front().data.rows[0].cells[0], (std::vector<double>{3e-7, 1e-7, 2e-7}));
  EXPECT_EQ(tables->front().data.rows[0].name, "bmm");
}

TEST(TaskTable, RefusesTwoMachines) {
  TaskMeasurement first;
  first.task = spec("a", "");
  first.raw_times = {1e-6};
  first.fingerprint = "0123456789abcdef";
  TaskMeasurement second = first;
  second.task.sub_label = "b";
  second.fingerprint = "fedcba9876543210";
  EXPECT_FALSE(task_tables({first, second}, {}));
  EXPECT_TRUE(task_tables({first, second}, {}, {true}));
}

TEST(TaskTable, RefusesWhatCannotHaveBeenMeasured) {
  TaskMeasurement measurement;
  measurement.task = spec("bmm", "");
  measurement.raw_times = {1e-6, std::numeric_limits<double>::quiet_NaN()};
  const Result<std::vector<SignificanceTable>> tables = task_tables({measurement}, {});
  ASSERT_FALSE(tables);
  EXPECT_NE(tables.error().text().find("dot: bmm"), std::string::npos) << tables.error().text();
  measurement.raw_times = {1e-6, 1e-6};
  measurement.runs_of_times = {1};
  EXPECT_FALSE(task_tables({measurement}, {}));
}

}  // namespace
}  // namespace steelyard::task_table_test
