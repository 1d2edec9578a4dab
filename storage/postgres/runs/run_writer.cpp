#include "storage/postgres/runs/run_writer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bench/model/quantile.hpp"
#include "storage/packing/packed_samples.hpp"
#include "storage/postgres/runs/partitions.hpp"
#include "storage/postgres/runs/profile_rows.hpp"
#include "storage/postgres/runs/run_rows.hpp"
#include "storage/postgres/session/dictionaries.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

std::int64_t samples_of(const Measurement& measurement) {
  std::int64_t count = 0;
  for (const InvocationSamples& samples : measurement.invocations) {
    count += static_cast<std::int64_t>(samples.values.size());
  }
  return count;
}

// median() without a copy where there is little to order: most invocations have a sample or two.
double median_of(const std::vector<double>& samples) {
  if (samples.size() == 1) return samples.front();
  if (samples.size() == 2) return 0.5 * samples.front() + 0.5 * samples.back();
  return median(samples);
}

// The partition after the one that runs go to now is made while that one fills up.
constexpr int kDaysAhead = 1;

// Another for every database, every restored one, and after every start of a server: no older content comes back
// without one of these.
constexpr const char* kDatabase =
    "(select oid from pg_database where datname = current_database())::text || ' ' || "
    "'steelyard.series'::regclass::oid || ' ' || extract(epoch from pg_postmaster_start_time())";

// An id cannot be computed by the server: another project's writer may have put something else under it.
constexpr const char* kProjectOfRun =
    "(select p.name from steelyard.runs r join steelyard.projects p using (project_key) where r.id = $1)";

Result<void> check_its_project(const Rows& found, const RunHeader& header) {
  if (!found.is_null(0, 0) && found.text(0, 0) == header.project) return {};
  return taken_id("steelyard.runs", header.id, header.project);
}

// False: the run is new, and there is a partition for its measurements.
Result<bool> is_there(Session& session, const RunHeader& header, KeyCache& cache) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select " + std::string(kProjectOfRun) + ", steelyard.partitions_ahead(), " + kDatabase,
                                SqlValues().text(header.id), kOneRow));
  cache.belong_to(rows.text(0, 2));
  if (!rows.is_null(0, 0)) {
    STEELYARD_CHECK(check_its_project(rows, header));
    return true;
  }
  if (rows.integer(0, 1) >= kDaysAhead) return false;
  // In a transaction of its own: it waits for other writers' transactions to end, which must not wait for ours.
  // A script: nothing that it fails of is the run's fault.
  STEELYARD_CHECK(transaction.run_script("select steelyard.ensure_partitions(" + std::to_string(kDaysAhead) + ")"));
  STEELYARD_CHECK(transaction.commit());
  return false;
}

// The new run's key; absent where another writer was first.
Result<std::optional<std::int64_t>> insert_header(Transaction& transaction, const Run& run, const RunKeys& keys) {
  const RunHeader& header = run.header;
  std::vector<std::string> setting_names;
  std::vector<std::string> setting_texts;
  for (const auto& [name, text] : header.settings) {
    setting_names.push_back(name);
    setting_texts.push_back(text);
  }
  std::vector<std::string> labelled;
  std::vector<std::string> labels;
  for (const auto& [benchmark, label] : run.labels) {
    labelled.push_back(benchmark);
    labels.push_back(label);
  }
  std::int64_t samples = 0;
  for (const Measurement& measurement : run.measurements) samples += samples_of(measurement);

  SqlValues values;
  values.text(header.id)
      .integer(header.created_at_unix_ns)
      .text(header.tool)
      .integer(keys.project)
      .text(header.program);
  values.integer(keys.commit);
  values.text(header.commit.branch).boolean(header.commit.dirty).text(header.session).text(to_text(header.layout));
  values.unsigned_integer(header.seed).texts(setting_names).texts(setting_texts).integer(keys.environment);
  values.integer(static_cast<std::int64_t>(run.measurements.size())).integer(samples);
  values.texts(labelled).texts(labels);
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("insert into steelyard.runs (id, created_at_unix_ns, tool, project_key, program, "
                      "commit_key, branch, dirty, session, layout, seed, settings, environment_key, "
                      "measurements, samples, labels) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
                      "jsonb_object($12::text[], $13::text[]), $14, $15, $16, jsonb_object($17::text[], $18::text[])) "
                      "on conflict (id) do nothing returning run_key",
                      values, kAtMostOneRow));
  if (rows.size() == 0) return std::optional<std::int64_t>();
  return std::optional(rows.integer(0, 0));
}

