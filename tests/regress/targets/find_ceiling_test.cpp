#include "regress/targets/find_ceiling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

TEST(CeilingChoice, SaysWhatTheBenchmarkIsAndWhatItsTargetsDeclare) {
  BenchmarkId id = parse_google_benchmark_name("gemv/f32/threads:2");
  const CeilingChoice own = ceiling_choice(id, {});
  EXPECT_EQ(own.device, "CPU");
  EXPECT_EQ(own.level, "DRAM");
  EXPECT_EQ(own.access, "");
  EXPECT_EQ(own.dtype, "f32");
  EXPECT_EQ(own.threads, 2);
  Target first;
  first.level = "L2";
  Target second;
  second.level = "L1";
  second.dtype = "bf16";
  second.threads = 4;
  const CeilingChoice declared = ceiling_choice(id, {first, second});
  EXPECT_EQ(declared.level, "L2") << "the first that says it";
  EXPECT_EQ(declared.dtype, "bf16");
  EXPECT_EQ(declared.threads, 4);
}

TEST(FindBandwidth, TakesTheFastestAccessOfTheLevelAtTheThreads) {
  const auto devices = sample::ceilings();
  EXPECT_EQ(find_bandwidth(devices, {}).ceiling->value, 12e9);
  CeilingChoice choice;
  choice.threads = 2;
  EXPECT_EQ(find_bandwidth(devices, choice).ceiling->value, 20e9);
  choice.access = "triad";
  EXPECT_EQ(find_bandwidth(devices, choice).ceiling->value, 18e9);
  choice.level = "L2";
  EXPECT_THAT(find_bandwidth(devices, choice).why_none, HasSubstr("the access triad is known, only of read"));
}

TEST(FindArithmetic, TakesTheDtypeAtTheThreads) {
  CeilingChoice choice;
  choice.dtype = "f64";
  EXPECT_EQ(find_arithmetic(sample::ceilings(), choice).ceiling->value, 60e9);
}

TEST(FindCeiling, WhatIsUnknownIsNotGuessed) {
  const auto devices = sample::ceilings();
  CeilingChoice choice;
  EXPECT_FALSE(find_arithmetic(devices, choice).ceiling) << "no dtype";
  EXPECT_THAT(find_arithmetic(devices, choice).why_none, HasSubstr("declare dtype"));
  choice.dtype = "bf16";
  EXPECT_THAT(find_arithmetic(devices, choice).why_none,
              HasSubstr("ceiling of bf16 is known of this device, only of f32, f64"));
  choice.dtype = "f32";
  choice.threads = 3;
  EXPECT_THAT(find_arithmetic(devices, choice).why_none, HasSubstr("measured with 1, 2 threads, not with 3"));
  EXPECT_THAT(find_bandwidth(devices, choice).why_none, HasSubstr("measured with 1, 2 threads, not with 3"));
  choice.level = "L3";
  EXPECT_THAT(find_bandwidth(devices, choice).why_none,
              HasSubstr("no bandwidth of L3 is known of this device, only of"));
  choice.device = "abacus";
  EXPECT_THAT(find_bandwidth(devices, choice).why_none, HasSubstr("the device \"abacus\""));
  EXPECT_THAT(find_bandwidth({}, {}).why_none, HasSubstr("`steelyard targets ceilings` measures them"));
}

TEST(FindCeiling, ADevicesOwnCeilingHoldsForAnyNumberOfThreads) {
  CeilingChoice choice;
  choice.device = "A100 40G";
  choice.dtype = "bf16";
  choice.threads = 7;
  EXPECT_EQ(find_arithmetic(sample::ceilings(), choice).ceiling->value, 312e12);
}

TEST(FindCeiling, OneThatIsNoRateIsNone) {
  auto devices = sample::ceilings();
  for (Ceiling& ceiling : devices[0].ceilings) ceiling.value = 0;
  EXPECT_THAT(find_bandwidth(devices, {}).why_none, HasSubstr("no rate above 0"));
}

TEST(NameOfCeiling, IsShort) {
  const auto devices = sample::ceilings();
  EXPECT_EQ(name_of(*find_bandwidth(devices, {}).ceiling), "DRAM read");
  CeilingChoice choice;
  choice.dtype = "f32";
  choice.threads = 2;
  EXPECT_EQ(name_of(*find_arithmetic(devices, choice).ceiling), "f32, 2 threads");
}

}  // namespace
}  // namespace steelyard
