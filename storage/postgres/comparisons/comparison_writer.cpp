#include "storage/postgres/comparisons/comparison_writer.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison/history_document.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/alerts/accepted_rows.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/session/dictionaries.hpp"
#include "storage/postgres/session/sql_fields.hpp"
#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {
namespace {

// What a comparison is found by, taken from its sides, which are rows of their own.
const std::vector<std::string> kFoundBy{"id",
                                        "calibration_key",
                                        "project",
                                        "baseline_run",
                                        "candidate_run",
                                        "baseline_commit",
                                        "candidate_commit",
                                        "branch",
                                        "compared_at_unix_ns",
                                        "baseline_fingerprint",
                                        "candidate_fingerprint"};

// By the document as the server writes it down, from which it computes id and columns again
// (steelyard.is_calibration()).
constexpr const char* kCalibrationId = "encode(sha256(convert_to(($1::jsonb)::text, 'UTF8')), 'hex')";

const std::string kInsertCalibration =
    "insert into steelyard.calibrations (id, fingerprint, layout, measured_at_unix_s, program, rounds, level, gates, "
    "false_gates, comparisons, false_alarms, drift_sequential, failed, reason, document) select " +
    std::string(kCalibrationId) +
    ", d ->> 'fingerprint', d ->> 'layout', (d ->> 'at_unix_s')::bigint, d ->> 'program', (d ->> 'rounds')::integer, "
    "(d ->> 'level')::float8, (d #>> '{false_gates,tries}')::bigint, (d #>> '{false_gates,count}')::bigint, "
    "(d #>> '{false_alarms,tries}')::bigint, (d #>> '{false_alarms,count}')::bigint, "
    "(d ->> 'drift_sequential')::float8, (d ->> 'failed')::boolean, coalesce(d ->> 'reason', ''), d "
    "from (select $1::jsonb as d) given on conflict (id) do nothing";

constexpr const char* kInsertHistory =
    "insert into steelyard.comparison_histories (comparison_key, branch, series, points, document_bytes, document) "
    "values ($1, $2, $3, $4, $5, $6::bytea)";

std::string insert_header() {
  const std::vector<std::string> columns = columns_of<Comparison>(kFoundBy);
  return "insert into steelyard.comparisons (" + name_list(columns) + ") values (" + place_list(columns.size()) +
         ") on conflict (id) do nothing returning comparison_key";
}

// Key of its calibration; absent where the comparison has none.
Result<std::optional<std::int64_t>> write_calibration(Transaction& transaction, const Comparison& comparison) {
  if (!comparison.calibration) return std::optional<std::int64_t>();
  const SqlValues document = SqlValues().text(zero_bytes_for_jsonb(calibration_document(*comparison.calibration)));
  STEELYARD_CHECK(transaction.run(kInsertCalibration, document, kAnyRows));
  STEELYARD_TRY(const Rows rows, transaction.run("select calibration_key from steelyard.calibrations where id = " +
                                                     std::string(kCalibrationId),
                                                 document, kOneRow));
  return std::optional(rows.integer(0, 0));
}

SqlValues header_values(const Comparison& comparison, const std::string& branch,
                        const std::optional<std::int64_t>& calibration_key) {
  const RunHeader& baseline = comparison.baseline;
  const RunHeader& candidate = comparison.candidate;
  SqlValues values;
  values.text(comparison_id(comparison)).integer(calibration_key).text(candidate.project);
  values.text(baseline.id).text(candidate.id).text(baseline.commit.sha).text(candidate.commit.sha);
  values.text(branch).integer(candidate.created_at_unix_ns);
  values.text(comparison.baseline_fingerprint).text(comparison.candidate_fingerprint);
  return append_fields(std::move(values), comparison);
}

SqlValues key_and_place(std::int64_t key, std::size_t place) {
  return SqlValues().integer(key).integer(static_cast<std::int64_t>(place));
}

Result<void> write_rows(Transaction& transaction, std::int64_t key, const std::vector<ComparisonRow>& rows,
                        const std::vector<std::int64_t>& metric_keys) {
  const auto values = [&](std::size_t i) {
    return append_fields(key_and_place(key, i).integer(metric_keys[i]), rows[i]);
  };
  return transaction.copy(
      {"steelyard.comparison_rows", columns_of<ComparisonRow>({"comparison_key", "position", "metric_key"})},
      rows.size(), values);
}

Result<void> write_functions(Transaction& transaction, std::int64_t key, const std::vector<ComparisonRow>& rows) {
  std::vector<std::pair<std::size_t, std::size_t>> places;  // (row, function), to be copied as one stream
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < rows[row].functions.size(); ++i) places.emplace_back(row, i);
  }
  const auto values = [&](std::size_t i) {
    const auto [row, place] = places[i];
    return append_fields(key_and_place(key, row).integer(static_cast<std::int64_t>(place)), rows[row].functions[place]);
  };
  return transaction.copy(
      {"steelyard.comparison_functions", columns_of<FunctionChange>({"comparison_key", "row_position", "position"})},
      places.size(), values);
}

