// One rate over all points of an axis: the sum of their bytes (or flops) over the sum of their times. The plain mean of
// rates would count a small point that a launch bounds as much as a large one; this is the rate of a caller who does
// each once.
#pragma once

#include <string>
#include <vector>

#include "bench/model/target.hpp"
#include "regress/targets/benchmark_rates.hpp"

namespace steelyard {

// "gemv/columns:*/dtype:bf16": the benchmark with "*" in place of its value on that axis; whole where it has no such
// axis.
std::string name_over_axis(const BenchmarkId& id, const std::string& axis);

struct AxisMean {
  BenchmarkRates rates;  // one value for each invocation that every point has
  std::string why_none;  // one sentence; empty where there is a mean
};

// points: at least one; they differ in the axis `target.over` only. Invocations are paired in the order they were
// taken. There is no mean where a point does not report the rate that the target holds, or the time that weighs it, or
// where the benchmarks have no such axis.
AxisMean mean_over_axis(const std::vector<const BenchmarkRates*>& points, const Target& target);

// "; by columns: 1024 at 35.1 %, 4096 at 61.0 %": each point's median rate, of the row's ceiling where it has one.
std::string points_text(const std::vector<const BenchmarkRates*>& points, const TargetRow& row);

}  // namespace steelyard
