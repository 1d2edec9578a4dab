#include "storage/postgres/comparisons/comparison_reader.hpp"

#include <optional>

#include "bench/model/kept_words.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/history_document.hpp"
#include "storage/postgres/session/sql_fields.hpp"
#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {
namespace {

constexpr std::size_t kShortestIdPrefix = 6;

// By id or prefix, as run_reader.cpp finds runs.
constexpr const char* kComparisonsByPrefix =
    "select id, comparison_key from steelyard.comparisons where id >= $1::text and id < $1::text || chr(1114111) "
    "order by id limit 2";

Result<std::int64_t> find_comparison(Session& session, Transaction& transaction, const std::string& id) {
  const std::string where = "comparison:" + id;
  if (id.size() < kShortestIdPrefix) {
    return input_error(where, std::to_string(id.size()) + " characters",
                       "at least " + std::to_string(kShortestIdPrefix) + " of the comparison's id");
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kComparisonsByPrefix, SqlValues().text(id)));
  if (rows.size() == 0) return input_error(where, "no such comparison in the store " + session.name());
  if (rows.size() > 1 && rows.text(0, 0) != id) {
    return input_error(where, "several comparisons, such as " + rows.text(0, 0) + " and " + rows.text(1, 0),
                       "one comparison", "write more of its id");
  }
  return rows.integer(0, 1);
}

// Of the sides what a comparison is found by: an older program kept no more of them.
Result<Comparison> read_comparison_header(Transaction& transaction, const SqlValues& key) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select c.project, c.baseline_run, c.candidate_run, c.baseline_commit, c.candidate_commit, "
                      "c.branch, c.compared_at_unix_ns, c.baseline_fingerprint, c.candidate_fingerprint, "
                      "k.document::text, " +
                          selected<Comparison>("c") +
                          " from steelyard.comparisons c left join steelyard.calibrations k using (calibration_key) "
                          "where c.comparison_key = $1",
                      key, kOneRow));
  Comparison comparison;
  RunHeader& baseline = comparison.baseline;
  RunHeader& candidate = comparison.candidate;
  std::optional<std::string> calibration;
  read_in_order(rows, 0, 0, candidate.project, baseline.id, candidate.id, baseline.commit.sha, candidate.commit.sha,
                candidate.commit.branch, candidate.created_at_unix_ns, comparison.baseline_fingerprint,
                comparison.candidate_fingerprint, calibration, comparison);
  baseline.project = candidate.project;
  if (!calibration) return comparison;
  STEELYARD_TRY(comparison.calibration,
                parse_calibration(zero_bytes_from_jsonb(*calibration), "the comparison's calibration"));
  return comparison;
}

Result<void> read_sides(Transaction& transaction, const SqlValues& key, Comparison& comparison) {
  STEELYARD_TRY(const Rows sides, transaction.run("select s.side, " + selected<RunHeader>("s") +
                                                      " from steelyard.comparison_sides s where s.comparison_key = $1",
                                                  key));
  for (std::int64_t i = 0; i < sides.size(); ++i) {
    RunHeader header;
    read_fields(sides, i, 1, header);
    (sides.raw(i, 0) == "baseline" ? comparison.baseline : comparison.candidate) = std::move(header);
  }
  return {};
}

Result<void> read_history(Transaction& transaction, const SqlValues& key, Comparison& comparison) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select document_bytes, document from steelyard.comparison_histories where comparison_key = $1",
                      key, kAtMostOneRow));
  if (rows.size() == 0) return {};
  STEELYARD_TRY(comparison.history, unpack_history({bytes_of_text(rows.raw(0, 1)), rows.integer(0, 0)},
                                                   "the comparison's history in the store"));
  return {};
}

// All rows that the statement gives, appended.
template <Described T>
Result<void> read_list(Transaction& transaction, const SqlValues& key, const std::string& statement,
                       std::vector<T>& list) {
  STEELYARD_TRY(const Rows rows, transaction.run(statement, key));
  for (std::int64_t i = 0; i < rows.size(); ++i) read_fields(rows, i, 0, list.emplace_back());
  return {};
}

// Calls take(row, rows, i) for each row of the answer; its first column is the place of a row of the comparison.
template <class Take>
Result<void> read_of_rows(Transaction& transaction, const SqlValues& key, const std::string& statement,
                          std::vector<ComparisonRow>& list, Take take) {
  STEELYARD_TRY(const Rows rows, transaction.run(statement, key));
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<std::size_t>(rows.integer(i, 0));
    if (at < list.size()) take(list[at], rows, i);
  }
  return {};
}

Result<void> read_rows(Transaction& transaction, const SqlValues& key, std::vector<ComparisonRow>& list) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select r.notes is null, " + selected<ComparisonRow>("r") +
                                    " from steelyard.comparison_rows r join steelyard.metrics using (metric_key) "
                                    "where r.comparison_key = $1 order by r.position",
                                key));
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    ComparisonRow& row = list.emplace_back();
    read_fields(rows, i, 1, row);
    if (rows.boolean(i, 0)) row.notes = read_notes(row.reason);
    read_gate_note(row);
  }
  STEELYARD_CHECK(read_of_rows(transaction, key,
                               "select f.row_position, " + selected<FunctionChange>("f") +
                                   " from steelyard.comparison_functions f where f.comparison_key = $1 "
                                   "order by f.row_position, f.position",
                               list, [](ComparisonRow& row, const Rows& functions, std::int64_t i) {
                                 read_fields(functions, i, 1, row.functions.emplace_back());
                               }));
  STEELYARD_CHECK(read_of_rows(transaction, key,
                               "select s.row_position, " + selected<SoloCheck>("s") +
                                   " from steelyard.comparison_solo_checks s where s.comparison_key = $1",
                               list, [](ComparisonRow& row, const Rows& checks, std::int64_t i) {
                                 read_fields(checks, i, 1, row.solo.emplace());
                               }));
  return read_of_rows(transaction, key,
                      "select c.row_position, " + selected<Creep>("c") +
                          " from steelyard.comparison_creeps c where c.comparison_key = $1",
                      list, [](ComparisonRow& row, const Rows& creeps, std::int64_t i) {
                        read_fields(creeps, i, 1, row.creep.emplace());
                      });
}

}  // namespace

Result<Comparison> read_comparison_row(Session& session, const std::string& id) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::int64_t number, find_comparison(session, transaction, id));
  const SqlValues key = SqlValues().integer(number);
  STEELYARD_TRY(Comparison comparison, read_comparison_header(transaction, key));
  STEELYARD_CHECK(read_sides(transaction, key, comparison));
  STEELYARD_CHECK(read_history(transaction, key, comparison));
  STEELYARD_CHECK(read_list(transaction, key,
                            "select " + selected<PatternPolicy>("p") +
                                " from steelyard.comparison_policies p where p.comparison_key = $1 order by p.position",
                            comparison.policy.patterns));
  STEELYARD_CHECK(read_list(transaction, key,
                            "select " + selected<SharedDrift>("d") +
                                " from steelyard.comparison_drifts d where d.comparison_key = $1 order by d.position",
                            comparison.drifts));
  STEELYARD_CHECK(read_rows(transaction, key, comparison.rows));
  return comparison;
}

}  // namespace steelyard::storage
