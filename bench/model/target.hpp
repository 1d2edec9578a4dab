// What a benchmark promised and whether it kept it: a share of a ceiling or an absolute rate, declared in
// steelyard.toml or beside the benchmark, and the verdict over the measurement's uncertainty and the ceiling's. And
// how near a benchmark comes to its ceilings, promised or not. The judging is regress/targets'.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/ceiling.hpp"
#include "bench/model/comparison.hpp"

namespace steelyard {

enum class TargetVerdict { met, missed, undecided };
inline constexpr std::size_t kTargetVerdictCount = 3;
std::string_view to_text(TargetVerdict verdict);

// "0.6 of bandwidth", "60% of flops", "0.5 of roofline" (the lower of both bounds at the benchmark's intensity), or a
// rate at least: "12 GB/s", "40 Gflop/s".
struct Target {
  enum class Of { bandwidth, flops, roofline, rate };
  Of of = Of::bandwidth;
  double least = 0;    // share of the ceiling; for a rate: bytes/s or flop/s
  std::string metric;  // that is held: "bandwidth" or "flops"; empty for roofline: the machine decides
  std::string text;    // as it was written
  std::string where;   // what declared it: "steelyard.toml:14", "the program"
  // Which ceiling. Empty: DRAM, the fastest access of that level, the dtype and the threads that the benchmark names.
  std::string level;
  std::string access;
  std::string dtype;
  std::optional<int> threads;
  std::string source;  // "datasheet", "measured"; empty: the sheet where there is one, else what was measured
  std::string device;  // whose benchmarks it holds for: a pattern over devices' names; empty: all
  // The axis over which the weighted mean is held (all bytes, or flops, over all time); empty: each benchmark alone.
  std::string over;
  bool operator==(const Target&) const = default;
};

struct TargetRow {
  std::string benchmark;  // canonical text; of a mean over an axis: with "*" in place of its value
  Target target;
  std::optional<double> achieved;  // rate, in the metric's unit
  std::optional<Interval> achieved_interval;
  std::optional<Ceiling> ceiling;
  std::optional<double> utilization;  // achieved over ceiling
  std::optional<Interval> utilization_interval;
  std::string metric;               // that was held: "bandwidth" or "flops"; empty: could not be told
  std::optional<double> intensity;  // flop per byte; absent: the benchmark does not report both
  std::string
      bound;  // what bounds the kernel at its intensity: "memory", "arithmetic", kBoundByNeither; empty: unknown
  std::int64_t invocations = 0;  // that the interval is over
  TargetVerdict verdict = TargetVerdict::undecided;
  std::string reason;  // one sentence a person can read
  bool operator==(const TargetRow&) const = default;
};

// One rate of a benchmark beside the ceiling that it is held against.
struct RateUtilization {
  double achieved = 0;
  std::optional<Interval> achieved_interval;
  std::optional<Ceiling> ceiling;
  std::optional<double> utilization;  // absent where the ceiling is unknown, never a guess
  std::optional<Interval> utilization_interval;
  std::string unknown;  // why there is no utilization; empty where there is one
  bool operator==(const RateUtilization&) const = default;
};

// The bound of a kernel that reaches next to nothing of either ceiling: something else takes its time.
inline constexpr std::string_view kBoundByNeither = "neither";

// Derived, never kept: a run holds the rates, and the ceilings of its machine are kept apart.
struct UtilizationRow {
  std::string benchmark;  // canonical text
  std::optional<RateUtilization> flops;
  std::optional<RateUtilization> bandwidth;
  std::optional<double> intensity;
  std::string bound;
  std::int64_t invocations = 0;
  bool operator==(const UtilizationRow&) const = default;
};

struct TargetReport {
  std::vector<TargetRow> targets;            // missed, undecided, met; then by benchmark
  std::vector<UtilizationRow> utilizations;  // by benchmark; empty where no ceilings are known
  std::vector<std::string> warnings;         // utilization above 100 %, a target that no benchmark has
  std::string hint;                          // how to get what is absent: one line, or empty
  std::array<std::int64_t, kTargetVerdictCount> count_by_verdict() const;
  bool operator==(const TargetReport&) const = default;
};

}  // namespace steelyard
