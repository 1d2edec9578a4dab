#include "bench/runner/disturbance.hpp"

#include <gtest/gtest.h>

namespace steelyard::bench::core_times_test {
namespace {

constexpr const char* kStat =
    "cpu  30 2 8 100 4 1 1 6 0 0\n"
    "cpu0 10 1 3 50 2 0 1 2 0 0\n"
    "cpu1 20 1 5 50 2 1 0 4 0 0\n"
    "cpu10 7 7\n"
    "intr 1 2 3\n";
constexpr std::int64_t kTick = 10'000'000;

TEST(CoreTimes, AreThoseOfTheCoreAskedFor) {
  const auto times = core_times_in(kStat, 1, kTick);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->busy_ns, (20 + 1 + 5 + 1 + 0) * kTick);
  EXPECT_EQ(times->steal_ns, 4 * kTick);
}

TEST(CoreTimes, OfNoCoreAreThoseOfAllTogether) {
  const auto times = core_times_in(kStat, -1, kTick);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->steal_ns, 6 * kTick);
}

TEST(CoreTimes, AreAbsentWhereTheKernelDoesNotTell) {
  EXPECT_FALSE(core_times_in(kStat, 7, kTick));
  EXPECT_FALSE(core_times_in(kStat, 10, kTick));  // too few columns
  EXPECT_FALSE(core_times_in("", 0, kTick));
  EXPECT_FALSE(core_times_in("cpu0 1 2 3 x 5 6 7 8\n", 0, kTick));
  EXPECT_FALSE(core_times_in("cpu0 1 2 3 -4 5 6 7 8\n", 0, kTick));
  EXPECT_FALSE(read_core_times(0, "/nonexistent"));
  EXPECT_FALSE(core_times_in("cpu0 9223372036854775807 1 1 1 1 1 1 1\n", 0, kTick)) << "no sum of it is a number";
  EXPECT_FALSE(core_times_in("cpu0 1 1 1 1 1 1 1 999999999999\n", 0, kTick)) << "nor in nanoseconds";
}

TEST(Migrations, AreReadFromTheSchedulersPage) {
  EXPECT_EQ(migrations_in("cat (1, #threads: 1)\n----\nse.vruntime   :  1.5\nse.nr_migrations     :      12\n"), 12);
  EXPECT_FALSE(migrations_in("nr_switches : 4\n"));
  EXPECT_FALSE(migrations_in("se.nr_migrations 12\n"));
  EXPECT_FALSE(migrations_in("se.nr_migrations : 99999999999999999999\n")) << "more than a number holds";
  EXPECT_FALSE(migrations_in("se.nr_migrations : -1\n"));
  EXPECT_EQ(migrations_in("se.nr_migrations : 3"), 3) << "where the page ends";
}

}  // namespace
}  // namespace steelyard::bench::core_times_test
