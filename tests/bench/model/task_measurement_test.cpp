#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "bench/model/task_measurement.hpp"

namespace steelyard::task_measurement_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TaskMeasurement measured(std::vector<double> raw_times, std::int64_t runs_per_time = 1) {
  TaskMeasurement measurement;
  measurement.task.statement = "f(x)";
  measurement.runs_per_time = runs_per_time;
  measurement.raw_times = std::move(raw_times);
  return measurement;
}

TEST(TaskMeasurement, TimesArePerRunAndAscend) {
  const TaskMeasurement measurement = measured({3, 1, 2}, 2);
  EXPECT_THAT(measurement.times(), ElementsAre(0.5, 1, 1.5));
  EXPECT_THAT(measurement.raw_times, ElementsAre(3, 1, 2));
}

TEST(TaskMeasurement, QuantilesInterpolateBetweenNeighbours) {
  const TaskMeasurement measurement = measured({4, 1, 3, 2});
  EXPECT_EQ(measurement.median(), 2.5);
  EXPECT_EQ(measurement.p25(), 1.75);
  EXPECT_EQ(measurement.p75(), 3.25);
  EXPECT_EQ(measurement.interquartile_range(), 1.5);
  EXPECT_EQ(measurement.mean(), 2.5);
}

TEST(TaskMeasurement, OneTimeIsItsOwnMedianAndQuartiles) {
  const TaskMeasurement measurement = measured({7});
  EXPECT_EQ(measurement.median(), 7);
  EXPECT_EQ(measurement.p25(), 7);
  EXPECT_EQ(measurement.interquartile_range(), 0);
}

TEST(TaskMeasurement, WithoutTimesNothingIsClaimed) {
  const TaskMeasurement measurement = measured({});
  EXPECT_EQ(measurement.median(), std::nullopt);
  EXPECT_EQ(measurement.mean(), std::nullopt);
  EXPECT_EQ(measurement.interquartile_range(), std::nullopt);
  EXPECT_EQ(measurement.significant_figures(), 1);
  EXPECT_FALSE(measurement.has_warning());
}

// The middle half of 1, 2, 3, 4 is 2 and 3: population deviation .5, half width 1.645 * .5 / sqrt(2) = .5816.
TEST(TaskMeasurement, SignificantFiguresFollowTheSpreadOfTheMiddleHalf) {
  EXPECT_EQ(measured({1, 2, 3, 4}).significant_figures(), 1);           // 2.5 / .58 = 4.3
  EXPECT_EQ(measured({99, 100, 100.5, 102}).significant_figures(), 2);  // 100.25 / .29 = 345
  EXPECT_EQ(measured({1001, 1002, 1003, 1004}).significant_figures(), 3);
  EXPECT_EQ(measured({5, 5, 5, 5}).significant_figures(), 4) << "never more than 4";
  EXPECT_EQ(measured({1, 100, 900, 5000}).significant_figures(), 1) << "never fewer than 1";
}

TEST(TaskMeasurement, ClockItselfLimitsTheFiguresOfShortTimes) {
  EXPECT_EQ(measured({1e-6, 1e-6}).significant_figures(), 1);  // 1 us over 25 ns
  EXPECT_EQ(measured({3e-6, 3e-6}).significant_figures(), 2);
  EXPECT_EQ(measured({1e-9, 1e-9}).significant_figures(), 1);
}

TEST(TaskMeasurement, WarnsFromATenthOfTheMedianOn) {
  EXPECT_TRUE(measured({90, 95, 105, 110}).has_warning());   // IQR 12.5 of 100
  EXPECT_FALSE(measured({98, 99, 101, 102}).has_warning());  // IQR 2.5 of 100
  EXPECT_FALSE(measured({50, 100, 150}).has_warning()) << "three times say nothing about spread";
}

TEST(TaskMeasurement, VariedRunsDivideEachTimeByItsOwn) {
  TaskMeasurement measurement = measured({20, 33, 10}, 10);
  measurement.runs_of_times = {10, 11, 10};
  EXPECT_THAT(measurement.times_in_order(), ElementsAre(2, 3, 1));
  EXPECT_EQ(measurement.median(), 2);
  const auto merged = merge({measurement});
  ASSERT_TRUE(merged);
  EXPECT_THAT(merged->front().raw_times, ElementsAre(2, 3, 1));
  EXPECT_THAT(merged->front().runs_of_times, IsEmpty());
}

TEST(TaskMeasurement, FlawNamesWhatCannotHaveBeenMeasured) {
  EXPECT_EQ(measured({1, 0}).flaw(), "");
  EXPECT_EQ(measured({1}, 0).flaw(), "0 runs per time");
  EXPECT_EQ(measured({-1}).flaw(), "a time that is below 0 or not finite");
  EXPECT_EQ(measured({std::nan("")}).flaw(), "a time that is below 0 or not finite");
  TaskMeasurement measurement = measured({1, 2});
  measurement.runs_of_times = {1};
  EXPECT_EQ(measurement.flaw(), "runs of 1 times beside 2");
  measurement.runs_of_times = {1, 0};
  EXPECT_EQ(measurement.flaw(), "a time of 0 runs");
  measurement.task.threads = 0;
  EXPECT_EQ(measurement.flaw(), "0 threads");
}

