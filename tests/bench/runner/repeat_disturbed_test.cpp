// Rounds with a disturbed process are measured again: with real processes, of which the first wanders from core to
// core. A loaded machine may disturb others as well, so nothing here counts how many were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "bench/runner/core_choice.hpp"
#include "bench/runner/measure.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/measured_programs.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::repeat_disturbed_test {
namespace {

using ::testing::Contains;

testkit::MeasureOptions options_of(Layout layout) {
  testkit::MeasureOptions options;
  options.filter = "victim";
  options.layout = layout;
  options.rounds = 8;
  options.repetitions = 1;
  options.min_time = milliseconds(1);
  options.seed = 5;
  return options;
}

MeasuredPair with_wanderer(const testkit::MeasureOptions& options) {
  const testkit::TemporaryFolder folder;
  const std::string mark = (folder.path() / "wandered").string();
  const Program candidate = testkit::fixture({{"VICTIM", "wander"}, {"WANDERED", mark}});
  Result<MeasuredPair> pair = testkit::measure_pair(testkit::fixture(), candidate, options);
  EXPECT_TRUE(pair) << (pair ? "" : pair.error().text());
  return pair ? std::move(pair).value() : MeasuredPair{};
}

// How many invocations of each round count.
std::map<int, int> counting_rounds(const Run& run) {
  std::map<int, int> rounds;
  for (const Invocation& invocation : run.invocations) rounds[invocation.round] += invocation.excluded ? 0 : 1;
  return rounds;
}

TEST(RepeatDisturbed, KeepsWhatWasDisturbedAndLetsEveryRoundCountOnce) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_wanderer(options_of(Layout::interleaved));
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    const auto rounds = counting_rounds(*run);
    EXPECT_EQ(rounds.size(), 8U);
    for (const auto& [round, count] : rounds) EXPECT_EQ(count, 1) << round;
    for (const Measurement& measurement : run->measurements) {
      EXPECT_EQ(measurement.invocations.size(), 8U);
      EXPECT_EQ(measurement.invocations.size() + measurement.excluded.size(), run->invocations.size());
      for (const InvocationSamples& samples : measurement.excluded) {
        EXPECT_TRUE(run->invocations[samples.invocation].excluded);
      }
    }
  }
}

TEST(RepeatDisturbed, TakesBothSidesOfARoundAgainAndInTheSameSlots) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_wanderer(options_of(Layout::interleaved));
  EXPECT_EQ(pair.baseline.invocations.size(), pair.candidate.invocations.size());
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    std::map<int, int> slots;
    for (const Invocation& invocation : run->invocations) {
      const auto [at, is_new] = slots.emplace(invocation.round, invocation.slot);
      EXPECT_EQ(at->second, invocation.slot) << invocation.round;
    }
  }
}

TEST(RepeatDisturbed, SeesAPinnedProcessThatWanders) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_wanderer(options_of(Layout::interleaved));
  ASSERT_FALSE(pair.candidate.invocations.empty());
  const Invocation& first = pair.candidate.invocations.front();
  if (first.core < 0) GTEST_SKIP() << "the system refuses to pin a process to a core";
  if (!first.conditions.migrations) GTEST_SKIP() << "the kernel does not tell how often a process moved";
  if (read_allowed_cores().size() < 2) GTEST_SKIP() << "there is one core only";
  EXPECT_THAT(first.disturbed_by, Contains("moves to another core")) << *first.conditions.migrations;
  // Where most of eight rounds are disturbed the machine is like that, and they stand as they are.
  if (std::stoi(pair.candidate.header.settings.at("disturbed_rounds")) > 4) return;
  EXPECT_GE(std::stoi(pair.candidate.header.settings.at("repeated_rounds")), 1);
}

TEST(RepeatDisturbed, MeasuresNothingTwiceWhereItIsToldNotTo) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = options_of(Layout::interleaved);
  options.repeat_disturbed = false;
  const MeasuredPair pair = with_wanderer(options);
  EXPECT_EQ(pair.candidate.invocations.size(), 8U);
  EXPECT_FALSE(pair.candidate.header.settings.contains("repeated_rounds"));
}

TEST(RepeatDisturbed, RecordsTheConditionsOfEachProcess) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = with_wanderer(options_of(Layout::interleaved));
  for (const Invocation& invocation : pair.baseline.invocations) {
    const InvocationConditions& conditions = invocation.conditions;
    ASSERT_TRUE(conditions.user_ns && conditions.system_ns && conditions.minor_faults);
    EXPECT_GT(*conditions.user_ns + *conditions.system_ns, 0);
    EXPECT_GT(*conditions.minor_faults, 0);
    EXPECT_GT(conditions.mhz_before.value_or(1), 0);
  }
}

}  // namespace
}  // namespace steelyard::bench::repeat_disturbed_test
