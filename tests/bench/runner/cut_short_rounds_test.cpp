// Rounds that a program's own search cut short are measured again: with real processes, of which the first stalls. A
// loaded machine may cut others short as well, so nothing here counts how many were; samples are so long that it does
// not cut short most of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bench/runner/cut_short.hpp"
#include "bench/runner/measure.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/measured_programs.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::cut_short_rounds_test {
namespace {

using ::testing::Contains;

testkit::MeasureOptions options_of(const std::string& filter) {
  testkit::MeasureOptions options;
  options.filter = filter;
  options.layout = Layout::interleaved;
  options.rounds = 8;
  options.repetitions = 3;
  options.min_time = milliseconds(30);
  options.budget = seconds(60);
  options.seed = 5;
  return options;
}

MeasuredPair with_stall(const testkit::MeasureOptions& options) {
  const testkit::TemporaryFolder folder;
  const std::string mark = (folder.path() / "stalled").string();
  const Program candidate = testkit::fixture({{"VICTIM", "stall"}, {"STALL_MS", "200"}, {"STALLED", mark}});
  Result<MeasuredPair> pair = testkit::measure_pair(testkit::fixture(), candidate, options);
  EXPECT_TRUE(pair) << (pair ? "" : pair.error().text());
  EXPECT_TRUE(std::filesystem::exists(mark));
  return pair ? std::move(pair).value() : MeasuredPair{};
}

const Measurement* victim_of(const steelyard::Run& run) {
  const auto at = std::ranges::find_if(run.measurements, [](const Measurement& measurement) {
    return measurement.benchmark.name == "BM_victim" && measurement.metric.name == kRealTime;
  });
  return at == run.measurements.end() ? nullptr : &*at;
}

bool has_one_iteration(const InvocationSamples& samples) {
  return std::ranges::all_of(samples.iterations, [](std::int64_t iterations) { return iterations == 1; });
}

TEST(CutShortRounds, AreMeasuredAgainAndWhatTheyWereIsKeptAside) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_stall(options_of("victim"));
  const Measurement* const stalled = victim_of(pair.candidate);
  const Measurement* const beside = victim_of(pair.baseline);
  ASSERT_TRUE(stalled && beside);
  EXPECT_EQ(stalled->invocations.size(), 8U);
  EXPECT_EQ(beside->invocations.size(), 8U);
  EXPECT_TRUE(std::ranges::none_of(stalled->invocations, has_one_iteration));
  ASSERT_FALSE(stalled->excluded.empty());
  EXPECT_EQ(beside->excluded.size(), stalled->excluded.size()) << "both sides of a round";
  const InvocationSamples& first = stalled->excluded.front();
  EXPECT_TRUE(has_one_iteration(first));
  EXPECT_THAT(pair.candidate.invocations[first.invocation].disturbed_by, Contains(kCutShort));
}

TEST(CutShortRounds, StandAsTheyAreAndMarkedWhereNothingIsMeasuredAgain) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = options_of("victim");
  options.repeat_disturbed = false;
  const MeasuredPair pair = with_stall(options);
  const Measurement* const stalled = victim_of(pair.candidate);
  ASSERT_TRUE(stalled);
  EXPECT_EQ(stalled->invocations.size(), 8U);
  EXPECT_TRUE(stalled->excluded.empty());
  const auto at = std::ranges::find_if(stalled->invocations, has_one_iteration);
  ASSERT_NE(at, stalled->invocations.end());
  EXPECT_THAT(pair.candidate.invocations[at->invocation].disturbed_by, Contains(kCutShort));
}

}  // namespace
}  // namespace steelyard::bench::cut_short_rounds_test
