// What the compiler leaves of a timed loop, counted by Callgrind: exact instructions, not time.
#include "bench/harness/timed_loop.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/promised.hpp"
#include "tests/studies/loop_cost/count_loop.hpp"

namespace steelyard::timed_loop_test {
namespace {

// Each loop is counted once for all tests.
double cost_of(const std::string& loop) {
  static std::map<std::string, double> known;
  if (const auto found = known.find(loop); found != known.end()) return found->second;
  const auto cost = instructions_per_iteration(STEELYARD_LOOPS, loop);
  EXPECT_TRUE(cost) << cost.error().text();
  return known[loop] = cost ? *cost : 0;
}

class TimedLoopCost : public ::testing::Test {
 protected:
  void SetUp() override { STEELYARD_SKIP_WITHOUT("valgrind", can_count_loops(), "valgrind is not installed"); }
};

// Google's loop with nothing in it at all is removed by the compiler, so that there is no loop to compare with; with
// a barrier of its own in the body it stays.
TEST_F(TimedLoopCost, IsNoMoreThanThatOfGoogleBenchmark) {
  const double ours = cost_of("ours_empty");
  EXPECT_GE(ours, 1) << "the loop itself was removed";
  EXPECT_LE(ours, cost_of("google_clobber"));
  EXPECT_LE(cost_of("ours_work"), cost_of("google_work"));
}

// 20 floating-point operations on an input that never changes: neither computed once before the loop nor dropped.
TEST_F(TimedLoopCost, BodySurvivesOptimization) {
  EXPECT_GE(cost_of("ours_work"), 20);
  EXPECT_GE(cost_of("ours_store"), 20);
}

// The counter and the compiler are such that the claim above could fail.
TEST_F(TimedLoopCost, WithoutTheSinkTheSameBodyIsRemoved) { EXPECT_LT(cost_of("plain_work"), 1); }

TEST(TimedLoop, RunsAsOftenAsAskedAndNotAtAllForZero) {
  int runs = 0;
  TimedLoop loop = timed_loop([&runs] { ++runs; });
  loop(0);
  EXPECT_EQ(runs, 0);
  loop(7);
  EXPECT_EQ(runs, 7);
}

TEST(DoNotOptimize, TakesValuesOfEveryKindAndChangesNone) {
  int small = 3;
  float single = 1.5F;
  double real = 2.5;
  long double wide = 3.5L;
  std::string text = "long enough to stand on the heap, not in the object itself";
  const std::string copy = text;
  do_not_optimize(small);
  do_not_optimize(single);
  do_not_optimize(real);
  do_not_optimize(wide);
  do_not_optimize(text);
  do_not_optimize(text.c_str());
  do_not_optimize(std::string("temporary"));
  do_not_optimize(7);
  do_not_optimize(7.5);
  clobber_memory();
  EXPECT_EQ(small, 3);
  EXPECT_EQ(single, 1.5F);
  EXPECT_EQ(real, 2.5);
  EXPECT_EQ(wide, 3.5L);
  EXPECT_EQ(text, copy);
}

}  // namespace
}  // namespace steelyard::timed_loop_test
