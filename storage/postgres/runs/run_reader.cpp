#include "storage/postgres/runs/run_reader.hpp"

#include <map>
#include <optional>
#include <utility>

#include "bench/model/kept_words.hpp"
#include "storage/packing/packed_samples.hpp"
#include "storage/postgres/runs/profile_rows.hpp"
#include "storage/postgres/runs/run_rows.hpp"
#include "storage/postgres/session/dictionaries.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

constexpr std::size_t kShortestRunPrefix = 6;     // as the interface says
constexpr std::size_t kShortestCommitPrefix = 4;  // git's own limit

// $1 is the prefix. A range rather than a pattern: it uses the index whatever stands in the prefix. The last code point
// sorts after everything that a hash is made of.
constexpr const char* kRunsByPrefix =
    "select id, run_key from steelyard.runs where id >= $1::text and id < $1::text || chr(1114111) order by id limit 2";
// Those that a run has which the asker sees: others put commits there, too. One probe for each, however many runs.
constexpr const char* kCommitsByPrefix =
    "select distinct sha from steelyard.commits c "
    "cross join lateral (select from steelyard.runs r where r.commit_key = c.commit_key limit 1) measured "
    "where sha >= $1::text and sha < $1::text || chr(1114111) order by sha limit 3";
// The names are those of RunHeader's fields.
constexpr const char* kHeaders = R"sql(
select r.run_key, r.measurements, r.id as run, r.created_at_unix_ns, r.tool, p.name as project, r.program,
       coalesce(c.sha, '') as commit, coalesce(c.parent, '') as parent, r.branch, coalesce(c.subject, '') as subject,
       coalesce(c.committed_at_unix_s, 0) as committed_at_unix_s, r.dirty, r.session, r.layout, r.seed,
       array(select key from jsonb_each_text(r.settings) order by key) as setting_names,
       array(select value from jsonb_each_text(r.settings) order by key) as setting_texts
from steelyard.runs r join steelyard.projects p using (project_key) left join steelyard.commits c using (commit_key)
)sql";

// Each row: how many measurements were written, then the header. `which`: a condition on r and c. Newest first.
std::string select_headers(const std::string& which) {
  return "select h.measurements, " + selected<RunHeader>("h") + " from (" + kHeaders + " where " + which +
         ") h order by h.created_at_unix_ns desc, h.run_key desc";
}

RunHeader header_of(const Rows& rows, std::int64_t row) {
  RunHeader header;
  read_fields(rows, row, 1, header);
  return header;
}

// What retention says of a run whose id begins so: "dropped on 2026-01-02 by policy (keep samples 183 days)". Empty:
// nothing, or it came back from its archive since. `what`: what of it was dropped.
Result<std::string> describe_pruning(Transaction& transaction, const std::string& id, const std::string& what) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select to_char(pruned_at at time zone 'UTC', 'YYYY-MM-DD'), policy, archive "
                                "from steelyard.prunings p where starts_with(run, $1) and what = $2 and coalesce("
                                "(select r.recorded_at <= p.pruned_at from steelyard.runs r where r.id = p.run), true) "
                                "limit 1",
                                SqlValues().text(id).text(what)));
  if (rows.size() == 0) return std::string();
  return "dropped on " + rows.text(0, 0) + " by policy (" + rows.text(0, 1) + "); its archive, where it was kept, is " +
         rows.text(0, 2) + " in the folder runs of the state folder of the machine that measured it";
}

Error pruned(const std::string& where, const std::string& said, const std::string& what) {
  return input_error(where, what + said, "a run with its samples", "name that archive instead");
}

Result<Environment> read_environment_of(Transaction& transaction, std::int64_t run_key) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select f.fact ->> 'name', f.fact ->> 'value', (f.fact ->> 'decisive')::boolean "
                                "from steelyard.runs r join steelyard.environments e using (environment_key), "
                                "jsonb_array_elements(e.facts) with ordinality as f(fact, number) "
                                "where r.run_key = $1 order by f.number",
                                SqlValues().integer(run_key)));
  Environment environment;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    Fact& fact = environment.facts.emplace_back();
    read_in_order(rows, row, 0, fact.name, fact.value, fact.decisive);
  }
  return environment;
}

