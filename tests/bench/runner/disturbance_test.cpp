#include "bench/runner/disturbance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::bench::disturbance_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kSecond = 1'000'000'000;

// A process of one second on core 1 of which nothing can be said against.
Invocation quiet() {
  Invocation invocation;
  invocation.core = 1;
  invocation.duration_ns = kSecond;
  invocation.conditions.steal_ns = 0;
  invocation.conditions.other_busy_ns = 0;
  invocation.conditions.involuntary_switches = 5;
  invocation.conditions.major_faults = 0;
  invocation.conditions.migrations = 1;
  invocation.conditions.mhz_before = 3000;
  invocation.conditions.mhz_after = 3010;
  return invocation;
}

std::vector<std::string> alone(const Invocation& invocation) { return disturbed_by(invocation, UsualConditions{}); }

TEST(Disturbance, OfAQuietProcessIsNone) { EXPECT_THAT(alone(quiet()), IsEmpty()); }

TEST(Disturbance, OfWhichNothingIsToldIsNone) {
  EXPECT_THAT(alone(Invocation{}), IsEmpty());
  Invocation no_duration = quiet();
  no_duration.duration_ns = 0;
  no_duration.conditions.steal_ns = kSecond;
  EXPECT_THAT(alone(no_duration), IsEmpty());
}

TEST(Disturbance, NamesEachCauseAboveItsFloorAndNotAtIt) {
  Invocation invocation = quiet();
  // At 1 % beyond the two ticks of the kernel's grain.
  invocation.conditions.steal_ns = kSecond / 100 + 2 * tick_ns();
  EXPECT_THAT(alone(invocation), IsEmpty());
  *invocation.conditions.steal_ns += tick_ns();
  EXPECT_THAT(alone(invocation), ElementsAre("steal time"));

  invocation = quiet();
  invocation.conditions.other_busy_ns = kSecond / 50 + 3 * tick_ns();
  EXPECT_THAT(alone(invocation), ElementsAre("other work on its core"));

  invocation = quiet();
  invocation.conditions.involuntary_switches = 50;
  EXPECT_THAT(alone(invocation), IsEmpty());
  invocation.conditions.involuntary_switches = 51;
  EXPECT_THAT(alone(invocation), ElementsAre("involuntary switches"));

  invocation = quiet();
  invocation.conditions.major_faults = 1;
  invocation.conditions.migrations = 2;
  invocation.conditions.mhz_after = 2900;
  EXPECT_THAT(alone(invocation), ElementsAre("pages read from disk", "moves to another core", "a drifting clock"));
}

TEST(Disturbance, OfAnUnpinnedProcessIsNotItsMoving) {
  Invocation invocation = quiet();
  invocation.core = -1;
  invocation.conditions.migrations = 40;
  EXPECT_THAT(alone(invocation), IsEmpty());
}

// A program that faults in every process does so by its nature.
TEST(Disturbance, IsWhatIsUnusualForTheBenchmarkItself) {
  std::vector<Invocation> invocations(8, quiet());
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    invocations[i].conditions.major_faults = 100 + static_cast<std::int64_t>(i % 3);
  }
  invocations.back().conditions.major_faults = 400;
  const UsualConditions usual = usual_conditions(invocations);
  for (std::size_t i = 0; i + 1 < invocations.size(); ++i) EXPECT_THAT(disturbed_by(invocations[i], usual), IsEmpty());
  EXPECT_THAT(disturbed_by(invocations.back(), usual), ElementsAre("pages read from disk"));
}

TEST(Disturbance, OfThreeInvocationsIsToldByTheFloorAlone) {
  std::vector<Invocation> invocations(3, quiet());
  for (Invocation& invocation : invocations) invocation.conditions.involuntary_switches = 1000;
  EXPECT_THAT(disturbed_by(invocations[0], usual_conditions(invocations)), ElementsAre("involuntary switches"));
  invocations.push_back(invocations[0]);
  EXPECT_THAT(disturbed_by(invocations[0], usual_conditions(invocations)), IsEmpty());
}

// The rule is blind to results: it has no way to see them.
TEST(Disturbance, DoesNotDependOnHowTheProcessesAreNumbered) {
  Invocation a = quiet();
  a.conditions.major_faults = 2;
  Invocation b = a;
  b.round = 7;
  b.slot = 1;
  EXPECT_EQ(alone(a), alone(b));
}

}  // namespace
}  // namespace steelyard::bench::disturbance_test