Result<void> write_invocations(Transaction& transaction, std::int64_t run_key, const Run& run) {
  return transaction.copy({"steelyard.invocations", columns_of<InvocationRow>({"run_key", "position"})},
                          run.invocations.size(), [&](std::size_t i) {
                            SqlValues keys = SqlValues().integer(run_key).integer(static_cast<std::int64_t>(i));
                            return append_fields(std::move(keys), InvocationRow{run.invocations[i]});
                          });
}

Result<void> write_measurements(Transaction& transaction, std::int64_t run_key, const Run& run, const RunKeys& keys) {
  SamplePacker packer;
  return transaction.copy_rows(
      {"steelyard.measurements",
       {"value", "run_key", "series_key", "position", "samples", "count_basis_key", "packed"}},
      run.measurements.size(), [&](std::size_t i, CopyRow& row) {
        const Measurement& measurement = run.measurements[i];
        row.number(median_of_medians(measurement)).integer(run_key).integer(keys.series[i]);
        row.integer(static_cast<std::int64_t>(i)).integer(samples_of(measurement)).integer(keys.count_bases[i]);
        row.bytes(packer.pack(measurement.invocations, measurement.excluded));
      });
}

Result<void> write_failures(Transaction& transaction, std::int64_t run_key, const Run& run, const RunKeys& keys) {
  return transaction.copy(
      {"steelyard.failures", {"run_key", "position", "benchmark_key", "metric", "round", "reason", "kind", "said"}},
      run.failures.size(), [&](std::size_t i) {
        const Failure& failure = run.failures[i];
        SqlValues values;
        values.integer(run_key).integer(static_cast<std::int64_t>(i));
        values.integer(keys.failure_benchmarks[i]).text(failure.metric).integer(failure.round);
        // The reason is for whoever asks in SQL; who reads the run takes the other two.
        return values.text(to_text(failure)).text(word_of(failure.kind)).text(failure.said);
      });
}

// Copying reports no count of its own that reaches us: what arrived is counted where it arrived. Of the measurements
// the last is looked up instead: they came in one stream in their order, and counting them costs as much as writing
// some.
Result<void> check_arrival(Transaction& transaction, std::int64_t run_key, const Run& run, const RunKeys& keys) {
  const std::size_t measurements = run.measurements.size();
  STEELYARD_CHECK(
      transaction.run("select 1 where (select count(*) from steelyard.invocations where run_key = $1) = $2 "
                      "and (select count(*) from steelyard.profiles where run_key = $1) = $3 "
                      "and (select count(*) from steelyard.failures where run_key = $1) = $4 "
                      "and ($5::integer < 0 or exists (select 1 from steelyard.measurements "
                      "where series_key = $6 and run_key = $1 and position = $5::integer))",
                      SqlValues()
                          .integer(run_key)
                          .integer(static_cast<std::int64_t>(run.invocations.size()))
                          .integer(static_cast<std::int64_t>(run.profiles.size()))
                          .integer(static_cast<std::int64_t>(run.failures.size()))
                          .integer(static_cast<std::int64_t>(measurements) - 1)
                          .integer(measurements == 0 ? 0 : keys.series.back()),
                      kOneRow));
  return {};
}