Result<std::vector<Invocation>> read_invocations(Transaction& transaction, std::int64_t run_key) {
  STEELYARD_TRY(const Rows rows, transaction.run("select " + selected<InvocationRow>("i") +
                                                     " from steelyard.invocations i where i.run_key = $1 "
                                                     "order by i.position",
                                                 SqlValues().integer(run_key)));
  std::vector<Invocation> invocations;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    InvocationRow one;
    read_fields(rows, row, 0, one);
    invocations.push_back(std::move(one.process));
  }
  return invocations;
}

// Columns scope, jitter, jitter_from, proof and origin; null where there is nothing to say.
CountBasis basis_of(const Rows& rows, std::int64_t row, int first_column) {
  CountBasis basis;
  if (rows.is_null(row, first_column)) return basis;
  std::string origin;
  read_in_order(rows, row, first_column, basis.scope, basis.jitter, basis.jitter_from, basis.proof, origin);
  basis.origin = parse_word<CountOrigin>(origin).value_or(read_count_origin(basis.proof));
  return basis;
}

// Samples that retention dropped cannot be had back from here.
Error dropped_samples(const std::string& where) {
  return input_error(where, "a run whose samples were dropped by the store's retention", "a run with its samples",
                     "its archive has them where one was kept; its values are still in `steelyard history`");
}

// A run is written whole; where rows are gone since, what is left is another run.
Error lost_measurements(const std::string& where, std::int64_t found, std::int64_t wanted) {
  return store_error(where, std::to_string(found) + " measurements", std::to_string(wanted) + ", as they were written",
                     "a partition of steelyard.measurements is missing: restore a backup, or steelyard db rebuild into "
                     "an empty database");
}

Result<std::vector<Measurement>> read_measurements(Transaction& transaction, std::int64_t run_key,
                                                   const std::string& where, std::int64_t written) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select s.count_key, x.packed, k.scope, k.jitter, k.jitter_from, k.proof, k.origin, " +
                                    std::string(kMetricColumns) + ", " + std::string(kBenchmarkColumns) +
                                    " from steelyard.measurements x join steelyard.series s using (series_key) "
                                    "join steelyard.metrics m using (metric_key) "
                                    "join steelyard.benchmarks b using (benchmark_key) "
                                    "left join steelyard.count_bases k using (count_basis_key) "
                                    "where x.run_key = $1 order by x.position",
                                SqlValues().integer(run_key)));
  if (rows.size() != written) return lost_measurements(where, rows.size(), written);
  constexpr int kFirstMetricColumn = 7;
  constexpr int kFirstBenchmarkColumn = 11;
  std::vector<Measurement> measurements;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    Measurement& measurement = measurements.emplace_back();
    measurement.benchmark = benchmark_of(rows, row, kFirstBenchmarkColumn);
    measurement.metric = metric_of(rows, row, kFirstMetricColumn);
    measurement.count_key = rows.text(row, 0);
    STEELYARD_TRY(auto samples, unpack_samples(bytes_of_text(rows.raw(row, 1)), where));
    if (samples.dropped) return dropped_samples(where);
    measurement.invocations = std::move(samples.invocations);
    measurement.excluded = std::move(samples.excluded);
    measurement.count_basis = basis_of(rows, row, 2);
  }
  return measurements;
}

Result<std::vector<Failure>> read_failures(Transaction& transaction, std::int64_t run_key) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select x.metric, x.round, x.reason, x.kind, x.said, " + std::string(kBenchmarkColumns) +
                          " from steelyard.failures x join steelyard.benchmarks b using (benchmark_key) "
                          "where x.run_key = $1 order by x.position",
                      SqlValues().integer(run_key)));
  std::vector<Failure> failures;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    constexpr int kFirstBenchmarkColumn = 5;
    Failure& failure = failures.emplace_back();
    failure.benchmark = benchmark_of(rows, row, kFirstBenchmarkColumn);
    failure.metric = rows.text(row, 0);
    failure.round = static_cast<std::int32_t>(rows.integer(row, 1));
    if (const std::optional<FailureKind> kind = parse_word<FailureKind>(rows.raw(row, 3))) {
      failure.kind = *kind;
      failure.said = rows.text(row, 4);
    } else {  // of an older program
      read_failure(rows.text(row, 2), failure);
    }
  }
  return failures;
}

