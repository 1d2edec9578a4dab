#include "bench/ceilings/working_sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kMib = 1024 * kKib;
constexpr std::int64_t kPlenty = 4096 * kMib;

// Two cores that share an L3 of 32 MiB.
CacheLevels pair() { return {{{1, 48 * kKib, {0}}, {2, kMib, {0}}, {3, 32 * kMib, {0, 1}}}, ""}; }

TEST(WorkingSets, OneThreadHasEachLevelToItself) {
  const WorkingSetPlan plan = plan_working_sets(pair(), {{0}, kPlenty});
  const std::vector<WorkingSet> wanted{{"L1", 36 * kKib}, {"L2", 512 * kKib}, {"L3", 8 * kMib}, {"DRAM", 384 * kMib}};
  EXPECT_EQ(plan.sets, wanted);
  EXPECT_TRUE(plan.absent.empty());
  EXPECT_EQ(plan.note, "");
}

TEST(WorkingSets, ThreadsThatShareACacheHaveAPartOfIt) {
  const WorkingSetPlan plan = plan_working_sets(pair(), {{0, 1}, kPlenty});
  const std::vector<WorkingSet> wanted{{"L1", 36 * kKib}, {"L2", 512 * kKib}, {"L3", 8 * kMib}, {"DRAM", 192 * kMib}};
  EXPECT_EQ(plan.sets, wanted);
}

TEST(WorkingSets, EveryLastLevelCacheCountsForTheMemory) {
  // Two groups of two cores, an L3 each; nobody shares across.
  const WorkingSetPlan plan = plan_working_sets(pair(), {{0, 1, 8, 9}, kPlenty});
  EXPECT_EQ(plan.sets.back(), (WorkingSet{"DRAM", 192 * kMib}));
}

TEST(WorkingSets, ACacheWhoseShareIsHardlyLargerThanTheOneBelowIsAbsentWithItsReason) {
  CacheLevels caches{{{1, 48 * kKib, {0}}, {2, 2 * kMib, {0}}, {3, 30 * kMib, {}}}, ""};
  for (int core = 0; core < 16; ++core) caches.levels[2].cores.push_back(core);
  const WorkingSetPlan plan = plan_working_sets(caches, {caches.levels[2].cores, kPlenty});
  for (const WorkingSet& set : plan.sets) EXPECT_NE(set.level, "L3");
  ASSERT_EQ(plan.absent.size(), 1U);
  EXPECT_EQ(plan.absent[0].what, "L3/threads:16");
  EXPECT_THAT(plan.absent[0].reason, HasSubstr("960 KiB, is less than twice the cache below, 2 MiB"));
}

TEST(WorkingSets, LittleMemoryIsSaid) {
  const WorkingSetPlan plan = plan_working_sets(pair(), {{0}, 100 * kMib});
  EXPECT_EQ(plan.sets.back(), (WorkingSet{"DRAM", 100 * kMib}));
  EXPECT_THAT(plan.note, HasSubstr("goes through 100 MiB, where 384 MiB"));
}

TEST(WorkingSets, MemoryThatTheCachesHoldIsNotMeasured) {
  const WorkingSetPlan plan = plan_working_sets(pair(), {{0}, 40 * kMib});
  EXPECT_NE(plan.sets.back().level, "DRAM");
  ASSERT_EQ(plan.absent.size(), 1U);
  EXPECT_EQ(plan.absent[0].what, "DRAM/threads:1");
}

TEST(WorkingSets, AGuessedFirstLevelStillLeavesTheMemory) {
  const WorkingSetPlan plan = plan_working_sets({{{1, 32 * kKib, {}}}, "guessed"}, {{0, 1}, kPlenty});
  const std::vector<WorkingSet> wanted{{"L1", 24 * kKib}, {"DRAM", 32 * kMib}};
  EXPECT_EQ(plan.sets, wanted);
}

}  // namespace
}  // namespace steelyard
