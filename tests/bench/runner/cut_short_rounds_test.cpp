// Rounds that a program's own search cut short are excluded and measured again: with real processes, of which the first
// stalls. A loaded machine may cut others short as well, so nothing here counts how many were; samples are so long that
// it does not cut short most of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "bench/runner/measure.hpp"
#include "bench/runner/run_header.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/measured_programs.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::cut_short_rounds_test {
namespace {

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

const Measurement& victim_of(const Run& run) {
  const auto at = std::ranges::find_if(run.measurements, [](const Measurement& measurement) {
    return measurement.benchmark.name == "BM_victim" && measurement.metric.name == kRealTime;
  });
  return *at;
}

std::set<int> counting_rounds(const Run& run) {
  std::set<int> rounds;
  for (const InvocationSamples& samples : victim_of(run).invocations) {
    EXPECT_TRUE(rounds.insert(run.invocations[samples.invocation].round).second) << "a round counts once";
  }
  return rounds;
}

void expect_nothing_cut_short(const MeasuredPair& pair) {
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    ASSERT_FALSE(run->measurements.empty());
    for (const InvocationSamples& samples : victim_of(*run).invocations) {
      for (const std::int64_t iterations : samples.iterations) EXPECT_GT(iterations, 1);
    }
    // On a loaded machine the stalled round may be measured again as a disturbed one before.
    const auto replaced = run->header.settings.find("replaced_rounds");
    const bool is_replaced = replaced != run->header.settings.end() && replaced->second != "0";
    EXPECT_TRUE(is_replaced || cut_short_of(run->header.settings) >= 1);
  }
  EXPECT_EQ(counting_rounds(pair.baseline), counting_rounds(pair.candidate));
}

TEST(CutShortRounds, AreExcludedOnBothSidesAndMeasuredAgain) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_stall(options_of("victim"));
  expect_nothing_cut_short(pair);
  EXPECT_GT(pair.baseline.invocations.size(), 8U) << "the baseline's process of that round too";
  EXPECT_EQ(pair.baseline.invocations.size(), pair.candidate.invocations.size());
}

TEST(CutShortRounds, AreExcludedWhereNothingIsMeasuredAgain) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = options_of("victim");
  options.repeat_disturbed = false;
  const MeasuredPair pair = with_stall(options);
  expect_nothing_cut_short(pair);
  EXPECT_EQ(pair.baseline.invocations.size(), 8U);
  EXPECT_FALSE(counting_rounds(pair.baseline).contains(0));
}

TEST(CutShortRounds, LeaveTheOthersOfTheirProcessAsTheyAre) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = options_of("victim|sum");
  options.samples.usual = {0, 3, milliseconds(30)};
  for (const char* name : {"BM_victim", "BM_sum/8", "BM_sum/64"}) options.samples.sizes[name] = options.samples.usual;
  options.samples.group = 4;
  options.repeat_disturbed = false;
  const MeasuredPair pair = with_stall(options);
  expect_nothing_cut_short(pair);
  EXPECT_FALSE(counting_rounds(pair.candidate).contains(0));
  EXPECT_EQ(pair.candidate.invocations.size(), 8U);
  EXPECT_GT(std::ranges::count_if(pair.candidate.measurements,
                                  [&](const Measurement& measurement) {
                                    return measurement.invocations.size() >
                                           victim_of(pair.candidate).invocations.size();
                                  }),
            0);
}

}  // namespace
}  // namespace steelyard::bench::cut_short_rounds_test
