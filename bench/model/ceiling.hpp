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
  // arithmetic: "f64", "f32", "tf32", "bf16", "f16", "f8", "i8", and for tensor cores' own ways "f64tc", "f16acc16",
  // "f8acc16"; empty for bandwidth
  std::string dtype;
  std::string level;  // bandwidth: "L1", "L2", "L3", "DRAM"; empty for arithmetic
  // bandwidth: "read", "write", "copy", "triad", and with stores that go past the caches "write-nt", "copy-nt",
  // "triad-nt"; empty for arithmetic and where a datasheet does not say. Bytes are counted as STREAM does: what the
  // loop names, not what a cache fetches before it is written.
  std::string access;
  int threads = 1;   // that shared the work; 0: the device as a whole (a GPU)
  double value = 0;  // flop/s (or integer operations/s), or bytes/s; measured: the median of `samples`
  // What the measuring could not tell apart, 95 %; absent for a datasheet.
  std::optional<double> low;
  std::optional<double> high;
  std::string source;           // "measured", or the sheet's name
  std::string how;              // measured: the instructions used, "AVX-512 FMA"; empty: not said
  std::vector<double> samples;  // measured: every repetition, in the order taken
  // Measured arithmetic: the core's clock in Hz beside each repetition, read off a chain of dependent adds; empty where
  // there is no such chain for the processor.
  std::vector<double> clock_samples;
  // Measured arithmetic: operations that one core's units can do in a cycle, by what is known of the microarchitecture;
  // 0: not known. A check of the measuring, not a ceiling.
  double expected_per_cycle = 0;
  // Arithmetic of a device: the clock of its multiprocessors, in Hz, at which `value` holds; 0: not known.
  double at_clock_hz = 0;
  // The clock that the benchmark ran at, where `value` was scaled to it; 0: as measured, or as the sheet has it.
  double scaled_to_hz = 0;
  bool operator==(const Ceiling&) const = default;
};

// What a device cannot do, or what could not be measured on it, and why.
struct AbsentCeiling {
  std::string what;  // "f16", "L3", "L3/threads:2"
  std::string reason;
  bool operator==(const AbsentCeiling&) const = default;
};

struct DeviceCeilings {
  std::string device;       // "CPU", or as the benchmarks name it
  std::string sheet;        // the datasheet's name of it, "A100 40G"; empty: there is none
  std::string fingerprint;  // of the machine; empty for a datasheet
  std::vector<Ceiling> ceilings;
  std::vector<AbsentCeiling> absent;
  std::vector<std::string> notes;  // what a reader of the figures has to know: sizes that were guessed, a disturbed run
  bool operator==(const DeviceCeilings&) const = default;
};

// Ceiling::source of one that was measured here. Such a one without low and high was measured too few times to say.
inline constexpr std::string_view kMeasured = "measured";

// Above the first a utilization is worth a warning, above the second it is a measurement error, not a result.
inline constexpr double kUtilizationWarning = 1.0;
inline constexpr double kUtilizationError = 1.15;

// A utilization slightly above one can be true: a datasheet's clock is nominal, and a measured ceiling is a median. One
// far above, or one that is no positive number, says that the work or the time was taken down wrongly.
enum class UtilizationJudgement { plausible, above_ceiling, measurement_error };
UtilizationJudgement judge_utilization(double utilization);

}  // namespace steelyard
