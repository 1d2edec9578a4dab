// What the makers of GPUs promise: dense peaks at the nominal boost clock and the bandwidth of the device's memory,
// each row with its source. A device that is not in the table has no ceiling: its utilization is unknown, never a
// guess. Sheets like to print the rates of sparse matrices, twice what a dense one can reach: such figures are halved
// here.
//
//     if (auto ceilings = datasheet_ceilings("NVIDIA A100-SXM4-40GB")) use(*ceilings);
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "bench/model/ceiling.hpp"

namespace steelyard::bench {

// Rates in units of 10^12 operations/s as the sheets print them; 0: the sheet says none.
struct DatasheetRow {
  std::string_view device;  // "A100 40G"
  std::string_view names;   // as drivers name it, separated by '|': "NVIDIA A100-SXM4-40GB|NVIDIA A100-PCIE-40GB"
  double f64 = 0;
  double f64_tensor = 0;
  double f32 = 0;
  double tf32 = 0;
  double bf16 = 0;
  double f16 = 0;
  double f16_accumulate_f16 = 0;  // only where it differs from f16
  double f8 = 0;
  double f8_accumulate_f16 = 0;
  double i8 = 0;
  double memory_gigabytes_per_second = 0;
  // For the consistency of the table: tensor cores work at this clock, in bf16 (before Ampere: f16). 0: not published.
  int multiprocessors = 0;
  double tensor_clock_ghz = 0;
  int operations_per_clock = 0;  // of one multiprocessor
  std::string_view source;
};

std::span<const DatasheetRow> datasheet_rows();

// By the table's own name or a driver's, whatever the case; nothing else is taken for it ("H100 NVL" is not "H100
// PCIe").
const DatasheetRow* find_datasheet_row(std::string_view device);
// In flop/s (operations/s for i8) and bytes/s, threads 0. Absent: an unknown device.
std::optional<DeviceCeilings> datasheet_ceilings(std::string_view device);
DeviceCeilings datasheet_ceilings(const DatasheetRow& row);

// bf16 (f16 where there is none) over the bandwidth: flop per byte from which a kernel can be bound by arithmetic.
double ridge_flops_per_byte(const DatasheetRow& row);

}  // namespace steelyard::bench