Result<void> write_solo_checks(Transaction& transaction, std::int64_t key, const std::vector<ComparisonRow>& rows) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].solo) places.push_back(i);
  }
  return transaction.copy(
      {"steelyard.comparison_solo_checks", columns_of<SoloCheck>({"comparison_key", "row_position"})}, places.size(),
      [&](std::size_t i) { return append_fields(key_and_place(key, places[i]), *rows[places[i]].solo); });
}

Result<void> write_creeps(Transaction& transaction, std::int64_t key, const std::vector<ComparisonRow>& rows) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].creep) places.push_back(i);
  }
  return transaction.copy(
      {"steelyard.comparison_creeps", columns_of<Creep>({"comparison_key", "row_position"})}, places.size(),
      [&](std::size_t i) { return append_fields(key_and_place(key, places[i]), *rows[places[i]].creep); });
}

Result<void> write_policies(Transaction& transaction, std::int64_t key, const std::vector<PatternPolicy>& policies) {
  return transaction.copy({"steelyard.comparison_policies", columns_of<PatternPolicy>({"comparison_key", "position"})},
                          policies.size(),
                          [&](std::size_t i) { return append_fields(key_and_place(key, i), policies[i]); });
}

Result<void> write_drifts(Transaction& transaction, std::int64_t key, const std::vector<SharedDrift>& drifts) {
  return transaction.copy({"steelyard.comparison_drifts", columns_of<SharedDrift>({"comparison_key", "position"})},
                          drifts.size(),
                          [&](std::size_t i) { return append_fields(key_and_place(key, i), drifts[i]); });
}

Result<void> write_sides(Transaction& transaction, std::int64_t key, const Comparison& comparison) {
  return transaction.copy({"steelyard.comparison_sides", columns_of<RunHeader>({"comparison_key", "side"})}, 2,
                          [&](std::size_t i) {
                            return append_fields(SqlValues().integer(key).text(i == 0 ? "baseline" : "candidate"),
                                                 i == 0 ? comparison.baseline : comparison.candidate);
                          });
}

Result<void> write_history(Transaction& transaction, std::int64_t key, const std::optional<JudgedHistory>& history) {
  if (!history) return {};
  STEELYARD_TRY(const PackedHistory packed, pack_history(*history));
  std::int64_t points = 0;
  for (const SeriesHistory& one : history->series) points += static_cast<std::int64_t>(one.series.points.size());
  SqlValues values;
  values.integer(key).text(history->branch).integer(static_cast<std::int64_t>(history->series.size()));
  values.integer(points).integer(packed.document_bytes).bytes(packed.bytes);
  STEELYARD_CHECK(transaction.run(kInsertHistory, values, kOneRow));
  return {};
}

// Of a comparison that is there already. An id cannot be computed by the server: another project's writer may have put
// something else under it.
Result<void> check_its_project(Transaction& transaction, const Comparison& comparison) {
  const std::string id = comparison_id(comparison);
  STEELYARD_TRY(const Rows rows, transaction.run("select project from steelyard.comparisons where id = $1",
                                                 SqlValues().text(id), kAtMostOneRow));
  if (rows.size() == 1 && rows.text(0, 0) == comparison.candidate.project) return {};
  return taken_id("steelyard.comparisons", id, comparison.candidate.project);
}

}  // namespace

Result<bool> write_comparison(Session& session, const Comparison& comparison, const ComparisonSubmission* submission) {
  const std::string branch = alert_branch(comparison.candidate, submission != nullptr && submission->of_request);
  std::vector<Metric> metrics;
  for (const ComparisonRow& row : comparison.rows) metrics.push_back(row.metric);
  STEELYARD_TRY(const auto metric_keys, keys_of_metrics(session, metrics));

  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::optional<std::int64_t> calibration_key, write_calibration(transaction, comparison));
  STEELYARD_TRY(const Rows header,
                transaction.run(insert_header(), header_values(comparison, branch, calibration_key), kAtMostOneRow));
  if (header.size() == 0) {
    STEELYARD_CHECK(check_its_project(transaction, comparison));
    return false;
  }
  const std::int64_t key = header.integer(0, 0);
  STEELYARD_CHECK(write_rows(transaction, key, comparison.rows, metric_keys));
  STEELYARD_CHECK(write_functions(transaction, key, comparison.rows));
  STEELYARD_CHECK(write_solo_checks(transaction, key, comparison.rows));
  STEELYARD_CHECK(write_creeps(transaction, key, comparison.rows));
  STEELYARD_CHECK(write_policies(transaction, key, comparison.policy.patterns));
  STEELYARD_CHECK(write_drifts(transaction, key, comparison.drifts));
  STEELYARD_CHECK(write_sides(transaction, key, comparison));
  STEELYARD_CHECK(write_history(transaction, key, comparison.history));
  STEELYARD_CHECK(refresh_alerts(transaction, comparison, branch));
  if (submission == nullptr) {
    STEELYARD_CHECK(accept_by_policy(transaction, comparison, branch, ""));
  } else {
    if (submission->may_accept) {
      STEELYARD_CHECK(accept_by_policy(transaction, comparison, branch, submission->note.who));
    }
    STEELYARD_CHECK(write_audit(transaction, submission->note));
  }
  STEELYARD_CHECK(transaction.commit());
  return true;
}

}  // namespace steelyard::storage