TEST(Merge, EqualTasksJoinInOrderOfFirstAppearance) {
  TaskMeasurement other = measured({9});
  other.task.environment = "patched";
  const auto merged = merge({measured({4, 2}, 2), other, measured({3})});
  ASSERT_TRUE(merged) << merged.error().text();
  ASSERT_EQ(merged->size(), 2U);
  EXPECT_THAT(merged->at(0).raw_times, ElementsAre(2, 1, 3));
  EXPECT_EQ(merged->at(0).runs_per_time, 1);
  EXPECT_THAT(merged->at(1).raw_times, ElementsAre(9));
  EXPECT_EQ(merged->at(1).task.environment, "patched");
}

TEST(Merge, NothingStaysNothing) {
  const auto merged = merge({});
  ASSERT_TRUE(merged);
  EXPECT_THAT(*merged, IsEmpty());
}

TEST(Merge, EveryFieldOfATaskKeepsItApart) {
  const TaskMeasurement plain = measured({1});
  std::vector<TaskMeasurement> all(9, plain);
  all[1].task.statement = "g(x)";
  all[2].task.setup = "x";
  all[3].task.global_setup = "x";
  all[4].task.label = "x";
  all[5].task.sub_label = "x";
  all[6].task.description = "x";
  all[7].task.environment = "x";
  all[8].task.threads = 2;
  const auto merged = merge(all);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->size(), 9U);
}

TEST(Merge, KeepsOnlyTheMetadataThatAllAgreeOn) {
  TaskMeasurement first = measured({1});
  TaskMeasurement second = measured({2});
  first.metadata = {{"clock", "steady"}, {"seed", "1"}, {"rule", "blocked"}};
  second.metadata = {{"clock", "steady"}, {"seed", "2"}};
  const auto merged = merge({first, second});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->front().metadata, (std::map<std::string, std::string>{{"clock", "steady"}}));
}

TEST(Merge, RefusesTwoMachinesUnlessAsked) {
  TaskMeasurement here = measured({1});
  TaskMeasurement there = measured({2});
  here.fingerprint = "aaaa";
  there.fingerprint = "bbbb";
  const auto refused = merge({here, there});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_THAT(refused.error().text(), HasSubstr("machine aaaa and of machine bbbb"));
  const auto asked = merge({here, there}, {.across_machines = true});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->front().raw_times.size(), 2U);
  EXPECT_EQ(asked->front().fingerprint, "") << "it is no longer of one machine";
}

TEST(Merge, AnUnknownMachineIsNotTakenForAKnownOne) {
  TaskMeasurement known = measured({1});
  known.fingerprint = "aaaa";
  EXPECT_FALSE(merge({known, measured({2})}));
  EXPECT_TRUE(merge({measured({1}), measured({2})}));
}

TEST(Merge, TwoMachinesMayHaveDifferentTasksInOneList) {
  TaskMeasurement here = measured({1});
  TaskMeasurement there = measured({2});
  here.fingerprint = "aaaa";
  there.fingerprint = "bbbb";
  there.task.environment = "other machine";
  const auto merged = merge({here, there});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->back().fingerprint, "bbbb");
}

// Lists of up to four measurements of up to three tasks.
std::vector<TaskMeasurement> drawn(std::mt19937& random) {
  std::vector<TaskMeasurement> list(random() % 5);
  for (TaskMeasurement& measurement : list) {
    measurement.task.statement = std::string("f") + static_cast<char>('0' + random() % 3);
    measurement.runs_per_time = 1 + static_cast<std::int64_t>(random() % 1000);
    measurement.raw_times.resize(random() % 6);
    for (double& raw : measurement.raw_times) raw = 1e-6 * static_cast<double>(1 + random() % 1000000);
  }
  return list;
}

std::vector<TaskMeasurement> joined(std::vector<TaskMeasurement> first, const std::vector<TaskMeasurement>& second) {
  first.insert(first.end(), second.begin(), second.end());
  auto merged = merge(first);
  EXPECT_TRUE(merged);
  return std::move(merged).value();
}

// What a merge means: of each task, how many times and which.
std::map<TaskSpec, std::vector<double>> meaning(const std::vector<TaskMeasurement>& list) {
  std::map<TaskSpec, std::vector<double>> times;
  for (const TaskMeasurement& measurement : list) times[measurement.task] = measurement.times();
  EXPECT_EQ(times.size(), list.size()) << "one measurement a task";
  return times;
}

TEST(Merge, IsAssociativeAndCommutativeOnTheSortedTimes) {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    const auto a = drawn(random);
    const auto b = drawn(random);
    const auto c = drawn(random);
    const auto whole = meaning(joined(joined(a, b), c));
    ASSERT_EQ(whole, meaning(joined(a, joined(b, c))));
    ASSERT_EQ(whole, meaning(joined(joined(c, a), b)));
  }
}

using testing::EndsWith;
using testing::Not;

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

// The output of PyTorch's benchmark recipe, less the object's address and with the stray blank and comma fixed.
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

}  // namespace steelyard::task_measurement_test
