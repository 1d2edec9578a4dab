#include "bench/harness/compare_table_grid.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TaskMeasurement timed(std::string statement, std::string sub_label, std::string description, int threads = 1) {
  TaskMeasurement measurement;
  measurement.task.statement = std::move(statement);
  measurement.task.sub_label = std::move(sub_label);
  measurement.task.description = std::move(description);
  measurement.task.threads = threads;
  measurement.raw_times = {1e-6};
  return measurement;
}

TEST(CompareTableGrid, RowsAreSortedByThreadsAndColumnsStandAsTheyCame) {
  const std::vector<TaskMeasurement> measurements{timed("s", "b", "late", 2), timed("s", "a", "early", 1),
                                                  timed("s", "b", "early", 1)};
  const Result<std::vector<TaskGrid>> grids = task_grids(measurements);
  ASSERT_TRUE(grids);
  ASSERT_EQ(grids->size(), 1U);
  const TaskGrid& grid = grids->front();
  EXPECT_EQ(grid.columns, (std::vector<std::string>{"late", "early"}));
  EXPECT_EQ(grid.rows, (std::vector<GridRow>{{1, "", "a"}, {1, "", "b"}, {2, "", "b"}}));
  EXPECT_EQ(grid.cells[2][0], &measurements[0]);
  EXPECT_EQ(grid.cells[0][0], nullptr);
}

TEST(CompareTableGrid, ARowIsNamedByWhatThereIs) {
  const std::vector<TaskMeasurement> measurements{timed("x + y", "", "a"), timed("", "", "a")};
  const Result<std::vector<TaskGrid>> grids = task_grids(measurements);
  ASSERT_TRUE(grids);
  EXPECT_EQ(grids->front().rows[0].name, "x + y");
  EXPECT_EQ(grids->front().rows[1].name, "[Unknown]");
}

TEST(CompareTableGrid, TwoTasksInOneCellAreAnErrorThatNamesThem) {
  const std::vector<TaskMeasurement> measurements{timed("first()", "same", "a"), timed("second()", "same", "a")};
  const Result<std::vector<TaskGrid>> grids = task_grids(measurements);
  ASSERT_FALSE(grids);
  EXPECT_NE(grids.error().text().find("\"first()\" and \"second()\""), std::string::npos);
}

}  // namespace
}  // namespace steelyard
