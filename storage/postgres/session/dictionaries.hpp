// The tables of things that many runs share: commits, environments, projects, benchmarks, metrics, count bases,
// series, functions, origins. Their rows are never changed, so that a writer only ever adds what is missing.
//
// Adding happens in a transaction of its own, before the run's: two writers of the same benchmarks would otherwise wait
// for each other's bulk. Both add in the order of the tables below and of identities, so that they cannot deadlock. A
// row that no run came to use does no harm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/metric.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/postgres/session/key_cache.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// Each vector runs parallel to the run's own.
struct RunKeys {
  std::optional<std::int64_t> commit;  // absent: not under version control
  std::int64_t environment = 0;
  std::int64_t project = 0;
  std::vector<std::int64_t> series;                      // of measurements
  std::vector<std::optional<std::int64_t>> count_bases;  // of measurements; absent: nothing to say of them
  std::vector<std::int64_t> profile_benchmarks;
  std::vector<std::vector<std::int64_t>> profile_functions;
  std::vector<std::vector<std::int64_t>> profile_origins;  // of sources
  std::vector<std::int64_t> failure_benchmarks;
};

// Commits what it adds. Asks the database only for what `cache` does not know.
Result<RunKeys> keys_of_run(Session& session, const Run& run, KeyCache& cache);
Result<std::vector<std::int64_t>> keys_of_metrics(Session& session, const std::vector<Metric>& metrics);

// How a benchmark and a metric stand in the columns of a query, for every reader alike. With steelyard.benchmarks as b.
inline constexpr std::string_view kBenchmarkColumns =
    "b.suite, b.name, b.parameter_names, b.parameter_values, b.threads, b.device, b.dtype";
BenchmarkId benchmark_of(const Rows& rows, std::int64_t row, int first_column);

// With steelyard.metrics as m.
inline constexpr std::string_view kMetricColumns = "m.name, m.unit, m.better, m.kind";
Metric metric_of(const Rows& rows, std::int64_t row, int first_column);

}  // namespace steelyard
