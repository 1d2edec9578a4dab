#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bench/model/task_measurement.hpp"

namespace steelyard {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TaskMeasurement measured(std::vector<double> raw_times, std::int64_t runs_per_time = 1) {
  TaskMeasurement measurement;
  measurement.task.statement = "f(x)";
  measurement.runs_per_time = runs_per_time;
  measurement.raw_times = std::move(raw_times);
  return measurement;
}

TEST(TaskTitle, IsTheLabelOrElseTheStatement) {
  TaskSpec task;
  task.statement = "f(x)";
  EXPECT_EQ(task.title(), "f(x)");
  task.sub_label = "sorted";
  EXPECT_EQ(task.title(), "f(x): sorted");
  task.label = "sort";
  EXPECT_EQ(task.title(), "sort: sorted");
  task.sub_label = "";
  EXPECT_EQ(task.title(), "sort");
}

TEST(TaskTitle, StatementOfSeveralLinesStandsIndentedBelow) {
  TaskSpec task;
  task.statement = "a();\n\nif (b) {\n  c();\n}";
  EXPECT_EQ(task.title(), "stmt:\n  a();\n\n  if (b) {\n    c();\n  }");
  task.sub_label = "sorted";
  EXPECT_THAT(task.title(), testing::StartsWith("stmt: (sorted)\n  a();"));
  task.label = "sort";
  EXPECT_EQ(task.title(), "sort: sorted");
}

// As textwrap.dedent of Python's library, less the leading line end and the blanks behind.
TEST(TaskSpec, DedentedTextsReadAsTheyWouldByThemselves) {
  const auto statement = [](const char* text) { return dedented({.statement = text}).statement; };
  EXPECT_EQ(statement("\n    a();\n      b();\n\n    c();\n  "), "a();\n  b();\n\nc();");
  EXPECT_EQ(statement("  a();\n \t\nb();"), "  a();\n\nb();") << "a line of blanks alone sets no margin";
  EXPECT_EQ(statement("\ta();\n  b();"), "\ta();\n  b();") << "a tab and blanks share nothing";
  EXPECT_EQ(statement("\n\na();"), "\na();") << "one line end, no more";
  EXPECT_EQ(statement("f(x)"), "f(x)");
  EXPECT_EQ(statement(" \n\t"), "");
  EXPECT_EQ(statement(""), "");
  const TaskSpec task = dedented({.setup = "  x;", .global_setup = " y; ", .label = " label "});
  EXPECT_EQ(task.setup, "x;");
  EXPECT_EQ(task.global_setup, "y;");
  EXPECT_EQ(task.label, " label ") << "a name is as it was given";
}

// The output of PyTorch's benchmark recipe, less the object's address and with the stray blank and comma mended.
TEST(TaskText, OneTimeStandsAlone) {
  TaskMeasurement measurement = measured({118.47e-4}, 100);
  measurement.task.label = "Multithreaded batch dot";
  measurement.task.sub_label = "Implemented using mul and sum";
  measurement.task.threads = 4;
  EXPECT_EQ(measurement.text(),
            "Multithreaded batch dot: Implemented using mul and sum\n"
            "  118.47 us\n"
            "  1 measurement, 100 runs, 4 threads");
}

TEST(TaskText, ManyTimesShowMedianSpreadAndWarning) {
  TaskMeasurement measurement = measured({90e-6, 95e-6, 105e-6, 110e-6}, 1);
  measurement.task.description = "float32";
  measurement.task.setup = "x = make()";
  EXPECT_EQ(measurement.text(),
            "f(x)\n"
            "float32\n"
            "setup: x = make()\n"
            "  Median: 100.00 us\n"
            "  IQR:    12.50 us (93.75 to 106.25)\n"
            "  4 measurements, 1 run per measurement, 1 thread\n"
            "  WARNING: Interquartile range is 12.5% of the median measurement.\n"
            "           This could indicate system fluctuation.");
}

TEST(TaskText, WideSpreadIsSevere) {
  EXPECT_THAT(measured({1, 1, 2, 2}).warning_text(),
              EndsWith("66.7% of the median measurement.\n"
                       "           This suggests significant environmental influence."));
  EXPECT_EQ(measured({1, 1, 1, 1}).warning_text(), "");
}

TEST(TaskText, TwoOrThreeTimesHaveNoSpreadLine) {
  EXPECT_THAT(measured({1e-3, 2e-3, 3e-3}).text(), HasSubstr("  Median: 2.00 ms\n  3 measurements"));
  EXPECT_THAT(measured({1e-3, 2e-3, 3e-3}).text(), Not(HasSubstr("IQR")));
}

TEST(TaskText, SetupOfSeveralLinesIsSetOff) {
  TaskMeasurement measurement = measured({1});
  measurement.task.setup = "a;\nb;";
  EXPECT_THAT(measurement.text(), testing::StartsWith("f(x)\nsetup:\n  a;\n  b;\n\n  1.00 s\n"));
}

TEST(TaskText, NoTimeIsSaid) { EXPECT_EQ(measured({}).text(), "f(x)\n  no measurement"); }

TEST(TimeUnit, LargestThatKeepsTheNumberAtLeastOne) {
  EXPECT_EQ(time_unit(120).name, "min");
  EXPECT_EQ(time_unit(60).name, "min");
  EXPECT_EQ(time_unit(59.9).name, "s");
  EXPECT_EQ(time_unit(1).name, "s");
  EXPECT_EQ(time_unit(0.999).name, "ms");
  EXPECT_EQ(time_unit(1e-3).name, "ms");
  EXPECT_EQ(time_unit(1e-6).name, "us");
  EXPECT_EQ(time_unit(1e-9).name, "ns");
  EXPECT_EQ(time_unit(1e-10).name, "ps");
  EXPECT_EQ(time_unit(1e-15).name, "ps");
  EXPECT_EQ(time_unit(0).name, "ps");
  EXPECT_EQ(time_unit(5e-6).plural, "microseconds");
  EXPECT_EQ(time_unit(5e-6).seconds, 1e-6);
}

TEST(Trim, RoundsHalfToEvenAtTheLastSignificantDigit) {
  EXPECT_EQ(trim_to_significant_figures(4174.4, 2), 4200);
  EXPECT_EQ(trim_to_significant_figures(17.4, 2), 17);
  EXPECT_EQ(trim_to_significant_figures(1.3, 1), 1);
  EXPECT_EQ(trim_to_significant_figures(2.5, 1), 2);
  EXPECT_EQ(trim_to_significant_figures(3.5, 1), 4);
  EXPECT_EQ(trim_to_significant_figures(-2.5, 1), -2);
  EXPECT_EQ(trim_to_significant_figures(1.25, 2), 1.2);
  EXPECT_EQ(trim_to_significant_figures(0.012345, 3), 0.0123);
  EXPECT_EQ(trim_to_significant_figures(1000, 2), 1000);
  EXPECT_EQ(trim_to_significant_figures(9.96, 2), 10);
}

TEST(Trim, NothingBreaksItsEdges) {
  EXPECT_EQ(trim_to_significant_figures(0, 2), 0);
  EXPECT_EQ(trim_to_significant_figures(std::numeric_limits<double>::infinity(), 2),
            std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(trim_to_significant_figures(std::nan(""), 2)));
  EXPECT_EQ(trim_to_significant_figures(5e-324, 3), 5e-324);
}

}  // namespace
}  // namespace steelyard
