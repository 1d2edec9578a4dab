// A device's roofline bounds: how fast it can calculate in a dtype and move bytes through a level of its memory, from a
// datasheet and as measured. Utilization is achieved over ceiling. An unknown device has no ceiling: utilization is
// then absent, never a guess.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

enum class CeilingKind { arithmetic, bandwidth };

struct Ceiling {
  CeilingKind kind = CeilingKind::bandwidth;
  std::string dtype;   // arithmetic: "f64", "f32", "tf32", "bf16", "f16", "f8", "i8"; empty for bandwidth
  std::string level;   // bandwidth: "L1", "L2", "L3", "DRAM"; empty for arithmetic
  std::string access;  // bandwidth: "read", "write", "copy", "triad"; empty for arithmetic
  int threads = 1;     // that shared the work; 0: the device as a whole (a GPU)
  double value = 0;    // flop/s (or integer operations/s), or bytes/s
  // What the measuring could not tell apart, 95 %; absent for a datasheet.
  std::optional<double> low;
  std::optional<double> high;
  std::string source;  // "measured", or the sheet's name
  bool operator==(const Ceiling&) const = default;
};

struct DeviceCeilings {
  std::string device;       // "CPU" or the datasheet's name of it
  std::string fingerprint;  // of the machine; empty for a datasheet
  std::vector<Ceiling> ceilings;
  bool operator==(const DeviceCeilings&) const = default;
};

// Above the first a utilization is worth a warning, above the second it is a measurement error, not a result.
inline constexpr double kUtilizationWarning = 1.0;
inline constexpr double kUtilizationError = 1.15;

}  // namespace steelyard
