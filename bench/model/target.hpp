// What a benchmark promised and whether it kept it: a share of a ceiling or an absolute rate, declared in
// steelyard.toml or beside the benchmark, and the verdict over the measurement's uncertainty and the ceiling's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/ceiling.hpp"
#include "bench/model/comparison.hpp"

namespace steelyard {

enum class TargetVerdict { met, missed, undecided };
std::string_view to_text(TargetVerdict verdict);

// "0.6 of bandwidth", "60% of flops", "0.5 of roofline" (the lower of both bounds at the benchmark's intensity), or a
// rate at least: "12 GB/s", "40 Gflop/s".
struct Target {
  enum class Of { bandwidth, flops, roofline, rate };
  Of of = Of::bandwidth;
  double least = 0;    // share of the ceiling; for a rate: bytes/s or flop/s
  std::string metric;  // that is held: "bandwidth" or "flops"
  std::string text;    // as it was written
  std::string where;   // what declared it: "steelyard.toml:14", "the program"
  bool operator==(const Target&) const = default;
};

struct TargetRow {
  std::string benchmark;  // canonical text
  Target target;
  std::optional<double> achieved;  // rate, in the metric's unit
  std::optional<Interval> achieved_interval;
  std::optional<Ceiling> ceiling;
  std::optional<double> utilization;  // achieved over ceiling
  std::optional<Interval> utilization_interval;
  std::string bound;  // what bounds the kernel at its intensity: "memory", "arithmetic"; empty: unknown
  TargetVerdict verdict = TargetVerdict::undecided;
  std::string reason;  // one sentence a person can read
  bool operator==(const TargetRow&) const = default;
};

}  // namespace steelyard
