#include "ci/report/tables.hpp"

#include <gmock/gmock.h>

namespace steelyard::ci::tables_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Measurement measured(const std::string& name, std::string_view metric, std::vector<std::vector<double>> invocations) {
  Measurement measurement;
  measurement.benchmark = parse_google_benchmark_name(name);
  measurement.metric = *well_known_metric(metric);
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    measurement.invocations.push_back({static_cast<std::uint32_t>(i), std::move(invocations[i]), {}});
  }
  return measurement;
}

TableSide side(std::string name, std::vector<Measurement> measurements) {
  TableSide made;
  made.name = std::move(name);
  made.run.measurements = std::move(measurements);
  return made;
}

TEST(SideTables, ValuesAreSamplesOfOneProcessOrMediansOfSeveral) {
  const TableSide one = side("one", {measured("BM_x", kRealTime, {{5, 7, 6}})});
  const TableSide several = side("several", {measured("BM_x", kRealTime, {{1, 2, 3}, {4, 5, 9}})});
  const SideTables samples = side_tables({one}, {});
  ASSERT_EQ(samples.tables.size(), 1U);
  EXPECT_EQ(samples.tables[0].kind, ValueKind::samples);
  EXPECT_THAT(samples.tables[0].rows[0].cells[0], ElementsAre(5, 7, 6));
  const SideTables mixed = side_tables({one, several}, {});
  EXPECT_EQ(mixed.tables[0].kind, ValueKind::invocations);
  EXPECT_THAT(mixed.tables[0].rows[0].cells[0], ElementsAre(6));
  EXPECT_THAT(mixed.tables[0].rows[0].cells[1], ElementsAre(2, 5));
}

TEST(TaskMeasurements, KnowTheirThreads) {
  const SideTables tables =
      side_tables({side("a", {measured("BM_x/threads:2", kRealTime, {{1}}), measured("BM_x", kRealTime, {{1}})})}, {});
  const std::vector<TaskMeasurement> tasks = task_measurements(tables.tables);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].task.threads, 2);
  EXPECT_EQ(tasks[1].task.threads, 1);
}

TEST(SideTables, ABenchmarkThatOneSideLacksIsABlank) {
  const SideTables tables = side_tables(
      {side("a", {measured("BM_x", kRealTime, {{1}})}), side("b", {measured("BM_y", kRealTime, {{2}})})}, {});
  ASSERT_EQ(tables.tables[0].rows.size(), 2U);
  EXPECT_EQ(tables.tables[0].rows[0].name, "BM_x");
  EXPECT_THAT(tables.tables[0].rows[0].cells[1], IsEmpty());
}

TEST(SideTables, ShowsTimeAndCountsUnlessOthersAreNamed) {
  const TableSide both = side("a", {measured("BM_x", kRealTime, {{1}}), measured("BM_x", kCpuTime, {{1}}),
                                    measured("BM_x", kInstructions, {{100}})});
  const SideTables usual = side_tables({both}, {});
  ASSERT_EQ(usual.tables.size(), 2U);
  EXPECT_EQ(usual.tables[0].quantity, "real_time");
  EXPECT_TRUE(usual.tables[1].is_exact);
  const SideTables named = side_tables({both}, {"cpu_time", "bananas"});
  ASSERT_EQ(named.tables.size(), 1U);
  EXPECT_EQ(named.tables[0].quantity, "cpu_time");
  EXPECT_THAT(named.warnings, ElementsAre("no side has the metric bananas"));
}

TEST(SideTables, CountsUnderOtherConditionsAreExcludedAloud) {
  TableSide first = side("a", {measured("BM_x", kInstructions, {{100}})});
  TableSide second = first;
  second.name = "b";
  second.run.measurements[0].count_key = "other libc";
  const SideTables tables = side_tables({first, second}, {});
  EXPECT_THAT(tables.tables[0].rows[0].cells[1], IsEmpty());
  EXPECT_THAT(tables.warnings, ElementsAre(HasSubstr("BM_x, instructions of b is excluded")));
}

TEST(SideTables, FailuresAreNamed) {
  TableSide failed = side("a", {measured("BM_x", kRealTime, {{1}})});
  failed.run.failures.push_back({parse_google_benchmark_name("BM_y"), "", -1, "it crashed"});
  EXPECT_THAT(side_tables({failed}, {}).warnings, ElementsAre("a: BM_y failed: it crashed"));
}

TEST(SideTables, WhatEveryProcessSaysIsToldOnceAndSkipsAreNoFailures) {
  TableSide skipping = side("a", {measured("BM_x", kRealTime, {{1}})});
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 6; ++i) {
      const BenchmarkId id = parse_google_benchmark_name("BM_" + std::to_string(i));
      skipping.run.failures.push_back({id, "", round, "no AVX10 here", FailureKind::skipped});
    }
  }
  EXPECT_THAT(side_tables({skipping}, {}).warnings,
              ElementsAre("a: BM_0: the benchmark was skipped: no AVX10 here",
                          "a: BM_1: the benchmark was skipped: no AVX10 here",
                          "a: BM_2: the benchmark was skipped: no AVX10 here",
                          "a: BM_3: the benchmark was skipped: no AVX10 here",
                          "a: BM_4: the benchmark was skipped: no AVX10 here", "a: and 1 more skip"));
}

TEST(SideNames, AreShortWhereThatTellsThemApart) {
  EXPECT_THAT(side_names({"runs/gcc.syrun", "runs/clang.syrun", "run:0123", "old/"}),
              ElementsAre("gcc", "clang", "run:0123", "old"));
  EXPECT_THAT(side_names({"a/x.json", "b/x.json", "c.json"}), ElementsAre("a/x.json", "b/x.json", "c"));
  EXPECT_THAT(side_names({"x.json", "x.json"}), ElementsAre("x.json", "x.json (2)"));
}

TEST(CheckMachines, RefusesTwoUnlessTheFactIsIgnored) {
  TableSide first = side("a", {});
  TableSide second = side("b", {});
  TableSide unknown = side("c", {});
  first.run.environment.set("cpu.model", "EPYC", true);
  second.run.environment.set("cpu.model", "Xeon", true);
  std::vector<std::string> warnings;
  const Result<void> refused = check_machines({first, second}, {}, warnings);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("cpu.model: EPYC against Xeon"));
  EXPECT_THAT(refused.error().text(), HasSubstr("--ignore-fact cpu.model"));
  TableSide third = side("d", {});
  third.run.environment.set("cpu.model", "EPYC", true);
  third.run.environment.set("memory.bytes", "8", true);
  const Result<void> three = check_machines({first, second, third}, {}, warnings);
  EXPECT_THAT(three.error().text(), HasSubstr("--ignore-fact cpu.model,memory.bytes ignores them all"));
  EXPECT_TRUE(check_machines({first, second, third}, {"cpu.model", "memory.bytes"}, warnings));
  warnings.clear();
  EXPECT_TRUE(check_machines({first, second}, {"cpu.model"}, warnings));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("was ignored as asked")));
  warnings.clear();
  EXPECT_TRUE(check_machines({unknown, first, first}, {}, warnings));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("c does not say")));
}

}  // namespace
}  // namespace steelyard::ci::tables_test
