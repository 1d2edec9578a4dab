#include "bench/ceilings/datasheet.hpp"

#include <array>
#include <cctype>

namespace steelyard::bench {
namespace {

constexpr std::array kRows{
    DatasheetRow{.device = "V100 SXM2",
                 .names = "Tesla V100-SXM2-16GB|Tesla V100-SXM2-32GB",
                 .f64 = 7.8,
                 .f32 = 15.7,
                 .f16 = 125,
                 .memory_gigabytes_per_second = 900,
                 .multiprocessors = 80,
                 .tensor_clock_ghz = 1.53,
                 .operations_per_clock = 1024,
                 .source = "V100 datasheet 1165301-r5"},
    DatasheetRow{.device = "V100 PCIe",
                 .names = "Tesla V100-PCIE-16GB|Tesla V100-PCIE-32GB",
                 .f64 = 7,
                 .f32 = 14,
                 .f16 = 112,
                 .memory_gigabytes_per_second = 900,
                 .multiprocessors = 80,
                 .tensor_clock_ghz = 1.38,
                 .operations_per_clock = 1024,
                 .source = "V100 datasheet 1165301-r5"},
    DatasheetRow{.device = "T4",
                 .names = "Tesla T4",
                 .f32 = 8.1,
                 .f16 = 65,
                 .i8 = 130,
                 .memory_gigabytes_per_second = 320,
                 .multiprocessors = 40,
                 .tensor_clock_ghz = 1.59,
                 .operations_per_clock = 1024,
                 .source = "T4 datasheet 951643 (other printings say 300 GB/s)"},
    DatasheetRow{.device = "A100 40G",
                 .names = "NVIDIA A100-SXM4-40GB|NVIDIA A100-PCIE-40GB|A100-SXM4-40GB|A100-PCIE-40GB",
                 .f64 = 9.7,
                 .f64_tensor = 19.5,
                 .f32 = 19.5,
                 .tf32 = 156,
                 .bf16 = 312,
                 .f16 = 312,
                 .i8 = 624,
                 .memory_gigabytes_per_second = 1555,
                 .multiprocessors = 108,
                 .tensor_clock_ghz = 1.41,
                 .operations_per_clock = 2048,
                 .source = "A100 datasheet 1758950-r4"},
    DatasheetRow{.device = "A100 80G PCIe",
                 .names = "NVIDIA A100 80GB PCIe|NVIDIA A100-PCIE-80GB",
                 .f64 = 9.7,
                 .f64_tensor = 19.5,
                 .f32 = 19.5,
                 .tf32 = 156,
                 .bf16 = 312,
                 .f16 = 312,
                 .i8 = 624,
                 .memory_gigabytes_per_second = 1935,
                 .multiprocessors = 108,
                 .tensor_clock_ghz = 1.41,
                 .operations_per_clock = 2048,
                 .source = "A100 datasheet 1758950-r4"},
    DatasheetRow{.device = "A100 80G SXM",
                 .names = "NVIDIA A100-SXM4-80GB|NVIDIA A100-SXM-80GB",
                 .f64 = 9.7,
                 .f64_tensor = 19.5,
                 .f32 = 19.5,
                 .tf32 = 156,
                 .bf16 = 312,
                 .f16 = 312,
                 .i8 = 624,
                 .memory_gigabytes_per_second = 2039,
                 .multiprocessors = 108,
                 .tensor_clock_ghz = 1.41,
                 .operations_per_clock = 2048,
                 .source = "A100 datasheet 1758950-r4"},
    DatasheetRow{.device = "L4",
                 .names = "NVIDIA L4",
                 .f32 = 30.3,
                 .tf32 = 60,
                 .bf16 = 121,
                 .f16 = 121,
                 .f8 = 242.5,
                 .i8 = 242.5,
                 .memory_gigabytes_per_second = 300,
                 .multiprocessors = 58,
                 .tensor_clock_ghz = 2.04,
                 .operations_per_clock = 1024,
                 .source = "L4 datasheet, sparse figures halved"},
    DatasheetRow{.device = "L40S",
                 .names = "NVIDIA L40S",
                 .f32 = 91.6,
                 .tf32 = 183,
                 .bf16 = 362,
                 .f16 = 362,
                 .f8 = 733,
                 .i8 = 733,
                 .memory_gigabytes_per_second = 864,
                 .multiprocessors = 142,
                 .tensor_clock_ghz = 2.52,
                 .operations_per_clock = 1024,
                 .source = "L40S datasheet, sparse figures halved (reprint at mullet.se; hmc-tech.com has 366.4)"},
    DatasheetRow{.device = "RTX 4090",
                 .names = "NVIDIA GeForce RTX 4090",
                 .f64 = 1.3,
                 .f32 = 82.6,
                 .tf32 = 82.6,
                 .bf16 = 165.2,
                 .f16 = 165.2,
                 .f16_accumulate_f16 = 330.3,
                 .f8 = 330.3,
                 .f8_accumulate_f16 = 660.6,
                 .i8 = 660.6,
                 .memory_gigabytes_per_second = 1008,
                 .multiprocessors = 128,
                 .tensor_clock_ghz = 2.52,
                 .operations_per_clock = 512,
                 .source = "Ada whitepaper, as quoted by waredb.com and gigagpu.com (they differ on f8)"},
    DatasheetRow{.device = "H100 PCIe",
                 .names = "NVIDIA H100 PCIe",
                 .f64 = 26,
                 .f64_tensor = 51,
                 .f32 = 51,
                 .tf32 = 378,
                 .bf16 = 756.5,
                 .f16 = 756.5,
                 .f8 = 1513,
                 .i8 = 1513,
                 .memory_gigabytes_per_second = 2000,
                 .multiprocessors = 114,
                 .operations_per_clock = 4096,
                 .source = "H100 datasheet, sparse figures halved"},
    DatasheetRow{.device = "H100 SXM",
                 .names = "NVIDIA H100 80GB HBM3",
                 .f64 = 34,
                 .f64_tensor = 67,
                 .f32 = 67,
                 .tf32 = 494.7,
                 .bf16 = 989.4,
                 .f16 = 989.4,
                 .f8 = 1978.9,
                 .i8 = 1978.9,
                 .memory_gigabytes_per_second = 3350,
                 .multiprocessors = 132,
                 .tensor_clock_ghz = 1.83,
                 .operations_per_clock = 4096,
                 .source = "H100 datasheet, sparse figures halved"},
    DatasheetRow{.device = "H200 SXM",
                 .names = "NVIDIA H200",
                 .f64 = 34,
                 .f64_tensor = 67,
                 .f32 = 67,
                 .tf32 = 494.7,
                 .bf16 = 989.4,
                 .f16 = 989.4,
                 .f8 = 1978.9,
                 .i8 = 1978.9,
                 .memory_gigabytes_per_second = 4800,
                 .multiprocessors = 132,
                 .tensor_clock_ghz = 1.83,
                 .operations_per_clock = 4096,
                 .source = "H200 datasheet, sparse figures halved"},
    DatasheetRow{.device = "B200",
                 .names = "NVIDIA B200",
                 .f64 = 37,
                 .f32 = 75,
                 .tf32 = 1100,
                 .bf16 = 2250,
                 .f16 = 2250,
                 .f8 = 4500,
                 .i8 = 4500,
                 .memory_gigabytes_per_second = 7700,
                 .multiprocessors = 148,
                 .tensor_clock_ghz = 1.86,
                 .operations_per_clock = 8192,
                 .source = "NVIDIA HGX B200 table (1000 W), sparse figures halved (reprint at zdszero.github.io)"},
};

// Letters and digits in lower case: "Tesla V100-SXM2-16GB" and "tesla v100 sxm2 16gb" are one name.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) text += static_cast<char>(std::tolower(byte));
  }
  return text;
}

