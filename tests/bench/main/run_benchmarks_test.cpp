// What a program that is linked with steelyard::bench_main reports: its own files are read back by the reader that the
// rest of Steelyard uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "bench/formats/google_benchmark.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/span_file.hpp"
#include "bench/profile/trace.hpp"
#include "bench/runner/child_process.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::run_benchmarks_test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

bench::ChildResult run_fixture(std::vector<std::string> arguments,
                               std::map<std::string, std::string> environment = {}) {
  bench::ChildCommand command;
  command.executable = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "main_fixture";
  command.arguments = std::move(arguments);
  command.environment = std::move(environment);
  const Result<bench::ChildResult> child = bench::run_child(command);
  EXPECT_TRUE(child) << (child ? "" : child.error().text());
  return child ? *child : bench::ChildResult{};
}

struct Ran {
  bench::ChildResult child;
  bench::GoogleBenchmarkFile file;
};

Ran run_to_file(const std::string& filter, std::map<std::string, std::string> environment = {},
                std::vector<std::string> arguments = {}) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path out = folder.path() / "out.json";
  arguments.insert(arguments.begin(), {"--benchmark_filter=" + filter, "--benchmark_out=" + out.string()});
  if (arguments.size() == 2) arguments.push_back("--benchmark_min_time=0.004");
  Ran ran{run_fixture(arguments, std::move(environment)), {}};
  std::ifstream stream(out);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Result<bench::GoogleBenchmarkFile> file = bench::parse_google_benchmark(text, "out.json");
  EXPECT_TRUE(file) << (file ? "" : file.error().text()) << ran.child.error_output;
  if (file) ran.file = std::move(file).value();
  return ran;
}

const InvocationSamples* samples(const bench::GoogleBenchmarkFile& file, const std::string& benchmark,
                                 const std::string& metric) {
  for (const Measurement& measurement : file.measurements) {
    if (measurement.benchmark.canonical() == benchmark && measurement.metric.name == metric) {
      return &measurement.invocations.front();
    }
  }
  ADD_FAILURE() << "no " << metric << " of " << benchmark;
  static const InvocationSamples none{0, {std::nan("")}, {0}};
  return &none;
}

