#include "bench/cuda/device_suite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/cuda/device_options.hpp"

namespace steelyard::cuda::device_suite_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::unique_ptr<Workload> none(const AxisPoint&) { return nullptr; }

std::vector<std::string> names_of(const Result<std::vector<DeviceCase>>& cases) {
  std::vector<std::string> names;
  if (!cases) return {"error: " + cases.error().text()};
  for (const DeviceCase& one : *cases) names.push_back(one.name);
  return names;
}

DeviceSuite add_and_copy() {
  DeviceSuite suite;
  suite.add("add", none).power_of_two("n", 10, 11).strings("dtype", {"bf16", "f32"}).target([](const AxisPoint& at) {
    return at.text("dtype") == "bf16" ? std::string("0.9 of bandwidth") : std::string();
  });
  suite.add("copy", none).integers("n", {7}).large();
  return suite;
}

TEST(DeviceSuite, NamesListTheAxesInTheOrderOfTheirNames) {
  EXPECT_THAT(names_of(add_and_copy().cases()), ElementsAre("add/dtype:bf16/n:1024", "add/dtype:bf16/n:2048",
                                                            "add/dtype:f32/n:1024", "add/dtype:f32/n:2048"));
}

TEST(DeviceSuite, LargeBenchmarksAreThereOnlyWhenAskedFor) {
  EXPECT_THAT(names_of(add_and_copy().cases({.large = true, .axes = {}})), ::testing::Contains("copy/n:7"));
  EXPECT_THAT(names_of(add_and_copy().cases()), ::testing::Not(::testing::Contains("copy/n:7")));
}

TEST(DeviceSuite, PointsMayBeLargeAlone) {
  DeviceSuite suite;
  suite.add("add", none).integers("n", {1, 2}).large([](const AxisPoint& at) { return at.integer("n") > 1; });
  EXPECT_THAT(names_of(suite.cases()), ElementsAre("add/n:1"));
}

TEST(DeviceSuite, ATargetMayDependOnThePoint) {
  const auto cases = add_and_copy().cases();
  ASSERT_TRUE(cases);
  EXPECT_EQ((*cases)[0].target, "0.9 of bandwidth");
  EXPECT_EQ((*cases)[2].target, "");
}

TEST(DeviceSuite, AnOverrideReplacesTheValuesOfItsAxis) {
  const CaseChoice choice{.large = false, .axes = {*parse_axis_override("n=[12:12:1]")}};
  EXPECT_THAT(names_of(add_and_copy().cases(choice)), ElementsAre("add/dtype:bf16/n:4096", "add/dtype:f32/n:4096"));
}

TEST(DeviceSuite, AnOverrideOfAnAxisThatNobodyHasIsAnError) {
  const auto cases = add_and_copy().cases({.large = false, .axes = {*parse_axis_override("rows=1")}});
  ASSERT_FALSE(cases);
  EXPECT_THAT(cases.error().text(), HasSubstr("rows"));
}

TEST(DeviceSuite, TwoBenchmarksOfOneNameAreAnError) {
  DeviceSuite suite;
  suite.add("add", none);
  suite.add("add", none);
  ASSERT_FALSE(suite.cases());
}

TEST(DeviceSuite, TheFirstNeedThatIsUnmetIsTheReason) {
  DeviceSuite suite;
  suite.add("add", none)
      .needs([](const DeviceProperties&, const AxisPoint&) { return std::string(); })
      .needs([](const DeviceProperties& device, const AxisPoint&) { return "has " + device.capability_text(); });
  const auto cases = suite.cases();
  ASSERT_TRUE(cases);
  DeviceProperties device;
  device.capability_major = 8;
  EXPECT_EQ(cases->front().unmet_need(device), "has 8.0");
}

TEST(DeviceSuite, AFilterMatchesAnywhereAndCanBeTurnedRound) {
  EXPECT_THAT(names_of(matching(*add_and_copy().cases(), "f32/n:1")), ElementsAre("add/dtype:f32/n:1024"));
  EXPECT_THAT(names_of(matching(*add_and_copy().cases(), "-bf16|2048")), ElementsAre("add/dtype:f32/n:1024"));
  EXPECT_THAT(names_of(matching(*add_and_copy().cases(), "nothing")), IsEmpty());
  const Result<std::vector<DeviceCase>> refused = matching(*add_and_copy().cases(), "-(");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().found, HasSubstr("\"-(\", which is"));
}

}  // namespace
}  // namespace steelyard::cuda::device_suite_test
