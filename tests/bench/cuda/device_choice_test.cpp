#include "bench/cuda/device_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace steelyard::cuda::device_choice_test {
namespace {

using ::testing::HasSubstr;

DeviceProperties device(int index, const std::string& uuid) {
  DeviceProperties properties;
  properties.index = index;
  properties.name = "Made-Up 100";
  properties.uuid = uuid;
  properties.capability_major = 9;
  properties.max_sm_clock_hz = 1'980'000'000;
  return properties;
}

const std::vector<DeviceProperties> kTwo{device(0, "GPU-aaaa1111"), device(1, "MIG-aabb2222")};

std::string fact(const Facts& facts, const std::string& key) {
  const auto at = std::find_if(facts.begin(), facts.end(), [&](const auto& entry) { return entry.first == key; });
  return at == facts.end() ? "absent" : at->second;
}

TEST(DeviceChoice, NoDriverAndAnOldOneAreSaidApart) {
  EXPECT_THAT(driver_fault({.driver = 0, .runtime = 13000}), HasSubstr("no NVIDIA driver, this program needs one"));
  EXPECT_THAT(driver_fault({.driver = 12080, .runtime = 13000}),
              HasSubstr("a driver for CUDA 12.8, this program needs one for CUDA 13.0"));
}

TEST(DeviceChoice, AnOlderDriverOfTheSameMajorVersionWillDo) {
  EXPECT_EQ(driver_fault({.driver = 13000, .runtime = 13010}), "");
  EXPECT_EQ(driver_fault({.driver = 13020, .runtime = 12040}), "");
}

TEST(DeviceChoice, TakesANumberOrTheBeginningOfAUuid) {
  EXPECT_EQ(choose_device(kTwo, "")->index, 0);
  EXPECT_EQ(choose_device(kTwo, "1")->index, 1);
  EXPECT_EQ(choose_device(kTwo, "GPU-")->index, 0);
  EXPECT_EQ(choose_device(kTwo, "aab")->index, 1);
}

TEST(DeviceChoice, NoneAndSeveralAreErrorsThatListWhatThereIs) {
  const auto none = choose_device(kTwo, "7");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("no device has"));
  EXPECT_THAT(none.error().text(), HasSubstr("MIG-aabb2222"));
  const auto several = choose_device(kTwo, "aa");
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().text(), HasSubstr("several devices have"));
  EXPECT_FALSE(choose_device({}, ""));
}

TEST(DeviceChoice, WhatNvmlTellsGoesBeforeWhatTheRuntimeDoes) {
  DeviceSettings settings;
  settings.ecc = true;
  settings.power_limit_watts = 700;
  settings.max_sm_clock_hz = 1.755e9;
  settings.clock_policy = "default";
  const Facts facts = device_facts(kTwo[0], {.driver = 13000, .runtime = 13000}, settings, "580.65.06");
  EXPECT_EQ(fact(facts, "gpu.driver"), "580.65.06");
  EXPECT_EQ(fact(facts, "gpu.ecc"), "on");
  EXPECT_EQ(fact(facts, "gpu.power_limit_watts"), "700");
  EXPECT_EQ(fact(facts, "gpu.max_sm_clock_hz"), "1755000000");
  EXPECT_EQ(fact(facts, "gpu.mig"), "off");
  EXPECT_EQ(fact(facts, "gpu.clock_policy"), "default");
}

TEST(DeviceChoice, WhatNobodyTellsIsLeftOut) {
  const Facts facts = device_facts(kTwo[1], {.driver = 13000, .runtime = 13000}, {}, std::nullopt);
  EXPECT_EQ(fact(facts, "gpu.power_limit_watts"), "absent");
  EXPECT_EQ(fact(facts, "gpu.max_memory_clock_hz"), "absent");
  EXPECT_EQ(fact(facts, "gpu.clock_policy"), "absent");
  EXPECT_EQ(fact(facts, "gpu.driver"), "for CUDA 13.0");
  EXPECT_EQ(fact(facts, "gpu.max_sm_clock_hz"), "1980000000");
  EXPECT_EQ(fact(facts, "gpu.mig"), "MIG-aabb2222") << "two instances of one device differ";
}

TEST(DeviceChoice, ReadingsBecomeTheHottestTheMeanPowerAndEveryReasonOnce) {
  DeviceState cool;
  cool.temperature_celsius = 50;
  cool.power_watts = 400;
  DeviceState hot;
  hot.temperature_celsius = 61;
  hot.power_watts = 425;
  hot.held_back_by = {"power cap", "heat"};
  EXPECT_EQ(state_text({cool, hot, hot}), "61 C, 417 W, clocks held back by power cap and heat");
  EXPECT_EQ(state_text({DeviceState{}}), "");
  EXPECT_EQ(state_text({}), "");
}

}  // namespace
}  // namespace steelyard::cuda::device_choice_test