std::set<std::string> benchmarks_of(const bench::GoogleBenchmarkFile& file) {
  std::set<std::string> names;
  for (const Measurement& measurement : file.measurements) names.insert(measurement.benchmark.canonical());
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(BenchMain, KeepsEveryBlockWithItsIterations) {
  const Ran ran = run_to_file("^BM_work$", {}, {"--benchmark_min_time=0.02", "--benchmark_repetitions=2"});
  ASSERT_TRUE(ran.child.succeeded()) << ran.child.describe();
  const InvocationSamples* times = samples(ran.file, "BM_work", "real_time");
  // As many as 16; on a busy machine some are excluded, never below the repetitions.
  EXPECT_GE(times->values.size(), 2U);
  EXPECT_LE(times->values.size(), 16U);
  EXPECT_EQ(times->iterations.size(), times->values.size());
  EXPECT_THAT(times->iterations, Each(times->iterations.front()));
  EXPECT_GT(times->iterations.front(), 1);
  // One line a repetition for people.
  const auto shown = lines_of(ran.child.output);
  EXPECT_EQ(std::count_if(shown.begin(), shown.end(), [](const auto& line) { return line.starts_with("BM_work "); }),
            2);
}

TEST(BenchMain, MakesNoMoreBlocksOfASlowBenchmarkThanThereIsTimeFor) {
  const Ran ran = run_to_file("^BM_slow", {}, {"--benchmark_min_time=0.01", "--benchmark_repetitions=2"});
  EXPECT_EQ(samples(ran.file, "BM_slow/real_time", "real_time")->values.size(), 2U);
}

TEST(BenchMain, LeavesABenchmarkWithALengthOfItsOwnItsRepetitions) {
  const Ran ran = run_to_file("^BM_allocates/", {}, {"--benchmark_repetitions=3"});
  const InvocationSamples* times = samples(ran.file, "BM_allocates/iterations:50", "real_time");
  EXPECT_THAT(times->iterations, ElementsAre(50, 50, 50));
}

TEST(BenchMain, CountsTheAllocationsOfTheTimedPartExactly) {
#if defined(STEELYARD_SANITIZED)
  GTEST_SKIP() << "a sanitizer has an operator new of its own, which stays: only mallocs would be counted";
#endif
  const Ran ran = run_to_file("^BM_allocates");
  for (const char* name : {"BM_allocates/iterations:50", "BM_allocates_threaded/iterations:50/threads:2"}) {
    EXPECT_THAT(samples(ran.file, name, "allocations")->values, ElementsAre(3)) << name;
    EXPECT_THAT(samples(ran.file, name, "bytes_allocated")->values, ElementsAre(144)) << name;
  }
}

TEST(BenchMain, SaysWhatItsCountsDependOn) {
  const Ran ran = run_to_file("^BM_allocates/");
  int counted = 0;
  for (const Measurement& measurement : ran.file.measurements) {
    if (measurement.metric.kind != MetricKind::counted) continue;
    ++counted;
    EXPECT_THAT(measurement.count_key, HasSubstr("bench_main allocations 1;"));
    EXPECT_EQ(measurement.metric.better, Better::lower);
  }
  EXPECT_EQ(counted, 2);  // allocations and bytes_allocated; not peak_rss
}

TEST(BenchMain, ReportsThePeakMemoryOfEachBenchmarkByItself) {
  const Ran ran = run_to_file("^BM_touches");
  const double large = samples(ran.file, "BM_touches/67108864/iterations:1", "peak_rss")->values.front();
  EXPECT_GE(large, 64 << 20);
  EXPECT_LT(samples(ran.file, "BM_touches/1/iterations:1", "peak_rss")->values.front(), 64 << 20);
}

TEST(BenchMain, ReportsDeclaredCostsAsRates) {
  const Ran ran = run_to_file("^BM_work$");
  const double flops = samples(ran.file, "BM_work", "flops")->values.front();
  const double bandwidth = samples(ran.file, "BM_work", "bandwidth")->values.front();
  EXPECT_GT(flops, 0);
  EXPECT_NEAR(bandwidth / flops, 8, 1e-6);
}

TEST(BenchMain, KeepsTheConfigurationOfAFixture) {
  const Ran ran = run_to_file("^Fixture");
  EXPECT_THAT(samples(ran.file, "Fixture/method/iterations:7", "real_time")->iterations, ElementsAre(7));
}

TEST(BenchMain, NamesAxesAndTakesOtherValuesOfThem) {
  const auto listed = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--benchmark_list_tests=true", "--benchmark_filter=^copy"});
    return lines_of(run_fixture(arguments).output);
  };
  EXPECT_EQ(listed({}).size(), 16U);  // 3 * 2 * 2 with one thread, 1 * 2 * 2 with two
  EXPECT_THAT(listed({}), Contains("copy/bytes:4096/pattern:a%2Fb/type:double/threads:2"));
  EXPECT_THAT(
      listed({"--steelyard_axis=bytes=[5:6]", "--steelyard_axis=pattern=x", "--steelyard_axis=type=double"}),
      ElementsAre("copy/bytes:32/pattern:x/type:double/threads:1", "copy/bytes:64/pattern:x/type:double/threads:1"));
}

TEST(BenchMain, EndsWithOneWhereTheCommandLineIsWrong) {
  for (const char* argument : {"--steelyard_axis=byte=1", "--steelyard_axis=bytes=[6:5]", "--steelyard_block=3"}) {
    const bench::ChildResult child = run_fixture({argument, "--benchmark_filter=^BM_work$"});
    EXPECT_EQ(child.exit_code, 1) << argument;
    EXPECT_THAT(child.error_output, HasSubstr("wanted")) << argument;
    EXPECT_EQ(child.output, "") << argument;
  }
  EXPECT_THAT(run_fixture({"--steelyard_axis=byte=1"}).error_output,
              HasSubstr("one of: bytes, n, pattern, threads, type"));
}

TEST(BenchMain, HelpHasGooglesOptionsAndOurs) {
  const bench::ChildResult child = run_fixture({"--help"});
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_THAT(child.output, HasSubstr("--benchmark_filter"));
  EXPECT_THAT(child.output, HasSubstr("--steelyard_blocks"));
}

