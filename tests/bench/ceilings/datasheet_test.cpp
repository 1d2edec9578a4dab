// The table against itself: sheets print sparse rates beside dense ones, and copies of them mix up rows.
#include "bench/ceilings/datasheet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace steelyard::bench::datasheet_test {
namespace {

void expect_within(double value, double wanted, double part, std::string_view what, std::string_view device) {
  EXPECT_LE(std::abs(value - wanted), part * wanted) << device << ": " << what;
}

double value_of(const DeviceCeilings& device, const std::string& dtype) {
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.kind == CeilingKind::arithmetic && ceiling.dtype == dtype) return ceiling.value;
  }
  return 0;
}

double bandwidth_of(const DeviceCeilings& device) {
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.kind == CeilingKind::bandwidth) return ceiling.value;
  }
  return 0;
}

TEST(Datasheet, HalfPrecisionIsOneRateWhicheverTheFormat) {
  for (const DatasheetRow& row : datasheet_rows()) {
    if (row.bf16 > 0) {
      EXPECT_EQ(row.bf16, row.f16) << row.device;
    }
  }
}

TEST(Datasheet, EightBitsAreTwiceAsFastAsSixteen) {
  for (const DatasheetRow& row : datasheet_rows()) {
    const double half = row.bf16 > 0 ? row.bf16 : row.f16;
    // Its tensor cores add up in f32 at half their rate, in integers at the full one.
    const double integers = row.device == "RTX 4090" ? 4 : 2;
    if (row.f8 > 0) expect_within(row.f8, 2 * half, 0.02, "f8", row.device);
    if (row.i8 > 0) expect_within(row.i8, integers * half, 0.02, "i8", row.device);
    if (row.f8 > 0 && row.device != "RTX 4090") {
      EXPECT_EQ(row.f8, row.i8) << row.device;
    }
  }
}

TEST(Datasheet, Tf32IsHalfOfBf16) {
  for (const DatasheetRow& row : datasheet_rows()) {
    if (row.tf32 > 0) expect_within(row.tf32, row.bf16 / 2, 0.03, "tf32", row.device);
  }
}

TEST(Datasheet, TensorRateIsMultiprocessorsTimesClockTimesWidth) {
  int checked = 0;
  for (const DatasheetRow& row : datasheet_rows()) {
    if (row.tensor_clock_ghz == 0) continue;
    const double half = row.bf16 > 0 ? row.bf16 : row.f16;
    const double expected = row.multiprocessors * row.tensor_clock_ghz * row.operations_per_clock * 1e-3;
    expect_within(half, expected, 0.02, "16 bits", row.device);
    ++checked;
  }
  EXPECT_GE(checked, 12);
}

TEST(Datasheet, RidgesAreThoseThatAreKnown) {
  const std::map<std::string_view, double> known{{"V100 SXM2", 139},     {"T4", 203},           {"A100 40G", 201},
                                                 {"A100 80G PCIe", 161}, {"A100 80G SXM", 153}, {"L4", 403},
                                                 {"L40S", 419},          {"RTX 4090", 164},     {"H100 PCIe", 378},
                                                 {"H100 SXM", 295},      {"H200 SXM", 206},     {"B200", 292}};
  for (const auto& [device, ridge] : known) {
    const DatasheetRow* row = find_datasheet_row(device);
    ASSERT_NE(row, nullptr) << device;
    EXPECT_LE(std::abs(ridge_flops_per_byte(*row) - ridge), 1.0) << device;
  }
}

TEST(Datasheet, EveryRowNamesItsSourceAndNoTwoRowsShareAName) {
  std::set<std::string_view> devices;
  for (const DatasheetRow& row : datasheet_rows()) {
    EXPECT_GT(row.source.size(), 10U) << row.device;
    EXPECT_TRUE(devices.insert(row.device).second) << row.device;
    EXPECT_EQ(find_datasheet_row(row.device), &row);
    EXPECT_EQ(find_datasheet_row(row.names.substr(0, row.names.find('|'))), &row) << row.names;
    for (const Ceiling& ceiling : datasheet_ceilings(row).ceilings) {
      EXPECT_EQ(ceiling.source, row.source);
      EXPECT_EQ(ceiling.threads, 0);
      EXPECT_FALSE(ceiling.low);
    }
  }
}

TEST(Datasheet, RatesAreStoredInBaseUnits) {
  const auto a100 = datasheet_ceilings("NVIDIA A100-SXM4-40GB");
  ASSERT_TRUE(a100);
  EXPECT_EQ(a100->device, "A100 40G");
  EXPECT_DOUBLE_EQ(value_of(*a100, "bf16"), 312e12);
  EXPECT_DOUBLE_EQ(value_of(*a100, "f64tc"), 19.5e12);
  EXPECT_DOUBLE_EQ(bandwidth_of(*a100), 1555e9);
  EXPECT_EQ(value_of(*a100, "f8"), 0);
}

TEST(Datasheet, TensorPeaksNameTheClockTheyHoldAt) {
  const auto clock_of = [](std::string_view device, std::string_view dtype) {
    const auto known = datasheet_ceilings(device);
    for (const Ceiling& ceiling : known->ceilings) {
      if (ceiling.dtype == dtype) return ceiling.at_clock_hz;
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(clock_of("H100 SXM", "bf16"), 1.83e9);
  EXPECT_NEAR(clock_of("H100 PCIe", "bf16"), 756.5e12 / (114 * 4096), 1) << "published nowhere, but it follows";
  for (const char* dtype : {"f32", "f64", "f64tc"}) EXPECT_EQ(clock_of("H100 SXM", dtype), 0) << dtype;
}

TEST(Datasheet, AnUnknownDeviceHasNoCeiling) {
  // Each of these is another product than the row whose name it begins or ends with.
  for (const char* device : {"", "A100", "H100", "NVIDIA H100 NVL", "NVIDIA GeForce RTX 4090 D",
                             "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA L40", "GeForce RTX 3090", "CPU"}) {
    EXPECT_FALSE(datasheet_ceilings(device)) << device;
  }
}

// A batch of one on an A100: 14336 x 4096 twice, one flop per byte, so memory bounds it at half a per cent of the peak.
TEST(Datasheet, UtilizationHalvesWhenTheTimeDoublesAndReadsAsTheRooflineSays) {
  const auto a100 = datasheet_ceilings("A100 40G");
  ASSERT_TRUE(a100);
  const double flops = 4.0 * 14336 * 4096;
  const auto utilization = [&](double time_s) { return flops / time_s / value_of(*a100, "bf16"); };
  EXPECT_NEAR(utilization(151.05e-6), 0.00498, 0.000005);
  EXPECT_DOUBLE_EQ(utilization(2 * 151.05e-6), utilization(151.05e-6) / 2);
  EXPECT_NEAR(flops / bandwidth_of(*a100), 151.05e-6, 0.005e-6);
}

}  // namespace
}  // namespace steelyard::bench::datasheet_test
