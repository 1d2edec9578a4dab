// How a benchmark and a metric stand in the columns of a query, for every reader alike.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/metric.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// With steelyard.benchmarks as b.
inline constexpr std::string_view kBenchmarkColumns =
    "b.suite, b.name, b.parameter_names, b.parameter_values, b.threads, b.device, b.dtype";
BenchmarkId benchmark_of(const Rows& rows, std::int64_t row, int first_column);

// With steelyard.metrics as m.
inline constexpr std::string_view kMetricColumns = "m.name, m.unit, m.better, m.kind";
Metric metric_of(const Rows& rows, std::int64_t row, int first_column);

}  // namespace steelyard