TEST(BenchMain, MakesFailedRowsOfDefinitionsThatMakeNoSense) {
  const Ran ran = run_to_file("^(empty|nothing|BM_last)", {{"DEFINE", "wrong"}});
  EXPECT_TRUE(ran.child.succeeded());
  ASSERT_EQ(ran.file.failures.size(), 2U);
  EXPECT_THAT(ran.file.failures[0].said, HasSubstr("axis \"n\": found [5:4:1], which is empty"));
  EXPECT_THAT(ran.file.failures[1].said, HasSubstr("a filter that leaves none of 1 combinations"));
  EXPECT_THAT(benchmarks_of(ran.file), ElementsAre("BM_last"));
  EXPECT_THAT(ran.child.error_output, HasSubstr("benchmark \"copy\": name: found a second benchmark of this name"));
}

class BenchMainContains : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BenchMainContains, AFailedBenchmarkInItsRow) {
  const auto [behaviour, reason] = GetParam();
  const Ran ran = run_to_file("^BM_(work|victim|last)$", {{"VICTIM", behaviour}});
  EXPECT_TRUE(ran.child.succeeded()) << ran.child.describe();
  ASSERT_EQ(ran.file.failures.size(), 1U);
  EXPECT_EQ(ran.file.failures[0].benchmark.name, "BM_victim");
  EXPECT_THAT(ran.file.failures[0].said, HasSubstr(reason));
  EXPECT_THAT(benchmarks_of(ran.file), ElementsAre("BM_last", "BM_work"));
}

INSTANTIATE_TEST_SUITE_P(Behaviours, BenchMainContains,
                         ::testing::Values(std::pair("throw", "it threw an exception: the device is away"),
                                           std::pair("throw_in_loop", "it threw an exception: in the loop"),
                                           std::pair("throw_number", "no std::exception"),
                                           std::pair("dtype", "wanted one of: f32")),
                         [](const auto& tested) { return std::string(tested.param.first); });

TEST(BenchMain, ContainsAWrongUseOfAnAxis) {
  const Ran ran = run_to_file("^mistaken");
  ASSERT_EQ(ran.file.failures.size(), 2U);
  EXPECT_THAT(ran.file.failures[0].said, HasSubstr("found no axis \"m\", wanted one of: n"));
}

TEST(BenchMain, EndsAForkedChildThatComesBack) {
  const Ran ran = run_to_file("^BM_(victim|last)$", {{"VICTIM", "fork"}});
  EXPECT_TRUE(ran.child.succeeded());
  EXPECT_TRUE(ran.file.failures.empty());
  EXPECT_THAT(benchmarks_of(ran.file), ElementsAre("BM_last", "BM_victim"));
  EXPECT_THAT(ran.child.error_output, HasSubstr("a child that it forked came back from it and was ended"));
  EXPECT_THAT(ran.file.bad_records, ::testing::IsEmpty());
}

TEST(BenchMain, LetsAForkedChildEndItself) {
  const Ran ran = run_to_file("^BM_(victim|last)$", {{"VICTIM", "fork_exit"}});
  EXPECT_TRUE(ran.child.succeeded());
  EXPECT_THAT(benchmarks_of(ran.file), ElementsAre("BM_last", "BM_victim"));
  EXPECT_THAT(ran.child.error_output, Not(HasSubstr("in the middle of it")));
}

TEST(BenchMain, LetsGoogleBenchmarkRefuseAFile) {
  const bench::ChildResult child = run_fixture({"--benchmark_out=/nowhere/at/all", "--benchmark_filter=^BM_work$"});
  EXPECT_EQ(child.exit_code, 1);
  EXPECT_THAT(child.error_output, HasSubstr("/nowhere/at/all"));
  EXPECT_THAT(child.error_output, Not(HasSubstr("in the middle of it")));
}

TEST(BenchMain, KeepsChatterOutOfTheReport) {
  const bench::ChildResult child =
      run_fixture({"--benchmark_filter=^BM_(victim|last)$", "--benchmark_format=json", "--benchmark_min_time=0.001"},
                  {{"VICTIM", "stdout"}});
  const Result<bench::GoogleBenchmarkFile> report = bench::parse_google_benchmark(child.output, "standard output");
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(benchmarks_of(*report), ElementsAre("BM_last", "BM_victim"));
  EXPECT_THAT(child.error_output, HasSubstr("chatter"));
}

