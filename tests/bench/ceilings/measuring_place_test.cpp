#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "bench/ceilings/measuring_place.hpp"

namespace steelyard::bench::measuring_place_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PlaceToMeasure : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-place-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-3\n");
    write("proc/meminfo", "MemTotal: 99 kB\nMemAvailable:    8388608 kB\n");
    write("proc/loadavg", "0.02 0.00 0.00 1/100 4711\n");
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void write_topology(int core, int physical) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/";
    write(folder + "physical_package_id", "0\n");
    write(folder + "core_id", std::to_string(physical) + "\n");
  }
  std::filesystem::path root_;
};

TEST_F(PlaceToMeasure, IsEveryAllowedCoreTheLastFirst) {
  const MeasuringPlace place = find_measuring_place(root_);
  EXPECT_THAT(place.cores, ElementsAre(3, 2, 1, 0));
  EXPECT_EQ(place.memory_bytes, std::int64_t{2} << 30);
  EXPECT_THAT(place.notes, IsEmpty());
}

TEST_F(PlaceToMeasure, TakesOneThreadOfEachCore) {
  for (int core = 0; core < 4; ++core) write_topology(core, core % 2);
  const MeasuringPlace place = find_measuring_place(root_);
  EXPECT_THAT(place.cores, ElementsAre(1, 0));
  EXPECT_THAT(place.notes, ElementsAre(HasSubstr("the other 2 hardware threads")));
}

TEST_F(PlaceToMeasure, PutsBigCoresBeforeLittleOnes) {
  for (int core = 0; core < 4; ++core) {
    write("sys/devices/system/cpu/cpu" + std::to_string(core) + "/cpu_capacity", core < 2 ? "1024\n" : "400\n");
  }
  EXPECT_THAT(find_measuring_place(root_).cores, ElementsAre(1, 0, 3, 2));
}

TEST_F(PlaceToMeasure, KeepsToTheQuotaInWholeCores) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "250000 100000\n");
  write("sys/fs/cgroup/memory.max", "1073741824\n");
  const MeasuringPlace place = find_measuring_place(root_);
  EXPECT_THAT(place.cores, ElementsAre(3, 2));
  EXPECT_EQ(place.memory_bytes, std::int64_t{256} << 20);
  EXPECT_THAT(place.notes, ElementsAre(HasSubstr("allows 2.50 of 4 cores")));
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  const MeasuringPlace slow = find_measuring_place(root_);
  EXPECT_THAT(slow.cores, ElementsAre(3));
  EXPECT_THAT(slow.notes, ElementsAre(HasSubstr("even one is slowed")));
}

TEST_F(PlaceToMeasure, WarnsOfAMachineThatIsBusy) {
  write("proc/loadavg", "1.50 0.90 0.70 2/100 4711\n");
  EXPECT_THAT(find_measuring_place(root_).notes, ElementsAre(HasSubstr("busy before (load 1.50")));
}

TEST_F(PlaceToMeasure, AnAbsentProcIsSaidAndLeavesOneThread) {
  const MeasuringPlace place = find_measuring_place(root_ / "nowhere");
  EXPECT_THAT(place.cores, ElementsAre(-1));
  EXPECT_EQ(place.memory_bytes, std::int64_t{256} << 20);
  EXPECT_THAT(place.notes, Contains(HasSubstr("proc/self/status does not say")));
  EXPECT_THAT(place.notes, Contains(HasSubstr("proc/meminfo cannot be read")));
}

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

}  // namespace steelyard::bench::measuring_place_test
