#include <gtest/gtest.h>

#include "bench/main/run_session.hpp"

namespace steelyard::run_session_test {
namespace {

// Passes of this length that are made until the budget says that it is enough, or all there are.
int passes_made(BlockOrder order, Nanoseconds each, bool fixes_length = false) {
  BlockBudget budget(order);
  for (int pass = 0; pass < order.repetitions * order.blocks; ++pass) {
    if (budget.skips(100, fixes_length)) return pass;
    budget.add(100, each);
  }
  return order.repetitions * order.blocks;
}

TEST(BlockBudget, MakesAllBlocksOfAFastBenchmark) {
  EXPECT_EQ(passes_made({1, 8, seconds(0.5)}, seconds(0.5 * 1.4 / 8)), 8);
  EXPECT_EQ(passes_made({3, 8, seconds(0.02)}, seconds(0.02 * 1.4 / 8)), 24);
}

TEST(BlockBudget, MakesNoMoreOfASlowOneThanThereWereRepetitions) {
  EXPECT_EQ(passes_made({3, 8, milliseconds(20)}, seconds(1)), 3);
  EXPECT_EQ(passes_made({1, 8, milliseconds(20)}, milliseconds(18)), 1);
}

TEST(BlockBudget, StopsWhereAsMuchTimeIsSpentAsWithoutBlocks) {
  // 35 ms are allowed: three of 10 ms, not four.
  EXPECT_EQ(passes_made({1, 8, milliseconds(20)}, milliseconds(10)), 3);
}

TEST(BlockBudget, IsNeverSpentWithoutBlocks) { EXPECT_EQ(passes_made({5, 1, milliseconds(1)}, seconds(9)), 5); }

TEST(BlockBudget, MakesTheRepetitionsOfABenchmarkThatSetsItsOwnLength) {
  EXPECT_EQ(passes_made({3, 8, seconds(0.5)}, milliseconds(1), true), 3);
}

TEST(BlockBudget, NeverLeavesOutTheSearchForTheIterations) {
  BlockBudget budget({1, 8, milliseconds(20)});
  budget.add(1, seconds(30));  // a slow first touch
  EXPECT_FALSE(budget.skips(10, false));
  EXPECT_FALSE(budget.skips(10, true));
  budget.add(10, milliseconds(3));
  EXPECT_FALSE(budget.skips(10, false));
  budget.add(10, seconds(30));
  EXPECT_TRUE(budget.skips(10, false));
}

TEST(BlockBudget, BeginsAnewWithEachBenchmark) {
  BlockBudget budget({1, 8, milliseconds(20)});
  budget.add(10, seconds(1));
  EXPECT_TRUE(budget.skips(10, false));
  budget.begin_next_benchmark();
  EXPECT_FALSE(budget.skips(10, false));
}

// Of iterations of this length beside a loop of that one.
int lone_iterations(Nanoseconds loop, Nanoseconds each) {
  LoneBudget budget;
  budget.add_loop(loop);
  int made = 0;
  for (; budget.allows_another(); ++made) budget.add(each);
  return made;
}

TEST(LoneBudget, IsAThousandInAQuarterOfTheTimeOfTheLoopsAndOneAtLeast) {
  EXPECT_EQ(lone_iterations(seconds(1), microseconds(1)), 1000);
  EXPECT_EQ(lone_iterations(seconds(1), milliseconds(50)), 5);
  EXPECT_EQ(lone_iterations(seconds(1), seconds(3)), 1);
  EXPECT_FALSE(LoneBudget().allows_another()) << "before any loop";
  LoneBudget budget;
  budget.add_loop(seconds(1));
  budget.add(seconds(1));
  EXPECT_FALSE(budget.allows_another());
  budget.add_loop(seconds(4));
  EXPECT_TRUE(budget.allows_another()) << "the next loop's time counts too";
  EXPECT_TRUE(budget.end());
  budget.add_loop(seconds(400));
  EXPECT_FALSE(budget.allows_another()) << "for good";
  EXPECT_FALSE(budget.end()) << "it had before";
}

TEST(RunSession, BudgetEndsWithTheRun) {
  RunSession session;
  session.begin({1, 8, milliseconds(1)});
  session.add_pass(10, seconds(1));
  EXPECT_TRUE(session.skips_next(10, false)) << "its time is spent";
  session.end();
  EXPECT_FALSE(session.skips_next(10, false)) << "what the program runs later by itself has no budget";
}

using Run = benchmark::BenchmarkReporter::Run;
using benchmark::Counter;

Run block(double seconds, double rate = 0) {
  Run run;
  run.run_type = Run::RT_Iteration;
  run.iterations = 10;
  run.real_accumulated_time = seconds;
  run.cpu_accumulated_time = seconds / 2;
  run.repetitions = 4;
  run.counters["rate"] = Counter(rate, Counter::kIsRate);
  run.counters["level"] = Counter(seconds);
  return run;
}

template <class AnyRun>
AnyRun failed(AnyRun run, const char* message) {
  if constexpr (requires { run.error_occurred; }) {
    run.error_occurred = true;
    run.error_message = message;
  } else {
    run.skipped = decltype(run.skipped)(2);
    run.skip_message = message;
  }
  return run;
}

Run aggregate() {
  Run run;
  run.run_type = Run::RT_Aggregate;
  run.aggregate_name = "mean";
  return run;
}

TEST(BlockReporter, DropsOnlyTheBlocksThatWereSkipped) {
  const ReportedRuns kept =
      without_skipped({block(1), failed(block(2), kSkippedBlock), failed(block(3), "the device is away"), block(4)});
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[2].real_accumulated_time, 4);
  EXPECT_EQ(kept[0].repetitions, 3);
}

TEST(BlockReporter, JoinsTheBlocksOfARepetition) {
  const ReportedRuns lines = joined({block(1, 10), block(3, 30), block(5, 8), block(7, 8), aggregate()}, 2);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].iterations, 20);
  EXPECT_EQ(lines[0].real_accumulated_time, 4);
  EXPECT_EQ(lines[0].cpu_accumulated_time, 2);
  EXPECT_EQ(lines[0].counters.at("rate").value, 15);  // twice the work in the sum of the times
  EXPECT_EQ(lines[0].counters.at("level").value, 2);
  EXPECT_EQ(lines[0].repetitions, 2);
  EXPECT_EQ(lines[1].repetition_index, 1);
  EXPECT_EQ(lines[2].run_type, benchmark::BenchmarkReporter::Run::RT_Aggregate);
}

TEST(BlockReporter, SharesTheBlocksThatThereAreOut) {
  const ReportedRuns lines = joined({block(1), block(1), block(1), block(1), block(1)}, 2);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].iterations + lines[1].iterations, 50);
  EXPECT_EQ(joined({block(1)}, 3).size(), 1U);
}

TEST(BlockReporter, ShowsNoStatisticsOfOneRepetitionButAFit) {
  auto fit = aggregate();
  fit.report_big_o = true;
  const ReportedRuns lines = joined({block(1), block(1), aggregate(), fit}, 1);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[1].report_big_o);
}

TEST(BlockReporter, ShowsAFailedBlockInPlaceOfItsLine) {
  const ReportedRuns lines = joined({block(1), failed(block(2), "away")}, 1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].real_accumulated_time, 2);
}

}  // namespace

}  // namespace steelyard::run_session_test
