#include "regress/targets/find_ceiling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard::regress {
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

std::vector<DeviceCeilings> device_with_both() {
  auto devices = sample::ceilings();
  DeviceCeilings& gpu = devices[1];
  gpu.sheet = "A100 40G";
  gpu.device = "NVIDIA A100-SXM4-40GB";
  for (Ceiling& ceiling : gpu.ceilings) {
    if (ceiling.kind == CeilingKind::arithmetic) ceiling.at_clock_hz = 1.4e9;
  }
  gpu.ceilings.push_back(sample::arithmetic("bf16", 0, 250e12));
  gpu.ceilings.push_back(sample::bandwidth("DRAM", "copy", 0, 1400e9));
  return devices;
}

TEST(FindCeiling, OfADeviceTheSheetsComesFirstAndTheMeasuredOneWhereItIsAskedFor) {
  const auto devices = device_with_both();
  CeilingChoice choice;
  choice.device = "NVIDIA A100-SXM4-40GB";
  choice.dtype = "bf16";
  EXPECT_EQ(find_arithmetic(devices, choice).ceiling->value, 312e12);
  EXPECT_EQ(find_bandwidth(devices, choice).ceiling->value, 1555e9);
  choice.source = "measured";
  EXPECT_EQ(find_arithmetic(devices, choice).ceiling->value, 250e12);
  EXPECT_EQ(name_of(*find_bandwidth(devices, choice).ceiling), "DRAM copy, measured");
  auto without_sheet = devices;
  std::erase_if(without_sheet[1].ceilings, [](const Ceiling& c) { return c.source == "datasheet"; });
  choice.source = "";
  EXPECT_EQ(find_arithmetic(without_sheet, choice).ceiling->value, 250e12);
  choice.source = "datasheet";
  EXPECT_THAT(find_arithmetic(without_sheet, choice).why_none, HasSubstr("no datasheet with a ceiling of bf16"));
  EXPECT_THAT(find_bandwidth(without_sheet, choice).why_none, HasSubstr("no datasheet"));
}

TEST(FindCeiling, OfAnAccessAMeasuredOneIsNotTakenForADatasheets) {
  CeilingChoice choice;
  choice.device = "NVIDIA A100-SXM4-40GB";
  choice.access = "copy";
  EXPECT_EQ(name_of(*find_bandwidth(device_with_both(), choice).ceiling), "DRAM copy, measured");
  choice.source = "datasheet";
  EXPECT_THAT(find_bandwidth(device_with_both(), choice).why_none,
              HasSubstr("no datasheet with a ceiling of DRAM copy"));
}

TEST(FindCeiling, ScalesArithmeticWithTheClockAndNothingElse) {
  const auto devices = device_with_both();
  CeilingChoice choice;
  choice.device = "NVIDIA A100-SXM4-40GB";
  choice.dtype = "bf16";
  choice.clock_hz = 0.7e9;
  const Ceiling scaled = *find_arithmetic(devices, choice).ceiling;
  EXPECT_DOUBLE_EQ(scaled.value, 156e12);
  EXPECT_EQ(name_of(scaled), "bf16 at 0.70 GHz, datasheet");
  EXPECT_EQ(find_bandwidth(devices, choice).ceiling->value, 1555e9);
  choice.source = "measured";
  EXPECT_EQ(find_arithmetic(devices, choice).ceiling->value, 250e12) << "at an unknown clock";
  choice.source = "";
  choice.clock_hz = 1;
  EXPECT_EQ(find_arithmetic(devices, choice).ceiling->value, 312e12) << "no clock of any device";
}

TEST(NamesOfDevice, AreItsOwnAndTheSheets) {
  BenchmarkId id = parse_google_benchmark_name("x");
  EXPECT_TRUE(names_of_device(id, device_with_both()).empty());
  id.device = "NVIDIA A100-SXM4-40GB";
  EXPECT_EQ(names_of_device(id, device_with_both()), (std::vector<std::string>{"NVIDIA A100-SXM4-40GB", "A100 40G"}));
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
}  // namespace steelyard::regress
