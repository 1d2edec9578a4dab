#include "bench/harness/google_benchmark_timer.hpp"

#include <benchmark/benchmark.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <thread>

namespace steelyard::google_benchmark_timer_test {
namespace {

using ::testing::HasSubstr;

// Short blocks: what is tested is the arithmetic, not the machine.
GoogleTimerOptions quick(std::string name) {
  GoogleTimerOptions options;
  options.task.statement = std::move(name);
  options.block_time = microseconds(200);
  options.blocks = 5;
  return options;
}

std::string error_of(const Result<TaskMeasurement>& result, ErrorKind kind) {
  EXPECT_FALSE(result);
  if (result) return "";
  EXPECT_EQ(result.error().kind, kind);
  return result.error().text();
}

TEST(GoogleBenchmarkTimer, YieldsABlockForEachRepetition) {
  std::int64_t seen = 0;
  GoogleTimerOptions options = quick("increment");
  options.task.label = "label";
  options.fingerprint = "abcd";
  const auto measured = time_google_benchmark(
      [&seen](benchmark::State& state) {
        for (auto _ : state) benchmark::DoNotOptimize(++seen);
      },
      options);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->raw_times.size(), 5U);
  EXPECT_EQ(measured->flaw(), "");
  EXPECT_GE(seen, 5 * measured->runs_per_time);
  EXPECT_GT(*measured->median(), 0);
  EXPECT_EQ(measured->task, options.task);
  EXPECT_EQ(measured->fingerprint, "abcd");
  EXPECT_EQ(measured->metadata.at("rule"), "google-benchmark");
}

TEST(GoogleBenchmarkTimer, HandsOverArgumentsAndThreads) {
  GoogleTimerOptions options = quick("threads");
  options.arguments = {7, 9};
  options.task.threads = 2;
  std::atomic<std::int64_t> sum = 0;
  std::atomic<int> threads = 0;
  const auto measured = time_google_benchmark(
      [&](benchmark::State& state) {
        sum = state.range(0) * 100 + state.range(1);
        threads = state.threads();
        for (auto _ : state) benchmark::ClobberMemory();
      },
      options);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(sum, 709);
  EXPECT_EQ(threads, 2);
}

TEST(GoogleBenchmarkTimer, ThrowIsAnErrorWithItsText) {
  const auto loop = [](benchmark::State& state) {
    for (auto _ : state) throw std::runtime_error("no such file");
  };
  EXPECT_EQ(error_of(time_google_benchmark(loop, quick("thrower")), ErrorKind::program),
            "timer of \"thrower\": no such file");
  const auto odd = [](benchmark::State&) { throw 7; };
  EXPECT_THAT(error_of(time_google_benchmark(odd, quick("odd")), ErrorKind::program), HasSubstr("no std::exception"));
}

TEST(GoogleBenchmarkTimer, SkipAndEarlyEndAreErrors) {
  const auto skips = [](benchmark::State& state) { state.SkipWithError("the data is not here"); };
  EXPECT_THAT(error_of(time_google_benchmark(skips, quick("skips")), ErrorKind::program),
              HasSubstr("the data is not here"));
  EXPECT_THAT(error_of(time_google_benchmark([](benchmark::State&) {}, quick("none")), ErrorKind::program),
              HasSubstr("it ended before its loop did"));
  const auto breaks = [](benchmark::State& state) {
    for (auto _ : state) break;
  };
  EXPECT_THAT(error_of(time_google_benchmark(breaks, quick("breaks")), ErrorKind::program),
              HasSubstr("it ended before its loop did"));
}

TEST(GoogleBenchmarkTimer, OptionsWithoutSenseAreNamed) {
  const auto loop = [](benchmark::State& state) {
    for (auto _ : state) benchmark::ClobberMemory();
  };
  GoogleTimerOptions options = quick("options");
  options.blocks = 0;
  EXPECT_EQ(error_of(time_google_benchmark(loop, options), ErrorKind::input),
            "timer: blocks: found 0, wanted at least 1");
  options = quick("options");
  options.block_time = seconds(std::numeric_limits<double>::infinity());
  EXPECT_THAT(error_of(time_google_benchmark(loop, options), ErrorKind::input), HasSubstr("block_time"));
  options = quick("options");
  options.task.threads = 0;
  EXPECT_THAT(error_of(time_google_benchmark(loop, options), ErrorKind::input), HasSubstr("threads"));
}

TimerOptions timer_options(std::string name) {
  TimerOptions options;
  options.task.statement = std::move(name);
  options.thread_counts = std::vector<ThreadCount>{};
  return options;
}

TEST(GoogleBenchmarkTimer, TimerCallsTheFunctionOnceABlockWithItsRuns) {
  std::vector<std::int64_t> asked;
  std::int64_t made = 0;
  Timer timer = google_benchmark_timer(
      [&](benchmark::State& state) {
        asked.push_back(state.max_iterations);
        EXPECT_EQ(state.range(0), 7);
        for (auto _ : state) ++made;
      },
      timer_options("counted"), {7});
  const auto measured = timer.timeit(1000);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(asked, (std::vector<std::int64_t>{10, 1000}));
  EXPECT_EQ(made, 1010);
  EXPECT_EQ(measured->raw_times.size(), 1U);
  EXPECT_EQ(measured->runs_per_time, 1000);
  EXPECT_EQ(measured->metadata.at("clock"), "Google Benchmark, real time");
}

TEST(GoogleBenchmarkTimer, TimerHasItsOwnRulesForBlocks) {
  const auto loop = [](benchmark::State& state) {
    for (auto _ : state) benchmark::ClobberMemory();
  };
  const auto blocked =
      google_benchmark_timer(loop, timer_options("blocked")).blocked_autorange({.min_run_time = milliseconds(5)});
  ASSERT_TRUE(blocked) << blocked.error().text();
  EXPECT_EQ(blocked->metadata.at("stopped_by"), "min_run_time");
  EXPECT_EQ(blocked->metadata.at("rule"), "steelyard");
  EXPECT_EQ(blocked->flaw(), "");
  const auto adaptive = google_benchmark_timer(loop, timer_options("adaptive"))
                            .adaptive_autorange({.precision = 0.5, .max_run_time = milliseconds(200)});
  ASSERT_TRUE(adaptive) << adaptive.error().text();
  EXPECT_EQ(adaptive->metadata.count("planned_blocks"), 1U);
  EXPECT_EQ(adaptive->flaw(), "");
}

TEST(GoogleBenchmarkTimer, TimerLeavesOutWhatStandsAroundTheLoop) {
  const auto measured = google_benchmark_timer(
                            [](benchmark::State& state) {
                              std::this_thread::sleep_for(std::chrono::milliseconds(50));
                              for (auto _ : state) benchmark::ClobberMemory();
                            },
                            timer_options("sleeps"))
                            .trials(5);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_LT(measured->times().front(), 0.05) << "the least of five, so that a stall of the machine does not count";
}

TEST(GoogleBenchmarkTimer, TimerTurnsAThrowOrSkipIntoAnError) {
  Timer throws = google_benchmark_timer(
      [](benchmark::State& state) {
        for (auto _ : state) throw std::runtime_error("no such file");
      },
      timer_options("thrower"));
  EXPECT_EQ(error_of(throws.timeit(3), ErrorKind::program), "timer of \"thrower\": no such file");
  Timer skips =
      google_benchmark_timer([](benchmark::State& state) { state.SkipWithError("no data"); }, timer_options("skips"));
  EXPECT_EQ(error_of(skips.blocked_autorange(), ErrorKind::program), "timer of \"skips\": no data");
}

// Google Benchmark opens, and so empties, the file of --benchmark_out for everything that it runs.
TEST(GoogleBenchmarkTimer, LeavesTheReportOfTheProgramAlone) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("steelyard_report_" + std::to_string(getpid()));
  std::ofstream(file) << "what was measured before";
  std::string program = "program";
  std::string out = "--benchmark_out=" + file.string();
  char* arguments[] = {program.data(), out.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  EXPECT_TRUE(time_google_benchmark(
      [](benchmark::State& state) {
        for (auto _ : state) benchmark::ClobberMemory();
      },
      quick("beside a report")));
  std::ifstream stream(file);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(stream), {}}), "what was measured before");
  std::string none = "--benchmark_out=";
  char* without[] = {program.data(), none.data(), nullptr};
  count = 2;
  benchmark::Initialize(&count, without);
  std::filesystem::remove(file);
}

// What stays in the library's registry does not run what it once referred to.
TEST(GoogleBenchmarkTimer, FunctionOfACallThatIsOverDoesNotRunAgain) {
  int calls = 0;
  ASSERT_TRUE(time_google_benchmark(
      [&calls](benchmark::State& state) {
        ++calls;
        for (auto _ : state) benchmark::ClobberMemory();
      },
      quick("once")));
  const int before = calls;
  class Silent : public benchmark::BenchmarkReporter {
   public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}
  } silent;
  benchmark::RunSpecifiedBenchmarks(&silent, "steelyard_timed");
  EXPECT_EQ(calls, before);
}

}  // namespace
}  // namespace steelyard::google_benchmark_timer_test
