#include "bench/main/block_reporter.hpp"

#include <gtest/gtest.h>

#include "bench/main/run_session.hpp"

namespace steelyard {
namespace {

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

TEST(BlockReporter, DropsOnlyTheBlocksThatWereLeftOut) {
  const ReportedRuns kept =
      without_left_out({block(1), failed(block(2), kLeftOut), failed(block(3), "the device is away"), block(4)});
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
}  // namespace steelyard