TEST(BenchMain, FinishesTheReportOfAProgramThatExits) {
  const Ran ran = run_to_file("^BM_(work|victim|last)$", {{"VICTIM", "exit"}});
  EXPECT_EQ(ran.child.exit_code, 3);
  EXPECT_THAT(benchmarks_of(ran.file), ElementsAre("BM_work"));
  EXPECT_THAT(ran.child.error_output, HasSubstr("benchmark \"BM_victim\": the program ended in the middle of it"));
}

TEST(RunBenchmarks, RecordsASpanForEachTimedLoopWhereItIsAskedTo) {
  const testkit::TemporaryFolder folder;
  const std::string file = (folder.path() / "it.spans").string();
  run_fixture({"--benchmark_filter=^BM_work$", "--benchmark_min_time=0.004", "--steelyard_spans=" + file});
  const Result<bench::Trace> trace = bench::read_spans(file);
  ASSERT_TRUE(trace) << trace.error().text();
  ASSERT_FALSE(trace->events.empty());
  for (const bench::TraceEvent& event : trace->events) {
    EXPECT_EQ(trace->name_of(event), "BM_work");
    EXPECT_FALSE(event.is_open);
    EXPECT_TRUE(event.allocated_bytes.has_value());
    EXPECT_GE(event.iterations, 1U);
  }
  EXPECT_TRUE(trace->samples.empty());
  run_fixture({"--benchmark_filter=^BM_work$", "--benchmark_min_time=0.1", "--steelyard_spans=" + file,
               "--steelyard_samples=1000"});
  const Result<bench::Trace> sampled = bench::read_spans(file);
  ASSERT_TRUE(sampled) << sampled.error().text();
  EXPECT_FALSE(sampled->samples.empty());
  const bench::ChildResult failed = run_fixture({"--steelyard_spans=/no/such/folder/it.spans"});
  EXPECT_THAT(failed.error_output, HasSubstr("/no/such/folder/it.spans"));
}

TEST(RunBenchmarks, RecordsIterationsByThemselvesBesideTheLoopsOfWhichTheReportIs) {
  const testkit::TemporaryFolder folder;
  const std::string file = (folder.path() / "it.spans").string();
  const bench::ChildResult child = run_fixture(
      {"--benchmark_filter=^BM_(work|allocates.*|batch.*|manual.*|touches.*)$", "--benchmark_format=json",
       "--benchmark_min_time=0.01", "--steelyard_blocks=1", "--steelyard_single", "--steelyard_spans=" + file});
  const Result<bench::Trace> trace = bench::read_spans(file);
  ASSERT_TRUE(trace) << trace.error().text();
  const bench::TraceTree tree = bench::tree_of(*trace);
  std::map<std::string, std::map<std::uint32_t, int>> loops;  // by name and iterations
  int pauses = 0;
  for (std::size_t i = 0; i < trace->events.size(); ++i) {
    const bench::TraceEvent& event = trace->events[i];
    EXPECT_FALSE(event.is_open);
    if (trace->name_of(event) != "paused timing") {
      ++loops[trace->name_of(event)][event.iterations];
      continue;
    }
    ++pauses;
    ASSERT_NE(tree.parents[i], bench::TraceTree::kNoParent);
    EXPECT_EQ(trace->events[tree.parents[i]].iterations, 1U);
  }
  const std::map<std::uint32_t, int>& work = loops["BM_work"];
  EXPECT_GT(work.rbegin()->first, 1000U);
  EXPECT_GE(work.begin()->second, 1);
  EXPECT_LE(work.begin()->second, 1000 + 1) << "and the first loop, by which Google Benchmark seeks their number";
  EXPECT_EQ(loops["BM_allocates/iterations:50"][50], 1);
  EXPECT_GT(loops["BM_allocates/iterations:50"][1], 0);
  const std::map<std::uint32_t, int>& threaded = loops["BM_allocates_threaded/iterations:50/threads:2"];
  EXPECT_EQ(threaded.at(50), 2);
  EXPECT_GE(threaded.at(1), 2);
  EXPECT_EQ(pauses, loops["BM_allocates/iterations:50"][1] + threaded.at(1));
  EXPECT_EQ(threaded.at(1) % 2, 0) << "of each thread one";
  EXPECT_EQ(loops["BM_batch/iterations:100"].size(), 2U) << "the loop, and batches of 10";
  EXPECT_GT(loops["BM_batch/iterations:100"][10], 0);
  EXPECT_EQ(loops["BM_touches/67108864/iterations:1"].size(), 1U);
  EXPECT_EQ(loops["BM_touches/1/iterations:1"].size(), 1U);
  EXPECT_GT(loops["BM_manual/n:7/8/iterations:4/manual_time"][1], 0);
  int rows = 0;
  const auto report = nlohmann::json::parse(child.output);
  for (const auto& row : report.at("benchmarks")) {
    EXPECT_TRUE(loops.contains(row.at("name"))) << "spans have the names of the report: " << row.at("name");
    ++rows;
    if (row.at("name") != "BM_manual/n:7/8/iterations:4/manual_time") continue;
    EXPECT_EQ(row.at("iterations"), 4);
    EXPECT_DOUBLE_EQ(row.at("real_time").get<double>(), 1e9);
    EXPECT_DOUBLE_EQ(row.at("items_per_second").get<double>(), 1);
  }
  EXPECT_EQ(rows, 7);
}

