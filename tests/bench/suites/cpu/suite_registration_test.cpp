#include "bench/suites/cpu/kernel_benchmarks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <sstream>

namespace steelyard::cpu_suite::suite_registration_test {
namespace {

using ::testing::HasSubstr;

int runs = 0;
std::size_t first_size = 0;
std::size_t second_size = 0;

void count_run(benchmark::State& state) {
  ++runs;
  first_size = size_of(state, 0);
  second_size = size_of(state, 1);
  for (auto _ : state) {
  }
}

// Google Benchmark's registry is the process's: each test has a name of its own. Console text, names and errors in it.
std::string output_of(const std::string& name) {
  runs = 0;
  std::ostringstream out;
  std::ostringstream err;
  benchmark::ConsoleReporter reporter(benchmark::ConsoleReporter::OO_None);
  reporter.SetOutputStream(&out);
  reporter.SetErrorStream(&err);
  benchmark::RunSpecifiedBenchmarks(&reporter, "^" + name + "(/|$)");
  return out.str();
}

constexpr OperatorCost kCheap{Flops(10), Bytes(10), Bytes(0)};
constexpr OperatorCost kDear{kIterationBudget + Flops(1), Bytes(10), Bytes(0)};

TEST(SuiteRegistration, NamesABenchmarkByItsNamedSizesAndGivesItThemInOrder) {
  SuiteRegistration suite(SuiteOptions{});
  suite.add("registered", {{"rows", 3}, {"columns", 5}}, kCheap, &count_run);
  EXPECT_THAT(output_of("registered"), HasSubstr("registered/rows:3/columns:5 "));
  EXPECT_GE(runs, 1);
  EXPECT_EQ(first_size, 3u);
  EXPECT_EQ(second_size, 5u);
}

TEST(SuiteRegistration, LeavesOutWhatIsAboveTheBudgetUnlessAllIsAskedFor) {
  SuiteRegistration small(SuiteOptions{});
  small.add("dear_small", {{"a", 1}, {"b", 2}}, kDear, &count_run);
  small.add_large("cheap_small", {{"a", 1}, {"b", 2}}, kCheap, &count_run);
  SuiteRegistration large(SuiteOptions{.large = true});
  large.add("dear_large", {{"a", 1}, {"b", 2}}, kDear, &count_run);
  large.add_large("cheap_large", {{"a", 1}, {"b", 2}}, kCheap, &count_run);
  output_of("dear_small");
  EXPECT_EQ(runs, 0);
  output_of("cheap_small");
  EXPECT_EQ(runs, 0);
  output_of("dear_large");
  EXPECT_GE(runs, 1);
  output_of("cheap_large");
  EXPECT_GE(runs, 1);
}

TEST(SuiteRegistration, SaysInWordsThatASizeIsTooLargeForTheMachineAndRunsItNot) {
  SuiteRegistration suite(SuiteOptions{.large = true});
  suite.add("huge", {{"a", 1}, {"b", 2}}, {Flops(1), Bytes(std::int64_t{1} << 60), Bytes(0)}, &count_run);
  const std::string output = output_of("huge");
  EXPECT_EQ(runs, 0);
  EXPECT_THAT(output, HasSubstr("ERROR OCCURRED: 'needs at least "));
  EXPECT_THAT(output, HasSubstr("of memory, this machine has "));
}

void be_refused_memory(benchmark::State&) { throw std::bad_alloc(); }

TEST(SuiteRegistration, SaysInWordsThatMemoryWasRefusedAndRunsTheRest) {
  SuiteRegistration suite(SuiteOptions{});
  suite.add("refused", {{"a", 1}, {"b", 2}}, kCheap, &be_refused_memory);
  suite.add("refused", {{"a", 3}, {"b", 4}}, kCheap, &count_run);
  EXPECT_THAT(output_of("refused"), HasSubstr("ERROR OCCURRED: 'the system refused this process memory"));
  EXPECT_EQ(first_size, 3u);
}

}  // namespace
}  // namespace steelyard::cpu_suite::suite_registration_test