// `run_key`: the key that the run has, or would have had; 0: none was given.
using Beside = std::function<Result<void>(Transaction&)>;
Result<bool> write_new_run(Session& session, const Run& run, KeyCache& cache, const Beside& beside,
                           std::int64_t& run_key) {
  STEELYARD_TRY(const bool known, is_there(session, run.header, cache));
  if (known) return false;
  STEELYARD_TRY(const RunKeys keys, keys_of_run(session, run, cache));

  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows now, transaction.run("select " + std::string(kDatabase), {}, kOneRow));
  if (now.text(0, 0) != cache.database()) {
    return store_error("store " + session.name(), "another database than a moment ago", "the one whose keys are known",
                       "it was exchanged or restarted behind its pooler: send the run again");
  }
  STEELYARD_TRY(const std::optional<std::int64_t> new_key, insert_header(transaction, run, keys));
  if (!new_key) {
    STEELYARD_TRY(const Rows found,
                  transaction.run("select " + std::string(kProjectOfRun), SqlValues().text(run.header.id), kOneRow));
    STEELYARD_CHECK(check_its_project(found, run.header));
    return false;
  }
  run_key = *new_key;
  STEELYARD_CHECK(write_invocations(transaction, run_key, run));
  STEELYARD_CHECK(write_measurements(transaction, run_key, run, keys));
  STEELYARD_CHECK(write_profiles(transaction, run_key, run, keys));
  STEELYARD_CHECK(write_failures(transaction, run_key, run, keys));
  STEELYARD_CHECK(check_arrival(transaction, run_key, run, keys));
  if (beside) STEELYARD_CHECK(beside(transaction));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

// Whether the values were refused because there is no partition for them: then it is made, and they can be sent again.
Result<bool> made_missing_partition(Session& session, std::int64_t run_key) {
  if (run_key == 0) return false;
  STEELYARD_TRY(const bool is_there, has_partition(session, run_key));
  if (is_there) return false;
  STEELYARD_CHECK(make_partition_of(session, run_key));
  return true;
}

constexpr int kMaxTries = 4;

}  // namespace

Result<void> mark_request(Transaction& transaction, const std::string& id) {
  STEELYARD_CHECK(
      transaction.run("insert into steelyard.request_runs (run_key) select run_key from steelyard.runs where id = $1",
                      SqlValues().text(id), kOneRow));
  return {};
}

std::optional<double> median_of_medians(const Measurement& measurement) {
  std::vector<double> medians;
  medians.reserve(measurement.invocations.size());
  for (const InvocationSamples& samples : measurement.invocations) {
    if (!std::all_of(samples.values.begin(), samples.values.end(), [](double v) { return std::isfinite(v); })) {
      return std::nullopt;
    }
    if (!samples.values.empty()) medians.push_back(median_of(samples.values));
  }
  if (medians.empty()) return std::nullopt;
  return median(std::move(medians));
}

Result<bool> write_run(Session& session, const Run& run, KeyCache& cache,
                       const std::function<Result<void>(Transaction&)>& beside) {
  if (run.header.id.empty()) return bug_error("put_run", "a run without an id");
  STEELYARD_CHECK(check_profiles(run));
  const bool knew_keys = !cache.empty();
  std::int64_t run_key = 0;
  Result<bool> written = write_new_run(session, run, cache, beside, run_key);
  for (int tries = 1; !written && written.error().kind == ErrorKind::input; ++tries) {
    cache.clear();
    STEELYARD_TRY(const bool made, made_missing_partition(session, run_key));
    // A database that was exchanged behind its connection has other keys than those that were remembered.
    if (!made && (tries > 1 || !knew_keys)) break;
    // No fault of the run: each try has a number of its own, and others use up numbers.
    if (made && tries == kMaxTries) {
      return store_error("store " + session.name(), "no partition for any of the numbers that the run was given", "",
                         "somebody uses up millions of numbers; the run waits in the spool and is sent again");
    }
    written = write_new_run(session, run, cache, beside, run_key);
  }
  if (!written) cache.clear();
  // Nobody waits for it, and the next run tries again.
  if (written && *written && is_near_the_end(run_key)) static_cast<void>(ensure_partitions(session));
  if (written && *written && closes_the_one_before(run_key)) static_cast<void>(close_small_partition(session));
  return written;
}

}  // namespace steelyard::storage
