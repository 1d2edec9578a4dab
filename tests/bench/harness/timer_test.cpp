#include "bench/harness/timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "tests/bench/harness/mock_clock.hpp"

namespace steelyard::timer_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Takes exactly a microsecond a run, reads in no time, and runs the loop.
class ExactClock : public RunClock {
 public:
  double seconds_of(std::int64_t runs, const TimedLoop& loop) override {
    asked.push_back(runs);
    loop(runs);
    return static_cast<double>(runs) * 1e-6;
  }
  std::string name() const override { return "exact"; }
  std::vector<std::int64_t> asked;
};

struct Exact {
  std::shared_ptr<ExactClock> clock = std::make_shared<ExactClock>();
  TimerOptions options() const {
    TimerOptions options;
    options.task.statement = "f()";
    options.clock = clock;
    options.thread_counts = std::vector<ThreadCount>{};
    return options;
  }
};

TaskMeasurement value_of(Result<TaskMeasurement> result) {
  EXPECT_TRUE(result) << result.error().text();
  return result ? std::move(result).value() : TaskMeasurement{};
}

TEST(Timer, TimeitWarmsUpAndTakesOneTime) {
  const Exact exact;
  std::int64_t runs = 0;
  Timer timer([&runs] { ++runs; }, exact.options());
  const TaskMeasurement measured = value_of(timer.timeit(1000));
  EXPECT_THAT(exact.clock->asked, ElementsAre(10, 1000));
  EXPECT_EQ(runs, 1010);
  EXPECT_EQ(measured.raw_times.size(), 1U);
  EXPECT_EQ(measured.runs_per_time, 1000);
  EXPECT_DOUBLE_EQ(*measured.median(), 1e-6);
  exact.clock->asked.clear();
  EXPECT_TRUE(timer.timeit(5));
  EXPECT_THAT(exact.clock->asked, ElementsAre(2, 5)) << "at least two runs of warm-up";
}

TEST(Timer, MeasurementSaysWhatWasRunAndHow) {
  const Exact exact;
  TimerOptions options = exact.options();
  options.task = {"f()", "make()", "", "label", "row", "column", "main", 3};
  options.fingerprint = "0123456789abcdef";
  options.seed = 7;
  const TaskMeasurement measured = value_of(Timer([] {}, options).blocked_autorange());
  EXPECT_EQ(measured.task, options.task);
  EXPECT_EQ(measured.fingerprint, options.fingerprint);
  EXPECT_EQ(measured.metadata.at("clock"), "exact");
  EXPECT_EQ(measured.metadata.at("seed"), "7");
  EXPECT_EQ(measured.metadata.at("rule"), "steelyard");
  EXPECT_EQ(measured.metadata.at("stopped_by"), "min_run_time");
  EXPECT_EQ(measured.metadata.at("threads_set_in"), "no library");
  EXPECT_THAT(measured.metadata.at("outliers"), HasSubstr(" of " + std::to_string(measured.raw_times.size())));
}

TEST(Timer, TextsOfItsTaskAreDedented) {
  const Exact exact;
  TimerOptions options = exact.options();
  options.task.statement = "\n    f();\n    g();\n  ";
  EXPECT_EQ(value_of(Timer([] {}, options).timeit(1)).task.statement, "f();\ng();");
}

TEST(Timer, ClockWithoutATimeIsAnError) {
  class BrokenClock : public RunClock {
   public:
    double seconds_of(std::int64_t, const TimedLoop&) override { return std::numeric_limits<double>::quiet_NaN(); }
    std::string name() const override { return "broken"; }
  };
  TimerOptions options;
  options.clock = std::make_shared<BrokenClock>();
  options.task.statement = "f()";
  const auto result = Timer([] {}, options).blocked_autorange();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(), "timer of \"f()\": the clock \"broken\" gave a time that is not finite");
}