Result<std::map<std::string, std::string>> read_labels(Transaction& transaction, std::int64_t run_key) {
  STEELYARD_TRY(const Rows rows, transaction.run("select l.key, l.value from steelyard.runs r, "
                                                 "jsonb_each_text(r.labels) l where r.run_key = $1",
                                                 SqlValues().integer(run_key)));
  std::map<std::string, std::string> labels;
  for (std::int64_t row = 0; row < rows.size(); ++row) labels.emplace(rows.text(row, 0), rows.text(row, 1));
  return labels;
}

}  // namespace

Result<std::int64_t> find_run(Session& session, Transaction& transaction, const std::string& id) {
  const std::string where = "run:" + id;
  if (id.size() < kShortestRunPrefix) {
    return input_error(where, std::to_string(id.size()) + " characters",
                       "at least " + std::to_string(kShortestRunPrefix) + " of the run's id");
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kRunsByPrefix, SqlValues().text(id)));
  if (rows.size() == 0) {
    STEELYARD_TRY(const std::string said, describe_pruning(transaction, id, "run"));
    if (!said.empty()) return pruned(where, said, "a run that was ");
    return input_error(where, "no such run in the store " + session.name(), "",
                       "`steelyard history` shows what it holds");
  }
  // An id that is itself the prefix of another is named in full, and sorts first.
  if (rows.size() > 1 && rows.text(0, 0) != id) {
    return input_error(where, "several runs, such as " + rows.text(0, 0) + " and " + rows.text(1, 0), "one run",
                       "write more of its id");
  }
  return rows.integer(0, 1);
}

Result<Run> read_run(Session& session, const std::string& id) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::int64_t run_key, find_run(session, transaction, id));
  STEELYARD_TRY(const Rows header,
                transaction.run(select_headers("r.run_key = $1"), SqlValues().integer(run_key), kOneRow));
  Run run;
  run.header = header_of(header, 0);
  STEELYARD_TRY(const std::string said, describe_pruning(transaction, run.header.id, "samples"));
  if (!said.empty()) return pruned("run:" + run.header.id, said, "a run whose samples were ");
  STEELYARD_TRY(run.environment, read_environment_of(transaction, run_key));
  STEELYARD_TRY(run.invocations, read_invocations(transaction, run_key));
  STEELYARD_TRY(run.measurements,
                read_measurements(transaction, run_key, "run:" + run.header.id, header.integer(0, 0)));
  STEELYARD_TRY(run.profiles, read_profiles(transaction, run_key, "run:" + run.header.id));
  STEELYARD_TRY(run.failures, read_failures(transaction, run_key));
  STEELYARD_TRY(run.labels, read_labels(transaction, run_key));
  return run;
}

Result<std::optional<RunOrigin>> read_run_origin(Session& session, const std::string& id) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run("select r.branch, exists (select from steelyard.request_runs q "
                                                 "where q.run_key = r.run_key) from steelyard.runs r where r.id = $1",
                                                 SqlValues().text(id), kAtMostOneRow));
  if (rows.size() == 0) return std::optional<RunOrigin>();
  return std::optional(RunOrigin{rows.text(0, 0), rows.boolean(0, 1)});
}

Result<std::vector<RunHeader>> read_headers_of_commit(Session& session, const std::string& sha) {
  const std::string where = "commit:" + sha;
  if (sha.size() < kShortestCommitPrefix) {
    return input_error(where, std::to_string(sha.size()) + " characters",
                       "at least " + std::to_string(kShortestCommitPrefix) + " of the commit's hash");
  }
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows commits, transaction.run(kCommitsByPrefix, SqlValues().text(sha)));
  std::vector<RunHeader> headers;
  if (commits.size() == 0) return headers;
  if (commits.size() > 1 && commits.text(0, 0) != sha) {
    return input_error(where, "several commits, such as " + commits.text(0, 0) + " and " + commits.text(1, 0),
                       "one commit", "write more of its hash");
  }
  STEELYARD_TRY(const Rows rows, transaction.run(select_headers("c.sha = $1"), SqlValues().text(commits.text(0, 0))));
  for (std::int64_t row = 0; row < rows.size(); ++row) headers.push_back(header_of(rows, row));
  return headers;
}

}  // namespace steelyard::storage
