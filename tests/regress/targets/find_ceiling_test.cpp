#include "regress/targets/find_ceiling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard::regress::find_ceiling_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

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
  const MissingCeiling missing = *find_bandwidth(devices, choice).missing;
  EXPECT_EQ(missing.why, MissingCeiling::Why::access);
  EXPECT_EQ(missing.access, "triad");
  EXPECT_THAT(missing.known, ElementsAre("read"));
}

TEST(FindArithmetic, TakesTheDtypeAtTheThreads) {
  CeilingChoice choice;
  choice.dtype = "f64";
  EXPECT_EQ(find_arithmetic(sample::ceilings(), choice).ceiling->value, 60e9);
}

TEST(FindCeiling, WhatIsUnknownIsNotGuessed) {
  using Why = MissingCeiling::Why;
  const auto devices = sample::ceilings();
  CeilingChoice choice;
  EXPECT_FALSE(find_arithmetic(devices, choice).ceiling) << "no dtype";
  EXPECT_EQ(find_arithmetic(devices, choice).missing->why, Why::unnamed);
  choice.dtype = "bf16";
  const MissingCeiling dtype = *find_arithmetic(devices, choice).missing;
  EXPECT_EQ(dtype.why, Why::name);
  EXPECT_EQ(dtype.kind, CeilingKind::arithmetic);
  EXPECT_EQ(dtype.name, "bf16");
  EXPECT_THAT(dtype.known, ElementsAre("f32", "f64"));
  choice.dtype = "f32";
  choice.threads = 3;
  for (const FoundCeiling& found : {find_arithmetic(devices, choice), find_bandwidth(devices, choice)}) {
    EXPECT_EQ(found.missing->why, Why::threads);
    EXPECT_EQ(found.missing->threads, 3);
    EXPECT_THAT(found.missing->known, ElementsAre("1", "2"));
  }
  choice.level = "L3";
  const MissingCeiling level = *find_bandwidth(devices, choice).missing;
  EXPECT_EQ(level.why, Why::name);
  EXPECT_EQ(level.name, "L3");
  EXPECT_THAT(level.known, Not(IsEmpty()));
  choice.device = "abacus";
  EXPECT_EQ(find_bandwidth(devices, choice).missing->why, Why::device);
  EXPECT_EQ(find_bandwidth(devices, choice).missing->device, "abacus");
  EXPECT_EQ(find_bandwidth({}, {}).missing->device, "CPU");
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
  EXPECT_EQ(find_bandwidth(devices, {}).missing->why, MissingCeiling::Why::rate);
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
  for (const FoundCeiling& found : {find_arithmetic(without_sheet, choice), find_bandwidth(without_sheet, choice)}) {
    EXPECT_EQ(found.missing->why, MissingCeiling::Why::source);
    EXPECT_EQ(found.missing->source, "datasheet");
  }
}

TEST(FindCeiling, OfAnAccessAMeasuredOneIsNotTakenForADatasheets) {
  CeilingChoice choice;
  choice.device = "NVIDIA A100-SXM4-40GB";
  choice.access = "copy";
  EXPECT_EQ(name_of(*find_bandwidth(device_with_both(), choice).ceiling), "DRAM copy, measured");
  choice.source = "datasheet";
  EXPECT_EQ(find_bandwidth(device_with_both(), choice).missing->why, MissingCeiling::Why::source);
}

TEST(FindCeiling, OfAnAccessThatNothingMeasuredIsSaidToBeUnmeasured) {
  auto only_sheet = device_with_both();
  for (DeviceCeilings& device : only_sheet)
    std::erase_if(device.ceilings, [](const Ceiling& c) { return c.source == "measured"; });
  CeilingChoice choice;
  choice.device = "NVIDIA A100-SXM4-40GB";
  choice.access = "read";
  choice.source = "measured";
  const MissingCeiling missing = *find_bandwidth(only_sheet, choice).missing;
  EXPECT_EQ(missing.why, MissingCeiling::Why::source);
  EXPECT_EQ(missing.access, "read");
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
}  // namespace steelyard::regress::find_ceiling_test
