#include "bench/runner/sample_plan.hpp"

#include <gtest/gtest.h>

namespace steelyard::bench::sample_plan_test {
namespace {

std::map<std::string, ProcessCost> suite(int count, Nanoseconds setup, Nanoseconds iteration, bool exact = true) {
  std::map<std::string, ProcessCost> costs;
  for (int i = 0; i < count; ++i) {
    ProcessCost cost;
    cost.setup = setup;
    cost.iteration = iteration;
    cost.exact_iterations = exact;
    costs["BM_" + std::to_string(i)] = cost;
  }
  return costs;
}

SamplePlanQuestion question(Nanoseconds budget, int rounds = 60) {
  SamplePlanQuestion asked;
  asked.budget = budget;
  asked.rounds = rounds;
  asked.start = milliseconds(10);
  return asked;
}

TEST(PlanSamples, TakesTheLongestWhereThereIsTime) {
  const SamplePlan plan = plan_samples(suite(1, milliseconds(1), microseconds(1)), question(seconds(120)));
  EXPECT_EQ(plan.usual, (SampleSize{0, 3, milliseconds(20)}));
  EXPECT_EQ(plan.group, 1U);
}

TEST(PlanSamples, MakesRoomForAllRoundsOfFiftyBenchmarksInTwoMinutes) {
  const SamplePlan plan = plan_samples(suite(52, milliseconds(1), microseconds(1)), question(seconds(120)));
  EXPECT_LE(plan.round * 60, seconds(120));
  EXPECT_GE(plan.usual.min_time * plan.usual.repetitions, milliseconds(5));
  EXPECT_EQ(plan.group, 1U);
}

TEST(PlanSamples, HasTheFirstLookWithinTwoFifthsOfTheBudget) {
  for (const int count : {1, 13, 52, 150, 300}) {
    const SamplePlan plan = plan_samples(suite(count, milliseconds(1), microseconds(1)), question(seconds(120)));
    EXPECT_LE(plan.round * 12, seconds(48)) << count;
  }
}

TEST(PlanSamples, LetsBenchmarksShareProcessesOnlyWhereTheirStartsWouldEatTheBudget) {
  EXPECT_EQ(plan_samples(suite(150, milliseconds(1), microseconds(1)), question(seconds(120))).group, 1U);
  const SamplePlan many = plan_samples(suite(500, milliseconds(1), microseconds(1)), question(seconds(120)));
  EXPECT_GT(many.group, 1U);
  EXPECT_LE(many.group, 32U);
}

// A suite whose first benchmark in a process makes a text for all of them.
TEST(PlanSamples, LetsBenchmarksShareWhatIsMadeOnceAProcess) {
  auto costs = suite(300, microseconds(10), microseconds(1));
  for (auto& [name, cost] : costs) cost.once = milliseconds(330);
  const SamplePlan plan = plan_samples(costs, question(seconds(600)));
  EXPECT_EQ(plan.sizes.at("BM_0").repetitions, 3) << "it is not made anew by each sample";
  EXPECT_GE(plan.group, 8U);
  EXPECT_LE(plan.round * 12, seconds(240));
}

TEST(PlanSamples, RoundsIterationsSoThatASlightlyDifferentPilotGivesTheSame) {
  const auto iterations = [](double ns) {
    return plan_samples(suite(1, milliseconds(1), nanoseconds(ns)), question(seconds(120))).sizes.at("BM_0").iterations;
  };
  EXPECT_EQ(iterations(1000), 16384);  // 20 ms of 1 us: 2^14.3
  EXPECT_EQ(iterations(1040), 16384);
  EXPECT_EQ(iterations(960), 16384);
  EXPECT_EQ(iterations(500), 32768);
}

TEST(PlanSamples, SetsUpLessOftenWhereThatTakesLongerThanASample) {
  const SamplePlan plan = plan_samples(suite(75, milliseconds(10), microseconds(1)), question(seconds(60)));
  EXPECT_EQ(plan.sizes.at("BM_0").repetitions, 1);
  EXPECT_EQ(
      plan_samples(suite(75, microseconds(10), microseconds(1)), question(seconds(60))).sizes.at("BM_0").repetitions,
      3);
}

TEST(PlanSamples, TakesFewerSamplesOfWhatIsLongerThanASample) {
  const SamplePlan plan = plan_samples(suite(1, milliseconds(1), seconds(1)), question(seconds(600)));
  EXPECT_EQ(plan.sizes.at("BM_0"), (SampleSize{1, 1, milliseconds(20)}));
  const SamplePlan shorter = plan_samples(suite(1, milliseconds(1), milliseconds(25)), question(seconds(600)));
  EXPECT_EQ(shorter.sizes.at("BM_0"), (SampleSize{1, 2, milliseconds(20)}));
}

TEST(PlanSamples, LeavesTheSearchToProgramsThatTakeNoIterations) {
  const SamplePlan exact = plan_samples(suite(52, milliseconds(1), microseconds(1)), question(seconds(120)));
  const SamplePlan timed = plan_samples(suite(52, milliseconds(1), microseconds(1), false), question(seconds(120)));
  EXPECT_EQ(timed.sizes.at("BM_0").iterations, 0);
  EXPECT_LE(timed.usual.min_time, exact.usual.min_time);
}

// Shorter ones end at their first try wherever another process has the core for a turn.
TEST(PlanSamples, SharesProcessesRatherThanCutShortWhatThePilotCouldNotGiveIterations) {
  const SamplePlan exact = plan_samples(suite(150, milliseconds(1), microseconds(1)), question(seconds(120)));
  const SamplePlan timed = plan_samples(suite(150, milliseconds(1), microseconds(1), false), question(seconds(120)));
  EXPECT_EQ(exact.group, 1U);
  EXPECT_GT(timed.group, 1U);
  EXPECT_GE(timed.usual.min_time * timed.usual.repetitions * 1.001, milliseconds(10));
  EXPECT_LE(timed.round * 12, seconds(48));
  const SamplePlan many = plan_samples(suite(400, milliseconds(1), microseconds(1), false), question(seconds(120)));
  EXPECT_LT(many.usual.min_time * many.usual.repetitions, milliseconds(10)) << "the first look goes before";
}

TEST(PlanSamples, KeepsToWhatTheUserAsksFor) {
  SamplePlanQuestion asked = question(seconds(60));
  asked.repetitions = 7;
  EXPECT_EQ(plan_samples(suite(300, milliseconds(1), microseconds(1)), asked).usual.repetitions, 7);
  asked.repetitions = 0;
  asked.min_time = milliseconds(50);
  const SamplePlan plan = plan_samples(suite(300, milliseconds(1), microseconds(1)), asked);
  EXPECT_EQ(plan.usual.min_time, milliseconds(50));
  EXPECT_EQ(plan.sizes.at("BM_0").iterations, 0);
}

TEST(PlanSamples, CountsPausedClocksAndTurns) {
  auto costs = suite(50, milliseconds(1), microseconds(1));
  const SamplePlan plain = plan_samples(costs, question(seconds(120)));
  for (auto& [name, cost] : costs) cost.overhead = 20;
  EXPECT_LT(plan_samples(costs, question(seconds(120))).usual.min_time, plain.usual.min_time);
  costs = suite(50, milliseconds(1), microseconds(1));
  for (auto& [name, cost] : costs) cost.processes = 2;
  EXPECT_LT(plan_samples(costs, question(seconds(120))).usual.min_time, plain.usual.min_time);
}

TEST(SamplePlan, HasTheUsualSizeForWhatThePilotDidNotReach) {
  const SamplePlan plan = plan_samples(suite(1, milliseconds(1), microseconds(1)), question(seconds(120)));
  EXPECT_EQ(plan.size_of("BM_other"), plan.usual);
  EXPECT_EQ(plan.size_of("BM_0"), plan.sizes.at("BM_0"));
}

}  // namespace
}  // namespace steelyard::bench::sample_plan_test
