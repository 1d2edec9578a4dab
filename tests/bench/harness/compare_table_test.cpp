#include <gtest/gtest.h>

#include "bench/harness/compare_table.hpp"
#include "tests/bench/harness/mock_task.hpp"
#include "tests/ci/report/golden.hpp"

namespace steelyard::compare_table_test {
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

TaskSpec spec(std::string sub_label, std::string description) {
  TaskSpec task;
  task.statement = "pass";
  task.label = "fn";
  task.sub_label = std::move(sub_label);
  task.description = std::move(description);
  return task;
}

// Three functions with overhead and work per element, over five sizes; the third takes square ones only.
std::vector<TaskMeasurement> three_functions(double deviation = 0.05) {
  struct Function {
    const char* name;
    double overhead;
    double work;
    bool square_only;
  };
  std::vector<TaskMeasurement> measurements;
  for (const auto& [rows, columns] : {std::pair(16, 16), {16, 128}, {128, 128}, {4096, 1024}, {2048, 2048}}) {
    for (const Function& function : {Function{"small overhead", 1e-6, 1e-9, false},
                                     {"small work", 3e-6, 5e-10, false},
                                     {"special case (square)", 1e-6, 4e-10, true}}) {
      if (function.square_only && rows != columns) continue;
      MockTask task(function.overhead + function.work * rows * columns, deviation);
      measurements.push_back(
          task.blocked(spec(function.name, "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")")));
    }
  }
  return measurements;
}

std::string text_of(const CompareTable& table) {
  const Result<std::string> text = table.text();
  return text ? *text : text.error().text();
}

TEST(CompareTable, IsTheReferenceTable) {
  golden::expect_equal(text_of(CompareTable(three_functions())), "compare_table/plain.out");
}

TEST(CompareTable, TrimsToTheDigitsThatTheTimesSupport) {
  CompareTable table(three_functions());
  table.trim_significant_figures();
  golden::expect_equal(text_of(table), "compare_table/trimmed.out");
}

TEST(CompareTable, ColoursColumnsAndRowsByRatioToTheBest) {
  CompareTable table(three_functions());
  table.trim_significant_figures();
  table.colorize(TableColor::columnwise);
  golden::expect_equal(text_of(table), "compare_table/columnwise.out");
  table.colorize(TableColor::rowwise);
  golden::expect_equal(text_of(table), "compare_table/rowwise.out");
}

TEST(CompareTable, NamesTheSpreadOfNoisyCells) {
  CompareTable table(three_functions(0.2));
  table.highlight_warnings();
  golden::expect_equal(text_of(table), "compare_table/warnings.out");
}

TEST(CompareTable, GroupsByLabelThreadsAndEnvironment) {
  std::vector<TaskMeasurement> measurements;
  for (const int threads : {4, 1}) {
    for (const char* environment : {"main", "with patch"}) {
      for (const char* name : {"sort", "hash"}) {
        TaskSpec task = spec(name, "f32");
        task.threads = threads;
        task.environment = environment;
        measurements.push_back(MockTask(1e-6 * (threads + (*environment == 'm' ? 0.5 : 0.0))).blocked(task, 1));
        task.label = "other";
        task.environment.clear();
        task.sub_label = std::string(name) + environment;
        measurements.push_back(MockTask(5e-3).blocked(task, 1));
      }
    }
  }
  golden::expect_equal(text_of(CompareTable(measurements)), "compare_table/grouped.out");
}

TEST(CompareTable, MergesEqualTasks) {
  TaskMeasurement first;
  first.task = spec("a", "x");
  first.raw_times = {1e-6, 1e-6};
  TaskMeasurement second = first;
  second.runs_per_time = 10;
  second.raw_times = {30e-6, 30e-6};
  EXPECT_NE(text_of(CompareTable({first, second})).find("|  2.0\n"), std::string::npos);
}

TEST(CompareTable, OfNothingIsEmpty) {
  EXPECT_EQ(text_of(CompareTable()), "");
  TaskMeasurement untimed;
  untimed.task = spec("a", "x");
  EXPECT_EQ(text_of(CompareTable({untimed})), "");
}

TEST(CompareTable, RefusesTwoMachinesUnlessAsked) {
  std::vector<TaskMeasurement> measurements{MockTask(1e-6).blocked(spec("a", "x"), 1),
                                            MockTask(1e-6).blocked(spec("b", "x"), 1)};
  measurements[0].fingerprint = "0123456789abcdef";
  CompareTable table(measurements);
  const Result<std::string> refused = table.text();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_NE(refused.error().text().find("0123456789abcdef"), std::string::npos);
  table.merge_across_machines();
  EXPECT_TRUE(table.text());
}

TEST(CompareTable, ATimeOfZeroStandsBesideOthers) {
  TaskMeasurement zero;
  zero.task = spec("a", "x");
  zero.raw_times = {0, 0};
  TaskMeasurement other = zero;
  other.task.sub_label = "b";
  other.raw_times = {2e-6, 2e-6};
  CompareTable table({zero, other});
  EXPECT_NE(text_of(table).find("|  0.0\n"), std::string::npos) << text_of(table);
  EXPECT_NE(text_of(table).find("Times are in microseconds"), std::string::npos) << text_of(table);
  table.trim_significant_figures();
  EXPECT_NE(text_of(table).find("|  0\n"), std::string::npos) << text_of(table);
}

TEST(CompareTable, PrintsPicosecondsWhereTheTimesAreSoShort) {
  TaskMeasurement measurement;
  measurement.task = spec("a", "x");
  measurement.raw_times = {4e-10, 5e-10, 6e-10};
  EXPECT_NE(text_of(CompareTable({measurement})).find("500.0\n\nTimes are in picoseconds (ps)."), std::string::npos);
}

}  // namespace

}  // namespace steelyard::compare_table_test