TEST(RunBenchmarks, RecordsWhatStandsOutsideALoopOnceALoop) {
  const testkit::TemporaryFolder folder;
  const std::string file = (folder.path() / "it.spans").string();
  // A recording of devices marks single iterations, whether it finds any or not.
  for (const std::string option : {"--steelyard_spans=", "--steelyard_profile="}) {
    run_fixture({"--benchmark_filter=^BM_sets_up", "--steelyard_blocks=1", "--steelyard_single", option + file},
                {{"STEELYARD_CUPTI", "libm.so.6"}});
    const Result<bench::Trace> trace = bench::read_spans(file);
    ASSERT_TRUE(trace) << trace.error().text();
    std::map<std::string, int> counts;
    int single = 0;
    for (const bench::TraceEvent& event : trace->events) {
      ++counts[trace->name_of(event)];
      EXPECT_FALSE(event.is_open) << trace->name_of(event);
      if (event.iterations == 1) ++single;
    }
    EXPECT_GE(single, 1);
    EXPECT_EQ(counts["set-up"], 1);
    EXPECT_EQ(counts["take-down"], 1);
    EXPECT_EQ(counts["work"], 3 + single);
    EXPECT_EQ(counts[std::string(kAroundSingleIterations)], option == "--steelyard_profile=" ? 2 * single : 0);
  }
}

TEST(RunBenchmarks, WhatASingleIterationSaysIsNotOfItsRow) {
  const testkit::TemporaryFolder folder;
  const std::string file = (folder.path() / "it.spans").string();
  for (const std::string when : {"never", "before", "in", "behind"}) {
    const bench::ChildResult child =
        run_fixture({"--benchmark_filter=^BM_says/", "--benchmark_format=json", "--steelyard_blocks=1",
                     "--steelyard_single", "--steelyard_spans=" + file},
                    {{"VICTIM", when}});
    ASSERT_TRUE(child.succeeded()) << when << ": " << child.describe();
    std::map<std::string, std::string> labels;
    const auto report = nlohmann::json::parse(child.output);
    for (const auto& row : report.at("benchmarks")) {
      EXPECT_FALSE(row.contains("error_occurred") && row["error_occurred"].get<bool>()) << when << ": " << row;
      labels[row.at("name")] = row.at("label");
    }
    EXPECT_THAT(labels, ElementsAre(Pair("BM_says/iterations:5", "5 at once"),
                                    Pair("BM_says/iterations:6/threads:2", "6 at once")))
        << when;
    const std::string told = "benchmark \"BM_says/iterations:5\": a single iteration failed, and is the last: too few";
    EXPECT_EQ(child.error_output.find(told) != std::string::npos, when != "never") << child.error_output;
    EXPECT_THAT(child.error_output, Not(HasSubstr("again"))) << "is said once";
    EXPECT_THAT(child.error_output, Not(HasSubstr("it does not know"))) << when;
    const Result<bench::Trace> trace = bench::read_spans(file);
    ASSERT_TRUE(trace) << trace.error().text();
    std::map<std::string, int> single;
    for (const bench::TraceEvent& event : trace->events) single[trace->name_of(event)] += event.iterations == 1 ? 1 : 0;
    for (const auto& [name, count] : single) {
      const int threads = name.ends_with("threads:2") ? 2 : 1;
      if (when == "never") {
        EXPECT_GE(count, threads);
      }
      if (when != "never") {
        EXPECT_EQ(count, when == "before" ? 0 : threads) << when;
      }
    }
    EXPECT_EQ(single.size(), 2U);
  }
}

