#include "bench/suites/cpu/checked_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "bench/suites/cpu/agreement.hpp"

namespace steelyard::cpu_suite::checked_timing_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Google Benchmark's own JSON of the one benchmark registered as `name`. Its registry is the process's: each test has a
// name of its own.
std::string json_of(const std::string& name, const std::function<void(benchmark::State&)>& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)->Iterations(3);
  std::ostringstream out;
  std::ostringstream err;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&out);
  reporter.SetErrorStream(&err);
  benchmark::RunSpecifiedBenchmarks(&reporter, "^" + name + "(/|$)");
  return out.str();
}

constexpr OperatorCost kCost{Flops(10), Bytes(20), Bytes(30)};

TEST(CheckedTiming, AWrongAnswerFailsTheBenchmarkInWordsAndIsNotTimed) {
  int runs = 0;
  const std::string json = json_of("wrong", [&](benchmark::State& state) {
    time_checked(
        state, kCost, {}, [&] { ++runs; }, [] { return std::optional<std::string>("off by one"); });
  });
  EXPECT_EQ(runs, 1);
  EXPECT_THAT(json, HasSubstr("wrong answer: off by one"));
  EXPECT_THAT(json, Not(HasSubstr("\"flops\"")));
}

TEST(CheckedTiming, AKernelThatWritesNothingLeavesNanWhereARightAnswerWas) {
  std::vector<float> answer{1, 2, 3};
  const std::string json = json_of("idle", [&](benchmark::State& state) {
    time_checked(
        state, kCost, answer, [] {},
        [&] {
          return disagreement(answer, std::vector<double>{1, 2, 3}, 1e9);
        });
  });
  EXPECT_THAT(json, HasSubstr("wrong answer: value 0 of the answer is nan, wanted 1"));
}

TEST(CheckedTiming, ARightAnswerIsCheckedOnceAndTimedForEveryIteration) {
  int runs = 0;
  int checks = 0;
  const std::string json = json_of("right", [&](benchmark::State& state) {
    time_checked(
        state, kCost, {}, [&] { ++runs; },
        [&]() -> std::optional<std::string> {
          EXPECT_EQ(runs, 1) << "the check reads the answer of the first run";
          ++checks;
          return std::nullopt;
        });
  });
  EXPECT_EQ(checks, 1);
  EXPECT_EQ(runs, 1 + 3);
  EXPECT_THAT(json, Not(HasSubstr("wrong answer")));
  EXPECT_THAT(json, HasSubstr("\"flops\": "));
  EXPECT_THAT(json, HasSubstr("\"bandwidth\": "));
}

TEST(CheckedTiming, CountersAreRatesOfTheDeclaredCostOverAllIterations) {
  double flops = 0;
  double bandwidth = 0;
  json_of("counters", [&](benchmark::State& state) {
    time_checked(
        state, kCost, {}, [] {}, [] { return std::optional<std::string>(); });
    flops = state.counters["flops"];
    bandwidth = state.counters["bandwidth"];
    EXPECT_EQ(state.counters["flops"].flags, benchmark::Counter::kIsIterationInvariantRate);
    EXPECT_EQ(state.counters["bandwidth"].flags, benchmark::Counter::kIsIterationInvariantRate);
  });
  EXPECT_EQ(flops, 10);
  EXPECT_EQ(bandwidth, 50);
}

}  // namespace
}  // namespace steelyard::cpu_suite::checked_timing_test
