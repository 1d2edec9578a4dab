// The tables of things that many runs share: commits, environments, projects, benchmarks, metrics, count bases,
// series, functions, origins. Their rows are never changed, so that a writer only ever adds what is missing.
//
// Adding happens in a transaction of its own, before the run's: two writers of the same benchmarks would otherwise wait
// for each other's bulk. Both add in the order of the tables below and of identities, so that they cannot deadlock. A
// row that no run came to use does no harm. The server refuses a row under an identity that is not that of its content
// (sql/0027_bind_identities.sql, which computes each identity again): a row that is found is the one that was meant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/metric.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// Which keys a database gave to what a writer has written before, so that the next run of the same benchmarks asks for
// none of them. Rows of those dictionaries are never changed or removed while anybody is connected; but behind a pooler
// a connection outlives the database: one that was restored gives keys anew. Bounded: a full one forgets everything.

class KeyCache {
 public:
  // What of a run is part of all its series.
  struct Scope {
    std::int64_t number = 0;
  };
  Scope scope_of(const std::string& project, const std::string& fingerprint);

  std::optional<std::int64_t> find_series(Scope scope, const Measurement& measurement);
  void keep_series(Scope scope, const Measurement& measurement, std::int64_t key);
  std::optional<std::int64_t> find_count_basis(const CountBasis& basis);
  void keep_count_basis(const CountBasis& basis, std::int64_t key);

  // Of which database the keys are. Forgets all of them where that is another than before.
  void belong_to(const std::string& database);
  const std::string& database() const { return database_; }
  // Forgets what it has no room for. Between runs only: scopes do not outlive it.
  void trim();
  void clear();
  bool empty() const { return series_.empty() && count_bases_.empty(); }

 private:
  using Keys = std::unordered_map<std::string, std::int64_t>;
  const std::string& name_of(Scope scope, const Measurement& measurement);
  const std::string& name_of(const CountBasis& basis);

  std::string database_;
  Keys scopes_;
  Keys series_;
  Keys count_bases_;
  std::string name_;  // of what is looked for; its memory serves all
};

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
// In the transaction of what holds them.
Result<std::vector<std::int64_t>> keys_of_targets(Transaction& transaction, const std::vector<TargetRow>& rows);

// Of a run or comparison: what is there under its id is another project's, so it is not there itself. Kind input: it is
// set aside, and nothing waits for it.
Error taken_id(const std::string& table, const std::string& id, const std::string& project);

// How a benchmark and a metric stand in the columns of a query, for every reader alike. With steelyard.benchmarks as b.
inline constexpr std::string_view kBenchmarkColumns =
    "b.suite, b.name, b.parameter_names, b.parameter_values, b.threads, b.device, b.dtype";
BenchmarkId benchmark_of(const Rows& rows, std::int64_t row, int first_column);

// With steelyard.metrics as m.
inline constexpr std::string_view kMetricColumns = "m.name, m.unit, m.better, m.kind";
Metric metric_of(const Rows& rows, std::int64_t row, int first_column);

}  // namespace steelyard::storage
