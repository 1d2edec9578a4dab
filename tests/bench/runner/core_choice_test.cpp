#include "bench/runner/core_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::core_choice_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Core core(int number, int physical, std::int64_t capacity = 0, int package = 0) {
  return {number, package, physical, capacity, 0};
}

TEST(ChooseCores, TakesTheLastTwoOfEqualCores) {
  const CoreChoice choice = choose_cores({core(0, 0), core(1, 1), core(2, 2), core(3, 3)}, {});
  EXPECT_TRUE(choice.two_equal);
  EXPECT_THAT(choice.cores, ElementsAre(2, 3));
  EXPECT_EQ(choice.why_not_two, "");
}

TEST(ChooseCores, TakesNoTwoThreadsOfOneCoreWhereThereAreTwoCores) {
  const CoreChoice choice = choose_cores({core(0, 0), core(1, 0), core(2, 1), core(3, 1)}, {});
  EXPECT_TRUE(choice.two_equal);
  EXPECT_THAT(choice.cores, ElementsAre(0, 2));
  EXPECT_FALSE(choice.one_physical);
}

TEST(ChooseCores, TakesTwoThreadsOfOneCoreOnlyWhenAsked) {
  const std::vector<Core> threads{core(0, 0), core(1, 0)};
  const CoreChoice refused = choose_cores(threads, {});
  EXPECT_FALSE(refused.two_equal);
  EXPECT_EQ(refused.why_not_two, "the usable cores are threads of one physical core");
  CoreChoiceOptions asked;
  asked.accept_threads_of_one_core = true;
  const CoreChoice accepted = choose_cores(threads, asked);
  EXPECT_TRUE(accepted.two_equal);
  EXPECT_TRUE(accepted.one_physical);
  EXPECT_THAT(accepted.cores, ElementsAre(0, 1));
}

TEST(ChooseCores, PairsNoBigCoreWithALittleOne) {
  const CoreChoice unequal = choose_cores({core(0, 0, 400), core(1, 1, 1024)}, {});
  EXPECT_FALSE(unequal.two_equal);
  EXPECT_EQ(unequal.why_not_two, "the usable cores are not equal");
  EXPECT_THAT(unequal.cores, ElementsAre(1));
  const CoreChoice fast = choose_cores({core(0, 0, 400), core(1, 1, 1024), core(2, 2, 400), core(3, 3, 1024)}, {});
  EXPECT_THAT(fast.cores, ElementsAre(1, 3));
}

TEST(ChooseCores, PairsNoCoresOfTwoPackages) {
  EXPECT_FALSE(choose_cores({core(0, 0, 0, 0), core(1, 0, 0, 1)}, {}).two_equal);
}

TEST(ChooseCores, SaysWhyOneCoreIsAllThereIs) {
  const CoreChoice one = choose_cores({core(5, 5)}, {});
  EXPECT_EQ(one.why_not_two, "only one core is usable");
  EXPECT_THAT(one.cores, ElementsAre(5));
  const CoreChoice none = choose_cores({}, {});
  EXPECT_FALSE(none.two_equal);
  EXPECT_THAT(none.cores, IsEmpty());
  EXPECT_NE(none.why_not_two, "");
}

TEST(ChooseCores, CountsAQuotaBelowTwoCoresAsOne) {
  const std::vector<Core> two{core(0, 0), core(1, 1)};
  CoreChoiceOptions options;
  options.quota = 1.5;
  EXPECT_EQ(choose_cores(two, options).why_not_two, "the control group allows 1.5 cores");
  options.quota = 2;
  EXPECT_TRUE(choose_cores(two, options).two_equal);
}

TEST(ReadAllowedCores, ReadsTheMaskAndTheTopology) {
  const testkit::TemporaryFolder root;
  const auto write = [&](const std::string& file, const std::string& content) {
    std::filesystem::create_directories((root.path() / file).parent_path());
    root.write(file, content, false);
  };
  write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t1,3\nMems_allowed_list:\t0\n");
  write("sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n");
  write("sys/devices/system/cpu/cpu1/topology/core_id", "7\n");
  write("sys/devices/system/cpu/cpu1/cpu_capacity", "1024\n");
  write("sys/devices/system/cpu/cpu3/topology/core_id", "-1\n");
  const auto cores = read_allowed_cores(root.path());
  ASSERT_EQ(cores.size(), 2U);
  EXPECT_EQ(cores[0].number, 1);
  EXPECT_EQ(cores[0].physical, 7);
  EXPECT_EQ(cores[0].capacity, 1024);
  EXPECT_EQ(cores[1].number, 3);
  EXPECT_EQ(cores[1].physical, 3);
}

TEST(ReadAllowedCores, FindsAtLeastTheCoreThisTestRunsOn) { EXPECT_FALSE(read_allowed_cores().empty()); }

}  // namespace
}  // namespace steelyard::bench::core_choice_test
