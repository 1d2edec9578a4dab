// Holds the rates of a run against its targets. Numbers in, verdicts out: met where the whole 95 % interval lies at or
// above the target, missed where it lies below, and undecided otherwise. Facts
// alone: a row's `reason` and the report's warnings are ci/report/target_text.hpp's. Each
// wrong answer has a chance of at most 2.5 % where the interval keeps its word (docs/guide/targets.md).
#pragma once

#include <string>
#include <vector>

#include "bench/model/target.hpp"
#include "regress/targets/benchmark_rates.hpp"
#include "regress/targets/declared_target.hpp"
#include "regress/targets/find_ceiling.hpp"

namespace steelyard::regress {

// One target of one benchmark. A target that names a level, a dtype or threads is held against that ceiling; what it
// leaves open is taken from `choice`.
TargetRow judge_target(const BenchmarkRates& rates, const Target& target, const CeilingChoice& choice,
                       const std::vector<DeviceCeilings>& devices);

struct TargetQuestion {
  std::vector<DeclaredTarget> configured;    // in the order of steelyard.toml
  std::vector<TargetRow> unreadable{};       // targets of labels that could not be read: undecided rows
  std::vector<DeclaredTarget> of_program{};  // of labels, by the benchmark's canonical text: no patterns
  std::vector<DeviceCeilings> devices{};     // whose ceilings are known
  // Another process worked at the same time (a duet). It takes its part of memory and caches: what the rates reach they
  // reach, and what they miss they might reach alone.
  bool beside_another = false;
};

// An undecided row for each target whose pattern none of the benchmarks matches. For gates: a target that nobody
// measured is not met. One for a device that none of the benchmarks ran on is of another run, and excluded.
std::vector<TargetRow> unmatched_targets(const std::vector<DeclaredTarget>& declared,
                                         const std::vector<BenchmarkRates>& rates,
                                         const std::vector<DeviceCeilings>& devices = {});

// Missed, undecided, met; then by benchmark.
void sort_worst_first(std::vector<TargetRow>& rows);

// Of every benchmark that has rates: its utilizations, where any ceiling is known; and a row for each target. A share
// over an axis along which the ceilings differ is undecided.
TargetReport judge_targets(const std::vector<BenchmarkRates>& rates, const TargetQuestion& question);

// One rate over all points of an axis: the sum of their bytes (or flops) over the sum of their times. The plain mean of
// rates would count a small point that a launch bounds as much as a large one; this is the rate of a caller who does
// each once.

// "gemv/columns:*/dtype:bf16": the benchmark with "*" in place of its value on that axis; whole where it has no such
// axis.
std::string name_over_axis(const BenchmarkId& id, const std::string& axis);

struct AxisMean {
  BenchmarkRates rates;                  // as many values as the point with the fewest invocations has
  std::optional<TargetReason> why_none;  // absent where there is a mean
};

// points: at least one; they differ in the axis `target.over` only. Invocations are paired by their places in the order
// they were taken. There is no mean where a point does not report the rate that the target holds, or the time that
// weighs it, or where the benchmarks have no such axis.
AxisMean mean_over_axis(const std::vector<const BenchmarkRates*>& points, const Target& target);

// Each point's value on the axis, which it has, and its median rate of the metric ("flops", "bandwidth"); numbers by
// their size.
std::vector<TargetReason::Point> points_of(const std::vector<const BenchmarkRates*>& points, const std::string& axis,
                                           const std::string& metric);

}  // namespace steelyard::regress