TEST(Timer, BlocksVaryByAFifthAndBySeedAlone) {
  const auto runs_by = [](std::uint32_t seed) {
    const Exact exact;
    TimerOptions options = exact.options();
    options.seed = seed;
    return value_of(Timer([] {}, options).blocked_autorange());
  };
  const TaskMeasurement first = runs_by(1);
  ASSERT_GT(first.runs_of_times.size(), 20U);
  const auto [least, most] = std::minmax_element(first.runs_of_times.begin(), first.runs_of_times.end());
  EXPECT_GE(*least, first.runs_per_time);
  EXPECT_LE(*most, first.runs_per_time + first.runs_per_time / 5);
  EXPECT_LT(*least, *most);
  EXPECT_EQ(first, runs_by(1));
  EXPECT_NE(first.runs_of_times, runs_by(2).runs_of_times);
  EXPECT_DOUBLE_EQ(*first.median(), 1e-6) << "each time counts its own runs";
}

TEST(Timer, BlockedReachesTheTimeItWasAskedFor) {
  const Exact exact;
  double told = 0;
  std::int64_t told_runs = 0;
  const TaskMeasurement measured = value_of(
      Timer([] {}, exact.options())
          .blocked_autorange({.min_run_time = milliseconds(50), .callback = [&](std::int64_t runs, double elapsed) {
                                told += elapsed;
                                told_runs += runs;
                              }}));
  double sum = 0;
  for (const double raw : measured.raw_times) sum += raw;
  EXPECT_GE(sum, 0.05);
  EXPECT_LT(sum - measured.raw_times.back(), 0.05) << "not a block more than needed";
  EXPECT_DOUBLE_EQ(told, sum) << "the callback hears of each block kept";
  EXPECT_EQ(told_runs, std::accumulate(measured.runs_of_times.begin(), measured.runs_of_times.end(), std::int64_t{0}));
}

TEST(Timer, SetupAndTeardownEncloseEachBlock) {
  const Exact exact;
  std::string order;
  TimerOptions options = exact.options();
  options.setup = [&order] { order += '('; };
  options.teardown = [&order] { order += ')'; };
  EXPECT_TRUE(Timer([&order] { order += 'x'; }, options).timeit(3));
  EXPECT_EQ(order, "(xx)(xxx)");
  options.warm_up_blocks = true;
  order.clear();
  EXPECT_TRUE(Timer([&order] { order += 'x'; }, options).timeit(3));
  EXPECT_EQ(order, "(xxx)(xxxx)");
}

TEST(Timer, LongStatementRunsFewTimes) {
  const auto clock = std::make_shared<MockClock>(2.0);
  TimerOptions options;
  options.clock = clock;
  const TaskMeasurement measured = value_of(Timer([] {}, options).blocked_autorange());
  EXPECT_EQ(measured.raw_times.size(), 1U);
  EXPECT_EQ(measured.runs_per_time, 1);
  EXPECT_TRUE(measured.runs_of_times.empty()) << "one run cannot vary";
}

TEST(Timer, AdaptiveTakesExactlyThePlannedBlocksBesidesThePilot) {
  TimerOptions options;
  options.clock = std::make_shared<MockClock>(4e-6);
  std::size_t told = 0;
  const TaskMeasurement measured = value_of(
      Timer([] {}, options).adaptive_autorange({.precision = 0.01, .callback = [&](std::int64_t, double) { ++told; }}));
  EXPECT_EQ(measured.metadata.at("stopped_by"), "plan");
  EXPECT_EQ(measured.metadata.at("pilot_blocks"), "20");
  EXPECT_EQ(measured.metadata.at("planned_blocks"), std::to_string(measured.raw_times.size()));
  EXPECT_EQ(told, measured.raw_times.size());
  EXPECT_GE(measured.raw_times.size(), 20U);
  EXPECT_EQ(measured.metadata.at("precision_wanted"), "0.01");
  EXPECT_GT(std::stod(measured.metadata.at("precision_reached")), 0);
}

