#include "bench/environment/core_clock.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace steelyard::bench::core_clock_test {
namespace {

TEST(CoreClock, OfACoreThatIsNotThereIsAbsent) {
  EXPECT_FALSE(core_clock_mhz(-1));
  EXPECT_FALSE(core_clock_mhz(CPU_SETSIZE));
  EXPECT_FALSE(core_clock_mhz(CPU_SETSIZE - 1));
}

TEST(CoreClock, LeavesTheThreadWhereItMayRun) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  (void)core_clock_mhz(::sched_getcpu());
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

#if defined(__x86_64__) || defined(__aarch64__)
// No core of the last twenty years ran slower than 100 MHz or faster than 20 GHz; a wrong number of additions would be
// off by far more.
TEST(CoreClock, IsOneThatACoreCouldHave) {
  const auto mhz = clock_mhz_here(milliseconds(2));
  ASSERT_TRUE(mhz);
  EXPECT_GT(*mhz, 100);
  EXPECT_LT(*mhz, 20000);
}
#endif

}  // namespace
}  // namespace steelyard::bench::core_clock_test
