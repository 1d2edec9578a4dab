#include "ci/measuring/run_parts.hpp"

#include <gtest/gtest.h>

#include "bench/counting/count.hpp"
#include "bench/model/left_processes.hpp"

namespace steelyard::ci::run_parts_test {
namespace {

Run run_of(const std::string& suite, std::size_t invocations) {
  Run run;
  run.header.session = "s";
  run.header.layout = Layout::duet;
  run.invocations.resize(invocations);
  Measurement measurement;
  measurement.benchmark.name = "BM_x";
  measurement.benchmark.suite = suite;
  for (std::uint32_t i = 0; i < invocations; ++i) {
    run.invocations[i].round = static_cast<std::int32_t>(i);
    measurement.invocations.push_back({i, {1.0 + i}, {}});
  }
  run.measurements.push_back(measurement);
  run.failures.push_back({measurement.benchmark, "", 0, suite});
  run.labels[measurement.benchmark.canonical()] = "of " + suite;
  return run;
}

TEST(JoinRun, KeepsEveryMeasurementWithItsOwnInvocations) {
  steelyard::Run whole = run_of("a", 3);
  const steelyard::Run part = run_of("b", 2);
  join_run(whole, part);
  ASSERT_EQ(whole.invocations.size(), 5U);
  ASSERT_EQ(whole.measurements.size(), 2U);
  EXPECT_EQ(whole.measurements[0].invocations[2].invocation, 2U);
  EXPECT_EQ(whole.measurements[1].invocations[0].invocation, 3U);
  EXPECT_EQ(whole.invocations[whole.measurements[1].invocations[1].invocation], part.invocations[1]);
  EXPECT_EQ(whole.failures.size(), 2U);
  EXPECT_EQ(whole.labels.at("BM_x [suite=b]"), "of b");
  EXPECT_EQ(whole.header.layout, Layout::duet);
}

TEST(SortAsListed, FollowsTheProgramsOrderWithTheMetricsOfABenchmarkTogether) {
  steelyard::Run run;
  const auto add = [&](const char* name, const char* metric, const char* device) {
    Measurement measurement;
    measurement.benchmark.name = name;
    measurement.benchmark.device = device;
    measurement.metric = *well_known_metric(metric);
    run.measurements.push_back(measurement);
  };
  add("BM_c", "real_time", "");
  add("BM_unlisted", "real_time", "");
  add("BM_b", "real_time", "NVIDIA H200");
  add("BM_a", "real_time", "");
  add("BM_c", "instructions", "");
  add("BM_a", "instructions", "");
  run.failures.push_back({run.measurements[0].benchmark, "", 0, "c"});
  run.failures.push_back({run.measurements[3].benchmark, "", 0, "a"});
  bench::ListedProgram program;
  for (const char* name : {"BM_a", "BM_b", "BM_c"}) {
    bench::ListedBenchmark benchmark;
    benchmark.name = name;
    benchmark.id.name = name;
    program.listing.benchmarks.push_back(benchmark);
  }
  sort_as_listed({&program}, run);
  std::string order;
  for (const Measurement& measurement : run.measurements) {
    order += measurement.benchmark.name + ' ' + measurement.metric.name + '\n';
  }
  EXPECT_EQ(order,
            "BM_a real_time\nBM_a instructions\nBM_b real_time\nBM_c real_time\nBM_c instructions\n"
            "BM_unlisted real_time\n");
  EXPECT_EQ(run.failures[0].said, "a");
}

TEST(JoinRun, KeepsExcludedSamplesWithTheirOwnInvocations) {
  steelyard::Run whole = run_of("a", 3);
  steelyard::Run part = run_of("b", 2);
  part.measurements[0].excluded.push_back(part.measurements[0].invocations.back());
  part.measurements[0].invocations.pop_back();
  join_run(whole, part);
  EXPECT_EQ(whole.measurements[1].excluded.at(0).invocation, 4U);
}

TEST(JoinRun, LinesOfThePartsMayBeShiftedWhereThoseOfOneMay) {
  const auto counted = [](bool is_told_by_this_reader) {
    steelyard::Run run = run_of(is_told_by_this_reader ? "new" : "old", 1);
    CountedProfile& profile = run.profiles.emplace_back();
    profile.functions.push_back({"/b/bench", "/s/a.cpp", "work", 7, 1, {10}, {10}});
    if (is_told_by_this_reader)
      run.header.settings[std::string(bench::kCountReaderSetting)] = std::to_string(bench::kCountReader);
    return run;
  };
  for (const bool first : {true, false}) {
    for (const bool second : {true, false}) {
      steelyard::Run whole = counted(first);
      join_run(whole, counted(second));
      EXPECT_EQ(bench::has_shifted_lines(whole), !(first && second)) << first << second;
    }
  }
  steelyard::Run timed = run_of("timed", 1);
  join_run(timed, counted(true));
  EXPECT_FALSE(bench::has_shifted_lines(timed));
  EXPECT_FALSE(bench::has_shifted_lines(run_of("timed", 1))) << "there are no lines";
}

// A program that only the candidate has is measured alone. Listed first, it must not make all others look so.
TEST(JoinRun, TakesSessionLayoutAndSettingsFromTheFirstPartThatWasMeasuredAsAPair) {
  steelyard::Run fresh = run_of("new", 1);
  fresh.header.session = "";
  fresh.header.layout = Layout::separate;
  fresh.header.settings = {{"layout_reason", "one program alone"}, {"only", "new"}};
  fresh.environment.set("program.text_bytes", "1", false);
  steelyard::Run paired = run_of("old", 2);
  paired.header.settings = {{"layout_reason", "two equal cores"}};
  paired.environment.set("program.text_bytes", "2", false);
  for (const bool fresh_first : {true, false}) {
    steelyard::Run whole = fresh_first ? fresh : paired;
    join_run(whole, fresh_first ? paired : fresh);
    EXPECT_EQ(whole.header.session, "s");
    EXPECT_EQ(whole.header.layout, Layout::duet);
    EXPECT_EQ(whole.header.settings.at("layout_reason"), "two equal cores");
    EXPECT_EQ(whole.header.settings.at("only"), "new");
    EXPECT_EQ(whole.environment, paired.environment);
    EXPECT_EQ(whole.measurements.size(), 2U);
  }
}

TEST(JoinRun, KeepsTheLayoutOfPairsThatWereNotConcurrent) {
  steelyard::Run whole = run_of("a", 1);
  steelyard::Run part = run_of("b", 1);
  whole.header.layout = part.header.layout = Layout::sequential;
  part.header.session = "t";
  join_run(whole, part);
  EXPECT_EQ(whole.header.layout, Layout::sequential);
  EXPECT_EQ(whole.header.session, "s");
}

TEST(JoinRun, OfDifferentConcurrentLayoutsClaimsTheWeakerOne) {
  steelyard::Run whole = run_of("a", 1);
  steelyard::Run part = run_of("b", 1);
  part.header.layout = Layout::interleaved;
  join_run(whole, part);
  EXPECT_EQ(whole.header.layout, Layout::interleaved);
}

TEST(Unmeasured, NamesEachBenchmarkWithItsSuite) {
  steelyard::Run run;
  fail_benchmarks({bench::listed_benchmark("BM_x/8", "second"), bench::listed_benchmark("BM_y", "second")},
                  {std::string(kInstructions), "no room"}, run);
  ASSERT_EQ(run.failures.size(), 2U);
  EXPECT_EQ(run.failures[0].benchmark.canonical(), "BM_x/8 [suite=second]");
  EXPECT_EQ(run.failures[0].metric, kInstructions);
  EXPECT_EQ(run.failures[0].round, -1);
  EXPECT_EQ(run.failures[1].said, "no room");
}

TEST(Unmeasured, OfNoBenchmarkIsNothingOrTheWholeProgram) {
  steelyard::Run run;
  fail_benchmarks({}, {"", "why"}, run);
  EXPECT_TRUE(run.failures.empty());
  bench::ListedProgram program;
  program.program.suite = "text";
  fail_program(program, {"", "why"}, run);
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.failures[0].benchmark.name, "");
  EXPECT_EQ(run.failures[0].benchmark.suite, "text");
  bench::ListedProgram command;
  command.program.command.emplace().name = "startup";
  steelyard::Run alone;
  fail_program(command, {"", "why"}, alone);
  ASSERT_EQ(alone.failures.size(), 1U);
  EXPECT_EQ(alone.failures[0].benchmark.name, "startup") << "it is the one benchmark";
  program.listing.benchmarks = {bench::listed_benchmark("BM_x", "")};
  fail_program(program, {"", "why"}, run);
  EXPECT_EQ(run.failures.size(), 2U) << "known names stand for the program";
}

TEST(JoinRun, AddsUpTheProcessesThatItsProgramsLeftBehind) {
  steelyard::Run whole;
  steelyard::Run part;
  LeftProcesses left;
  left.benchmarks["BM_a"] = {3, 0};
  keep_left_processes(left, whole.header.settings);
  left.benchmarks["BM_b"] = {1, 1};
  keep_left_processes(left, part.header.settings);
  join_run(whole, part);
  left.benchmarks["BM_a"] = {6, 0};
  EXPECT_EQ(left_processes_of(whole.header.settings), left);
}

}  // namespace

}  // namespace steelyard::ci::run_parts_test
