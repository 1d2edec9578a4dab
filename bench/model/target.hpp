// What a benchmark promised and whether it kept it: a share of a ceiling or an absolute rate, declared in
// steelyard.toml or beside the benchmark, and the verdict over the measurement's uncertainty and the ceiling's. And
// how near a benchmark comes to its ceilings, promised or not. The judging is regress/targets'.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/ceiling.hpp"
#include "bench/model/comparison.hpp"

namespace steelyard {

enum class TargetVerdict { met, missed, undecided };
inline constexpr std::size_t kTargetVerdictCount = 3;
std::span<const std::string_view> words_of(TargetVerdict);
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
std::span<const std::string_view> words_of(Target::Of);

// Why there is no ceiling to hold a rate against: what was looked for, and what there is in its place.
struct MissingCeiling {
  enum class Why {
    device,   // none of the device are known
    unnamed,  // nobody says in which dtype the benchmark calculates
    name,     // of another level or dtype only, or none
    access,   // of the level by other accesses only
    source,   // no datasheet, or nothing measured
    threads,  // measured with other numbers of threads only
    rate,     // the one that there is is no rate above 0
  };
  Why why = Why::device;
  CeilingKind kind = CeilingKind::bandwidth;
  std::string device;
  std::string name;  // level or dtype
  std::string access;
  std::string source;
  int threads = 1;
  std::vector<std::string> known = {};  // names, accesses or numbers of threads; empty: none
  bool operator==(const MissingCeiling&) const = default;
};

// What a verdict on a target stands on, or why there is none.
struct TargetReason {
  enum class Kind {
    unsaid,             // the row's reason is as it was read or kept
    interval,           // the interval lies beyond the target, or holds it
    one_invocation,     // and so no interval
    unknown_spread,     // of a measured ceiling
    measurement_error,  // more than a ceiling can give: no result
    no_rate,            // the benchmark has none of the metric
    no_ceiling,
    no_axis,            // that a mean is to be taken over
    mean_of_rooflines,  // which is none of its points'
    ceilings_differ,    // of a mean's points, so that it is a share of none
    no_time,            // of a point, which weighs it
    no_benchmark,       // that the declared name fits
  };
  Kind kind = Kind::unsaid;
  std::string metric = {};                     // no_rate: "flops" or "bandwidth"
  std::string failure = {};                    // no_rate: why the benchmark yielded nothing; empty: it reports none
  std::string point = {};                      // of a mean: the benchmark that it fails at
  std::optional<MissingCeiling> missing = {};  // no_ceiling
  bool beside_another = false;                 // missed beside another process, and perhaps for that alone: undecided
  struct Point {
    std::string value;  // on the axis
    double rate = 0;    // median over the invocations
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points = {};  // of a mean, by size of their numbers
  bool operator==(const TargetReason&) const = default;
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
  std::string reason;     // one sentence a person can read; ci/report words it from `why`, and it is kept
  TargetReason why = {};  // never kept
  bool operator==(const TargetRow&) const = default;
};

// One rate of a benchmark beside the ceiling that it is held against.
struct RateUtilization {
  double achieved = 0;
  std::optional<Interval> achieved_interval;
  std::optional<Ceiling> ceiling;
  std::optional<double> utilization;  // absent where the ceiling is unknown, never a guess
  std::optional<Interval> utilization_interval;
  std::optional<MissingCeiling> missing;  // why there is no utilization; absent where there is one
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
  bool level_is_declared = false;  // where the data lie, by a target of it
  bool operator==(const UtilizationRow&) const = default;
};

struct TargetReport {
  std::vector<TargetRow> targets;            // missed, undecided, met; then by benchmark
  std::vector<UtilizationRow> utilizations;  // by benchmark; empty where no ceilings are known
  bool beside_another = false;               // both sides were measured at once
  std::vector<std::string> other_devices;    // for which targets are declared and no benchmark ran, by name
  std::int64_t other_device_targets = 0;     // that are declared for them
  std::vector<std::string> warnings;         // utilization above 100 %, a target that no benchmark has
  std::string hint;                          // how to get what is absent: one line, or empty
  std::array<std::int64_t, kTargetVerdictCount> count_by_verdict() const;
  bool operator==(const TargetReport&) const = default;
};

}  // namespace steelyard