bool is_named(const DatasheetRow& row, const std::string& wanted) {
  if (plain(row.device) == wanted) return true;
  for (std::string_view rest = row.names; !rest.empty();) {
    const std::size_t end = rest.find('|');
    if (plain(rest.substr(0, end)) == wanted) return true;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return false;
}

// At which tensor cores reach their 16-bit peak. Where no sheet says it, it follows from the peak and their number and
// width; 0: these are not known either.
double tensor_clock_hz(const DatasheetRow& row) {
  if (row.tensor_clock_ghz > 0) return row.tensor_clock_ghz * 1e9;
  const double operations_per_clock = static_cast<double>(row.multiprocessors) * row.operations_per_clock;
  return operations_per_clock > 0 ? (row.bf16 > 0 ? row.bf16 : row.f16) * 1e12 / operations_per_clock : 0;
}

}  // namespace

std::span<const DatasheetRow> datasheet_rows() { return kRows; }

const DatasheetRow* find_datasheet_row(std::string_view device) {
  const std::string wanted = plain(device);
  for (const DatasheetRow& row : kRows) {
    if (is_named(row, wanted)) return &row;
  }
  return nullptr;
}

DeviceCeilings datasheet_ceilings(const DatasheetRow& row) {
  DeviceCeilings device;
  device.device = row.device;
  device.sheet = row.device;
  // Only the tensor cores' peaks are at the clock that the table has, and of these f64's is not: an H100's 67 Tflop/s
  // are 132 multiprocessors x 256 flop x 1.98 GHz.
  const double tensor_clock = tensor_clock_hz(row);
  const auto add = [&](std::string_view dtype, double tera) {
    if (tera == 0) return;
    Ceiling ceiling;
    ceiling.kind = CeilingKind::arithmetic;
    ceiling.dtype = dtype;
    ceiling.threads = 0;
    ceiling.value = tera * 1e12;
    if (dtype != "f32" && !dtype.starts_with("f64")) ceiling.at_clock_hz = tensor_clock;
    ceiling.source = row.source;
    device.ceilings.push_back(std::move(ceiling));
  };
  add("f64", row.f64);
  add("f64tc", row.f64_tensor);
  add("f32", row.f32);
  add("tf32", row.tf32);
  add("bf16", row.bf16);
  add("f16", row.f16);
  add("f16acc16", row.f16_accumulate_f16);
  add("f8", row.f8);
  add("f8acc16", row.f8_accumulate_f16);
  add("i8", row.i8);
  Ceiling memory;
  memory.kind = CeilingKind::bandwidth;
  memory.level = "DRAM";
  memory.threads = 0;
  memory.value = row.memory_gigabytes_per_second * 1e9;
  memory.source = row.source;
  device.ceilings.push_back(std::move(memory));
  return device;
}

std::optional<DeviceCeilings> datasheet_ceilings(std::string_view device) {
  const DatasheetRow* row = find_datasheet_row(device);
  if (row == nullptr) return std::nullopt;
  return datasheet_ceilings(*row);
}

double ridge_flops_per_byte(const DatasheetRow& row) {
  const double tera = row.bf16 > 0 ? row.bf16 : row.f16;
  return tera * 1e12 / (row.memory_gigabytes_per_second * 1e9);
}

}  // namespace steelyard::bench