TEST(Timer, FinerPrecisionTakesMoreBlocks) {
  const auto blocks_for = [](double precision) {
    TimerOptions options;
    options.clock = std::make_shared<MockClock>(4e-6);
    return value_of(Timer([] {}, options).adaptive_autorange({.precision = precision})).raw_times.size();
  };
  EXPECT_GT(blocks_for(0.005), 2 * blocks_for(0.02));
}

TEST(Timer, AdaptiveStopsAtItsLimitAndSaysSo) {
  TimerOptions options;
  options.clock = std::make_shared<MockClock>(0.01);
  const TaskMeasurement measured =
      value_of(Timer([] {}, options).adaptive_autorange({.precision = 1e-6, .max_run_time = milliseconds(500)}));
  EXPECT_EQ(measured.metadata.at("stopped_by"), "max_run_time");
  EXPECT_LT(measured.raw_times.size(), 60U);
  EXPECT_GE(measured.raw_times.size(), 1U);
}

TEST(Timer, AdaptiveSaysWhereItsNumberOfBlocksIsTheLimit) {
  TimerOptions options;
  options.clock = std::make_shared<MockClock>(4e-6);
  const TaskMeasurement measured =
      value_of(Timer([] {}, options).adaptive_autorange({.precision = 1e-9, .max_run_time = seconds(1e9)}));
  EXPECT_EQ(measured.metadata.at("stopped_by"), "most_blocks");
  EXPECT_EQ(measured.raw_times.size(), 100'000U);
}

TEST(Timer, AdaptiveOfAStatementLongerThanItsLimitStillHasATime) {
  TimerOptions options;
  options.clock = std::make_shared<MockClock>(60);
  const TaskMeasurement measured = value_of(Timer([] {}, options).adaptive_autorange());
  EXPECT_EQ(measured.raw_times.size(), 1U);
  EXPECT_EQ(measured.metadata.at("stopped_by"), "max_run_time");
}

// A statement that gets faster after its first 40 blocks: the pilot moves on until its halves agree.
TEST(Timer, PilotWaitsUntilTheStatementIsWarm) {
  class WarmingClock : public RunClock {
   public:
    double seconds_of(std::int64_t runs, const TimedLoop&) override {
      const double cost = calls_++ < 40 ? 2e-6 : 1e-6;
      return static_cast<double>(runs) * cost * (1 + 0.001 * random_.real());
    }
    std::string name() const override { return "warming"; }

   private:
    int calls_ = 0;
    NumpyRandom random_{3};
  };
  TimerOptions options;
  options.clock = std::make_shared<WarmingClock>();
  const TaskMeasurement measured = value_of(Timer([] {}, options).adaptive_autorange());
  EXPECT_NEAR(*measured.median(), 1e-6, 2e-9);
  EXPECT_EQ(measured.metadata.at("halves"), "agree");
}

TEST(Timer, NoBlockTakesLessThanANanosecond) {
  class StoppedClock : public RunClock {
   public:
    double seconds_of(std::int64_t, const TimedLoop&) override { return 0; }
    std::string name() const override { return "stopped"; }
  };
  TimerOptions options;
  options.clock = std::make_shared<StoppedClock>();
  EXPECT_EQ(value_of(Timer([] {}, options).timeit(1)).raw_times.front(), 1e-9);
}

std::string error_of(const Result<TaskMeasurement>& result, ErrorKind kind) {
  EXPECT_FALSE(result);
  if (result) return "";
  EXPECT_EQ(result.error().kind, kind);
  return result.error().text();
}

TEST(TimerErrors, OptionsWithoutSenseAreNamed) {
  const Exact exact;
  Timer timer([] {}, exact.options());
  EXPECT_EQ(error_of(timer.timeit(0), ErrorKind::input), "timer: number: found 0, wanted at least 1 run");
  EXPECT_EQ(error_of(timer.timeit(-5), ErrorKind::input), "timer: number: found -5, wanted at least 1 run");
  EXPECT_EQ(error_of(timer.blocked_autorange({.min_run_time = seconds(-1)}), ErrorKind::input),
            "timer: min_run_time: found -1 s, wanted a time above 0");
  EXPECT_THAT(error_of(timer.blocked_autorange({.min_run_time = seconds(0)}), ErrorKind::input), HasSubstr("above 0"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_of(timer.blocked_autorange({.min_run_time = seconds(nan)}), ErrorKind::input),
              HasSubstr("found nan s"));
  EXPECT_THAT(error_of(timer.adaptive_autorange({.precision = 0}), ErrorKind::input), HasSubstr("precision: found 0"));
  EXPECT_THAT(error_of(timer.adaptive_autorange({.threshold = -1}), ErrorKind::input), HasSubstr("threshold"));
  EXPECT_EQ(
      error_of(timer.adaptive_autorange({.min_run_time = seconds(2), .max_run_time = seconds(1)}), ErrorKind::input),
      "timer: max_run_time: found 1 s, wanted at least min_run_time, 2 s");
  EXPECT_THAT(exact.clock->asked, testing::IsEmpty()) << "nothing was run";
}

TEST(TimerErrors, ThreadCountBelowOneIsNamed) {
  TimerOptions options = Exact().options();
  options.task.threads = 0;
  EXPECT_EQ(error_of(Timer([] {}, options).timeit(1), ErrorKind::input), "timer: threads: found 0, wanted at least 1");
}

TEST(TimerErrors, ThrowingStatementIsAnErrorWithItsText) {
  const Exact exact;
  Timer timer([] { throw std::runtime_error("no such file"); }, exact.options());
  const char* expected = "timer of \"f()\": no such file";
  EXPECT_EQ(error_of(timer.timeit(10), ErrorKind::program), expected);
  EXPECT_EQ(error_of(timer.blocked_autorange(), ErrorKind::program), expected);
  EXPECT_EQ(error_of(timer.adaptive_autorange(), ErrorKind::program), expected);
  Timer odd([] { throw 7; }, exact.options());
  EXPECT_THAT(error_of(odd.timeit(10), ErrorKind::program), HasSubstr("threw what is no std::exception"));
}

TEST(TimerErrors, TeardownRunsAlsoWhenTheStatementThrows) {
  TimerOptions options = Exact().options();
  int torn_down = 0;
  options.teardown = [&torn_down] {
    ++torn_down;
    throw std::runtime_error("teardown failed");
  };
  Timer throwing([] { throw std::runtime_error("the first error"); }, options);
  EXPECT_THAT(error_of(throwing.timeit(1), ErrorKind::program), HasSubstr("the first error"));
  EXPECT_EQ(torn_down, 1);
  Timer quiet([] {}, options);
  EXPECT_THAT(error_of(quiet.timeit(1), ErrorKind::program), HasSubstr("teardown failed"));
}

TEST(TimerErrors, ThrowingSetupIsAnError) {
  TimerOptions options = Exact().options();
  options.setup = [] { throw std::runtime_error("no data"); };
  EXPECT_THAT(error_of(Timer([] {}, options).timeit(1), ErrorKind::program), HasSubstr("no data"));
}

// The one test on a real clock: exact arithmetic on what was taken, nothing about how fast.
TEST(Timer, MeasuresOnTheMonotonicClockByDefault) {
  std::int64_t runs = 0;
  Timer timer([&runs] { return ++runs; });
  const TaskMeasurement measured = value_of(timer.blocked_autorange({.min_run_time = milliseconds(5)}));
  EXPECT_EQ(measured.metadata.at("clock"), "monotonic");
  double sum = 0;
  for (const double raw : measured.raw_times) sum += raw;
  EXPECT_GE(sum, 0.005);
  EXPECT_GE(runs, static_cast<std::int64_t>(measured.raw_times.size()) * measured.runs_per_time);
  EXPECT_LT(*measured.median(), 1e-3) << "an increment takes no millisecond";
}

TEST(Timer, TakesAStatementThatCannotBeCopied) {
  auto value = std::make_unique<int>(3);
  Timer timer([held = std::move(value)] { return *held; }, Exact().options());
  EXPECT_TRUE(timer.timeit(10));
}

}  // namespace
}  // namespace steelyard::timer_test
