#include "regress/history/creep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steelyard::regress::creep_test {
namespace {

using ::testing::ElementsAre;

// One commit a value: c0, c1, ...
std::vector<CountPoint> points_of(const std::vector<double>& values) {
  std::vector<CountPoint> points;
  for (const double value : values) points.push_back({value, "c" + std::to_string(points.size())});
  return points;
}

std::optional<Creep> creep_of(const std::vector<double>& values, std::vector<ReferenceLevel> references = {}) {
  return judge_creep({points_of(values), std::move(references)});
}

std::vector<std::string> commits_of(const Creep& creep) {
  std::vector<std::string> commits;
  for (const CreepStep& step : creep.steps) commits.push_back(step.commit);
  return commits;
}

ReferenceLevel accepted(double level, std::int64_t at = 1) {
  return {LevelOrigin::accepted, "accepting", level, at, {}};
}
ReferenceLevel released(const std::string& commit, const std::string& name, std::int64_t at) {
  return {LevelOrigin::released, commit, std::nullopt, at, name};
}

TEST(Creep, OfStepsBelowTheEffectFailsOnceTogetherTheyReachIt) {
  const auto below = creep_of({1000, 1004, 1004, 1008});
  ASSERT_TRUE(below);
  EXPECT_FALSE(below->beyond);
  EXPECT_DOUBLE_EQ(below->ratio, 1004.0 / 1000 * (1008.0 / 1004));
  const auto beyond = creep_of({1000, 1004, 1004, 1008, 1012});
  ASSERT_TRUE(beyond);
  EXPECT_TRUE(beyond->beyond);
  EXPECT_THAT(commits_of(*beyond), ElementsAre("c1", "c3", "c4")) << "c2 changed nothing";
  EXPECT_EQ(beyond->origin, LevelOrigin::first_known);
  EXPECT_EQ(beyond->commit, "c0");
  EXPECT_DOUBLE_EQ(beyond->accepted, 1000);
  EXPECT_DOUBLE_EQ(beyond->level, 1012);
  EXPECT_DOUBLE_EQ(beyond->effect, 0.01);
}

TEST(Creep, IsReachedExactlyAtTheEffect) {
  EXPECT_TRUE(creep_of({1000, 1005, 1010})->beyond);
  EXPECT_FALSE(creep_of({100000, 100500, 100999})->beyond);
  CreepQuestion question{points_of({1000, 1100, 1200})};
  question.rules.effect = 0.2;
  EXPECT_TRUE(judge_creep(question)->beyond);
  question.points = points_of({1000, 1200});
  EXPECT_THAT(judge_creep(question)->steps, testing::IsEmpty()) << "judged by itself, as 1.2 is 20 %";
}

TEST(Creep, TakesWhatGotBetterIntoAccount) {
  const auto net = creep_of({1000, 1005, 1001, 1006, 1008});
  ASSERT_TRUE(net);
  EXPECT_FALSE(net->beyond);
  EXPECT_EQ(net->steps.size(), 4U);
}

TEST(Creep, DoesNotAddWhatIsJudgedByItself) {
  const auto large = creep_of({1000, 1130, 1131});
  ASSERT_TRUE(large);
  EXPECT_FALSE(large->beyond) << "who merged the 13 % saw them";
  EXPECT_THAT(commits_of(*large), ElementsAre("c2"));
  EXPECT_DOUBLE_EQ(large->level, 1131);
  const auto later = creep_of({1000, 1130, 1135, 1142});
  EXPECT_TRUE(later->beyond) << "what came after is more than the effect by itself";
  EXPECT_THAT(commits_of(*later), ElementsAre("c2", "c3"));
}

TEST(Creep, IsNoneBelowTheAcceptedLevel) {
  const auto paid = creep_of({1000, 800, 806, 812, 818});
  ASSERT_TRUE(paid);
  EXPECT_GT(paid->ratio, 1.02);
  EXPECT_FALSE(paid->beyond) << "an improvement paid for it";
}

TEST(Creep, BeginsAtTheLevelThatWasAcceptedLast) {
  const std::vector<double> values{1000, 1006, 1012, 1012, 1016};
  EXPECT_TRUE(creep_of(values)->beyond);
  const auto since = creep_of(values, {accepted(1000, 1), accepted(1012, 2)});
  ASSERT_TRUE(since);
  EXPECT_EQ(since->origin, LevelOrigin::accepted);
  EXPECT_EQ(since->commit, "accepting");
  EXPECT_EQ(since->at_unix_s, 2);
  EXPECT_DOUBLE_EQ(since->accepted, 1012);
  EXPECT_THAT(commits_of(*since), ElementsAre("c4"));
  EXPECT_FALSE(since->beyond);
  EXPECT_TRUE(creep_of({1000, 1006, 1012, 1018, 1023}, {accepted(1012)})->beyond) << "and fails again past it";
}

TEST(Creep, BeginsAtTheNewestRelease) {
  const std::vector<double> values{1000, 1006, 1012, 1018};
  const auto since = creep_of(values, {released("c0", "v1.0", 10), released("c2", "v1.1", 20)});
  ASSERT_TRUE(since);
  EXPECT_EQ(since->origin, LevelOrigin::released);
  EXPECT_EQ(since->release, "v1.1");
  EXPECT_DOUBLE_EQ(since->accepted, 1012);
  EXPECT_THAT(commits_of(*since), ElementsAre("c3"));
  const auto maintained = creep_of(values, {released("c0", "v1.0.1", 30), released("c2", "v1.1", 20)});
  EXPECT_EQ(maintained->release, "v1.1") << "an old branch released later says nothing of this one";
  const auto elsewhere = creep_of(values, {released("gone", "v9", 40)});
  EXPECT_EQ(elsewhere->origin, LevelOrigin::first_known) << "it is not of this series";
}

TEST(Creep, OfWhatWasAcceptedAndReleasedTheLaterCounts) {
  const std::vector<double> values{1000, 1004, 1008, 1012};
  EXPECT_EQ(creep_of(values, {released("c0", "v1.0", 10), accepted(1008, 20)})->origin, LevelOrigin::accepted);
  EXPECT_EQ(creep_of(values, {released("c1", "v1.0", 30), accepted(1000, 20)})->release, "v1.0");
}

TEST(Creep, HoldsNoCommitToBlameForOtherConditions) {
  std::vector<CountPoint> points = points_of({1000, 1004, 1013, 1014});
  points[2].condition = points[3].condition = 1;  // another C library
  const auto creep = judge_creep({points});
  ASSERT_TRUE(creep);
  EXPECT_THAT(commits_of(*creep), ElementsAre("c1", "c3"));
  EXPECT_FALSE(creep->beyond);
  EXPECT_DOUBLE_EQ(creep->accepted, 1000 * (1013.0 / 1004)) << "the accepted level is carried along";
}

TEST(Creep, HoldsNoCommitToBlameForTwoCountsOfOne) {
  std::vector<CountPoint> points = points_of({1000, 1005, 1008, 1010});
  points[2].commit = points[1].commit;
  const auto creep = judge_creep({points});
  EXPECT_THAT(commits_of(*creep), ElementsAre("c1", "c3"));
}

TEST(Creep, IsNotMadeOfJitter) {
  CreepQuestion question{points_of({1000, 1003, 999, 1002, 1001, 1012})};
  question.rules.jitter = 0.005;
  const auto creep = judge_creep(question);
  ASSERT_TRUE(creep);
  EXPECT_TRUE(creep->steps.empty()) << "the last one is large: it is judged by itself";
  EXPECT_FALSE(creep->beyond);
}

TEST(Creep, IsWorseWhereMoreIsBetter) {
  CreepQuestion question{points_of({1000, 995, 990, 985})};
  question.better = Better::higher;
  EXPECT_TRUE(judge_creep(question)->beyond);
  question.better = Better::lower;
  EXPECT_FALSE(judge_creep(question)->beyond) << "it got better";
}

TEST(Creep, IsUnknownWhereNothingCanBeAddedUp) {
  EXPECT_FALSE(creep_of({}));
  EXPECT_FALSE(creep_of({1000}));
  EXPECT_FALSE(creep_of({0, 1000}));
  CreepQuestion question{points_of({1000, 1004})};
  question.better = Better::undeclared;
  EXPECT_FALSE(judge_creep(question));
  question.better = Better::lower;
  question.rules.effect = 0;
  EXPECT_FALSE(judge_creep(question)) << "every step is judged by itself";
}

TEST(Creep, ThatWasKeptIsConcludedAgain) {
  Creep kept = *creep_of({1000, 1004, 1008, 1012});
  const Creep before = kept;
  kept.ratio = 7;
  kept.beyond = false;
  conclude(kept, Better::lower);
  EXPECT_EQ(kept, before);
  kept.steps = {{"c1", 1200, 1.2}};
  kept.accepted = 1000;
  kept.level = 1200;
  kept.effect = 0.2;
  conclude(kept, Better::lower);
  EXPECT_TRUE(kept.beyond);
  conclude(kept, Better::lower, Rules::rounds_6);
  EXPECT_FALSE(kept.beyond) << "as it was concluded then";
}

TEST(Creep, IsLookedForInRowsThatGotWorseByTooLittleToFail) {
  ComparisonRow row;
  row.metric = *well_known_metric(kInstructions);
  row.baseline = 1000;
  row.candidate = 1004;
  row.ratio = 1.004;
  row.verdict = Verdict::regression;
  EXPECT_TRUE(may_creep({}, row));
  row.verdict = Verdict::improvement;
  EXPECT_FALSE(may_creep({}, row));
  row.verdict = Verdict::regression;
  row.ratio = 1.02;
  EXPECT_FALSE(may_creep({}, row)) << "judged by itself";
  row.ratio = 1.004;
  row.metric = *well_known_metric(kRealTime);
  EXPECT_FALSE(may_creep({}, row));
  ComparisonPolicy policy;
  policy.gates = {"real_time"};
  row.metric = *well_known_metric(kInstructions);
  EXPECT_FALSE(may_creep(policy, row)) << "it does not gate at any size";
}

}  // namespace
}  // namespace steelyard::regress::creep_test
