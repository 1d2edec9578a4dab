#include "bench/environment/cgroup_limits.hpp"

#include <gtest/gtest.h>

namespace steelyard::bench::cgroup_limits_test {
namespace {

CgroupLimits limits_of(const std::string& fixture) {
  return read_cgroup_limits(std::filesystem::path(STEELYARD_FIXTURE) / fixture);
}

TEST(CgroupLimits, AreTheLeastOfTheGroupAndThoseAboveIt) {
  EXPECT_EQ(limits_of("virtual_machine"), (CgroupLimits{1.5, std::int64_t{4} << 30}));
}

TEST(CgroupLimits, AreReadFromTheFirstVersionToo) {
  EXPECT_EQ(limits_of("arm"), (CgroupLimits{0.5, std::int64_t{256} << 20}));
}

TEST(CgroupLimits, AreAbsentWhereNoneIsSet) {
  EXPECT_EQ(limits_of("bare_metal"), CgroupLimits{});
  EXPECT_EQ(limits_of("garbled"), CgroupLimits{});
}

TEST(CgroupThrottling, IsThatOfTheGroupHeldBackMost) {
  const std::filesystem::path folder = STEELYARD_FIXTURE;
  EXPECT_EQ(read_cgroup_throttling(folder / "container"), (CgroupThrottling{4000, 1300}));
  EXPECT_EQ(read_cgroup_throttling(folder / "bare_metal"), std::nullopt);
}

}  // namespace
}  // namespace steelyard::bench::cgroup_limits_test