TEST(RunBenchmarks, ASingleIterationThatFailsIsTheLastOfAllRepetitions) {
  const testkit::TemporaryFolder folder;
  const std::string file = (folder.path() / "it.spans").string();
  const bench::ChildResult child =
      run_fixture({"--benchmark_filter=^BM_says/", "--benchmark_repetitions=3", "--steelyard_blocks=3",
                   "--steelyard_single", "--steelyard_spans=" + file},
                  {{"VICTIM", "in"}});
  ASSERT_TRUE(child.succeeded()) << child.describe();
  std::map<std::string, int> told;
  std::istringstream lines(child.error_output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("a single iteration failed") != std::string::npos) ++told[line];
  }
  const auto line_of = [](const char* name) {
    return std::string("steelyard: benchmark \"") + name +
           "\": a single iteration failed, and is the last: too few in it";
  };
  EXPECT_THAT(
      told, ElementsAre(Pair(line_of("BM_says/iterations:5"), 1), Pair(line_of("BM_says/iterations:6/threads:2"), 1)));
  const Result<bench::Trace> trace = bench::read_spans(file);
  ASSERT_TRUE(trace) << trace.error().text();
  std::map<std::string, int> single;
  for (const bench::TraceEvent& event : trace->events) single[trace->name_of(event)] += event.iterations == 1 ? 1 : 0;
  EXPECT_THAT(single, ElementsAre(Pair("BM_says/iterations:5", 1), Pair("BM_says/iterations:6/threads:2", 2)));
}

TEST(RunBenchmarks, GoesOnWhereOneOfTwoThreadsFailsWithSpans) {
  const testkit::TemporaryFolder folder;
  const std::string spans = "--steelyard_spans=" + (folder.path() / "it.spans").string();
  const std::string pair = "BM_pair/iterations:10/threads:2";
  for (const auto& [behaviour, said] : std::map<std::string, std::string>{{"throw", "the device is away"},
                                                                          {"throw_in_loop", "in the loop"},
                                                                          {"skip", "not here"},
                                                                          {"skip_in_loop", "not in the loop"}}) {
    const Ran ran =
        run_to_file("^BM_pair/|^BM_last$", {{"VICTIM", behaviour}},
                    {"--benchmark_min_time=0.001", "--benchmark_repetitions=2", "--steelyard_single", spans});
    EXPECT_TRUE(ran.child.succeeded()) << behaviour << ": " << ran.child.describe();
    ASSERT_FALSE(ran.file.failures.empty()) << behaviour;
    EXPECT_EQ(ran.file.failures[0].benchmark.canonical(), pair);
    EXPECT_THAT(ran.file.failures[0].said, HasSubstr(said));
    EXPECT_THAT(benchmarks_of(ran.file), ElementsAre("BM_last")) << behaviour;
  }
}

TEST(RunBenchmarks, RecordsSpansAloneAndSaysSoWhereNoDeviceCanBe) {
  const testkit::TemporaryFolder folder;
  const std::string file = (folder.path() / "it.spans").string();
  // A library that is no CUPTI.
  const bench::ChildResult child =
      run_fixture({"--benchmark_filter=^BM_work$", "--benchmark_min_time=0.004", "--steelyard_profile=" + file},
                  {{"STEELYARD_CUPTI", "libm.so.6"}});
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_THAT(child.error_output, HasSubstr("spans alone are recorded: device activity: found libm.so.6 without"));
  const Result<bench::Trace> trace = bench::read_spans(file);
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_FALSE(trace->events.empty());
  EXPECT_THAT(trace->device_recording.refusal, HasSubstr("libm.so.6 without cuptiGetVersion"));
}

}  // namespace
}  // namespace steelyard::run_benchmarks_test
