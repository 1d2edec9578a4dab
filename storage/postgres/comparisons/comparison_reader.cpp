#include "storage/postgres/comparisons/comparison_reader.hpp"

#include <charconv>
#include <optional>

#include "storage/calibration/calibration_document.hpp"
#include "storage/postgres/comparisons/comparison_inputs.hpp"
#include "storage/postgres/session/database_text.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kShortestPrefix = 6;

// As run_reader.cpp finds runs.
constexpr const char* kByPrefix =
    "select id, comparison_key from steelyard.comparisons where id >= $1::text and id < $1::text || chr(1114111) "
    "order by id limit 2";
constexpr const char* kHeader =
    "select c.project, c.baseline_run, c.candidate_run, c.baseline_commit, c.candidate_commit, c.branch, "
    "c.compared_at_unix_ns, c.baseline_fingerprint, c.candidate_fingerprint, c.difference_names, "
    "c.difference_baselines, c.difference_candidates, c.difference_decisive::text[], c.false_alarm_rate, c.confidence, "
    "c.minimum_effect, c.margin, c.seed, c.metrics, c.ignored_facts, c.rule_version, c.warnings, c.gates, "
    "c.counted_minimum_effect, c.witness, k.document::text "
    "from steelyard.comparisons c left join steelyard.calibrations k using (calibration_key) "
    "where c.comparison_key = $1";
constexpr const char* kRows =
    "select r.benchmark, m.name, m.unit, m.better, m.kind, r.baseline, r.candidate, r.ratio, r.interval_low, "
    "r.interval_high, r.confidence, r.test, r.layout, r.p, r.p_kind, r.q, r.minimum_effect, r.margin, "
    "r.minimum_detectable_effect, r.slot_effect, r.rounds, r.jitter, r.verdict, r.reason, r.count_scope, r.gates, "
    "r.gate_note, r.call_path, r.discovery_q, r.equivalence_low, r.equivalence_high, r.rounds_wanted, r.noise_within, "
    "r.noise_between, r.noise_rounds, r.look_rounds, r.look_p, r.look_share "
    "from steelyard.comparison_rows r join steelyard.metrics m using (metric_key) where r.comparison_key = $1 "
    "order by r.position";
constexpr const char* kFunctions =
    "select row_position, name, file, line, self_change, inclusive_change, calls_change, share, own_source, "
    "from_calls, from_cost_per_call, renamed_from, inlined_into, once_inlined_into "
    "from steelyard.comparison_functions where comparison_key = $1 order by row_position, position";
constexpr const char* kSoloChecks =
    "select row_position, ratio, interval_low, interval_high, rounds, agrees from steelyard.comparison_solo_checks "
    "where comparison_key = $1";
constexpr const char* kDrifts =
    "select metric, ratio, deviation, benchmarks, removed from steelyard.comparison_drifts where comparison_key = $1 "
    "order by position";

std::optional<double> number_or_absent(const Rows& rows, std::int64_t row, int column) {
  return rows.is_null(row, column) ? std::nullopt : std::optional(rows.number(row, column));
}
std::optional<Interval> interval_or_absent(const Rows& rows, std::int64_t row, int column) {
  if (rows.is_null(row, column) || rows.is_null(row, column + 1)) return std::nullopt;
  return Interval{rows.number(row, column), rows.number(row, column + 1)};
}

Result<std::int64_t> find_comparison(Session& session, Transaction& transaction, const std::string& id) {
  const std::string where = "comparison:" + id;
  if (id.size() < kShortestPrefix) {
    return input_error(where, std::to_string(id.size()) + " characters",
                       "at least " + std::to_string(kShortestPrefix) + " of the comparison's id");
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kByPrefix, SqlValues().text(id)));
  if (rows.size() == 0) return input_error(where, "no such comparison in the store " + session.name());
  if (rows.size() > 1 && rows.text(0, 0) != id) {
    return input_error(where, "several comparisons, such as " + rows.text(0, 0) + " and " + rows.text(1, 0),
                       "one comparison", "write more of its id");
  }
  return rows.integer(0, 1);
}

void read_policy(const Rows& rows, ComparisonPolicy& policy) {
  policy.false_alarm_rate = rows.number(0, 13);
  policy.confidence = rows.number(0, 14);
  policy.minimum_effect = rows.number(0, 15);
  policy.margin = rows.number(0, 16);
  const std::string_view seed = rows.raw(0, 17);
  std::from_chars(seed.data(), seed.data() + seed.size(), policy.seed);
  policy.metrics = texts_of_array(rows.raw(0, 18));
  policy.ignored_facts = texts_of_array(rows.raw(0, 19));
  policy.gates = texts_of_array(rows.raw(0, 22));
  policy.counted_minimum_effect = rows.number(0, 23);
  policy.witness = parse_witness(rows.raw(0, 24)).value_or(Witness::either);
}

Result<Comparison> read_header(Transaction& transaction, std::int64_t key) {
  STEELYARD_TRY(const Rows rows, transaction.run(kHeader, SqlValues().integer(key), kOneRow));
  Comparison comparison;
  comparison.baseline.project = comparison.candidate.project = rows.text(0, 0);
  comparison.baseline.id = rows.text(0, 1);
  comparison.candidate.id = rows.text(0, 2);
  comparison.baseline.commit.sha = rows.text(0, 3);
  comparison.candidate.commit.sha = rows.text(0, 4);
  comparison.candidate.commit.branch = rows.text(0, 5);
  comparison.candidate.created_at_unix_ns = rows.integer(0, 6);
  comparison.baseline_fingerprint = rows.text(0, 7);
  comparison.candidate_fingerprint = rows.text(0, 8);
  const auto names = texts_of_array(rows.raw(0, 9));
  const auto baselines = texts_of_array(rows.raw(0, 10));
  const auto candidates = texts_of_array(rows.raw(0, 11));
  const auto decisive = texts_of_array(rows.raw(0, 12));
  for (std::size_t i = 0; i < names.size() && i < baselines.size() && i < candidates.size() && i < decisive.size();
       ++i) {
    comparison.environment_differences.push_back({names[i], baselines[i], candidates[i], decisive[i] == "true"});
  }
  read_policy(rows, comparison.policy);
  comparison.rule_version = rows.text(0, 20);
  comparison.warnings = texts_of_array(rows.raw(0, 21));
  if (!rows.is_null(0, 25)) {
    STEELYARD_TRY(comparison.calibration,
                  parse_calibration(zero_bytes_from_jsonb(rows.text(0, 25)), "the comparison's calibration"));
  }
  return comparison;
}

std::vector<Look> looks_of(const Rows& rows, std::int64_t at) {
  const auto rounds = integers_of_array(rows.raw(at, 35));
  const auto p = numbers_of_array(rows.raw(at, 36));
  const auto shares = numbers_of_array(rows.raw(at, 37));
  std::vector<Look> looks;
  for (std::size_t i = 0; i < rounds.size() && i < p.size() && i < shares.size(); ++i) {
    looks.push_back({static_cast<std::int32_t>(rounds[i]), p[i], shares[i]});
  }
  return looks;
}

ComparisonRow row_of(const Rows& rows, std::int64_t at) {
  ComparisonRow row;
  row.benchmark = rows.text(at, 0);
  row.metric.name = rows.text(at, 1);
  row.metric.unit = rows.text(at, 2);
  row.metric.better = parse_better(rows.raw(at, 3)).value_or(Better::lower);
  row.metric.kind = parse_metric_kind(rows.raw(at, 4)).value_or(MetricKind::noisy);
  row.baseline = number_or_absent(rows, at, 5);
  row.candidate = number_or_absent(rows, at, 6);
  row.ratio = number_or_absent(rows, at, 7);
  row.interval = interval_or_absent(rows, at, 8);
  row.confidence = rows.number(at, 10);
  row.test = rows.text(at, 11);
  row.layout = parse_layout(rows.raw(at, 12)).value_or(Layout::separate);
  row.p = number_or_absent(rows, at, 13);
  row.p_kind = rows.text(at, 14);
  row.q = number_or_absent(rows, at, 15);
  row.minimum_effect = rows.number(at, 16);
  row.margin = rows.number(at, 17);
  row.minimum_detectable_effect = number_or_absent(rows, at, 18);
  row.slot_effect = number_or_absent(rows, at, 19);
  row.rounds = static_cast<std::int32_t>(rows.integer(at, 20));
  row.jitter = number_or_absent(rows, at, 21);
  row.verdict = parse_verdict(rows.raw(at, 22)).value_or(Verdict::inconclusive);
  row.reason = rows.text(at, 23);
  if (!rows.is_null(at, 24)) row.count_scope = parse_count_scope(rows.raw(at, 24)).value_or(row.count_scope);
  row.gates = rows.boolean(at, 25);
  row.gate_note = rows.text(at, 26);
  row.call_path = texts_of_array(rows.raw(at, 27));
  row.discovery_q = number_or_absent(rows, at, 28);
  row.equivalence_interval = interval_or_absent(rows, at, 29);
  if (!rows.is_null(at, 31)) row.rounds_wanted = static_cast<std::int32_t>(rows.integer(at, 31));
  row.noise = {number_or_absent(rows, at, 32), number_or_absent(rows, at, 33), number_or_absent(rows, at, 34)};
  row.looks = looks_of(rows, at);
  return row;
}

FunctionChange function_of(const Rows& rows, std::int64_t at) {
  FunctionChange function;
  function.name = rows.text(at, 1);
  function.file = rows.text(at, 2);
  function.line = static_cast<std::int32_t>(rows.integer(at, 3));
  function.self_change = rows.number(at, 4);
  function.inclusive_change = rows.number(at, 5);
  function.calls_change = rows.number(at, 6);
  function.share = rows.number(at, 7);
  function.own_source = rows.boolean(at, 8);
  function.from_calls = number_or_absent(rows, at, 9);
  function.from_cost_per_call = number_or_absent(rows, at, 10);
  function.renamed_from = rows.text(at, 11);
  function.inlined_into = rows.text(at, 12);
  function.once_inlined_into = rows.text(at, 13);
  return function;
}

SoloCheck solo_of(const Rows& rows, std::int64_t at) {
  SoloCheck solo;
  solo.ratio = rows.number(at, 1);
  solo.interval = interval_or_absent(rows, at, 2);
  solo.rounds = static_cast<std::int32_t>(rows.integer(at, 4));
  if (!rows.is_null(at, 5)) solo.agrees = rows.boolean(at, 5);
  return solo;
}

}  // namespace

Result<Comparison> read_comparison_row(Session& session, const std::string& id) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::int64_t key, find_comparison(session, transaction, id));
  STEELYARD_TRY(Comparison comparison, read_header(transaction, key));
  STEELYARD_CHECK(read_comparison_inputs(transaction, key, comparison));
  STEELYARD_TRY(const Rows drifts, transaction.run(kDrifts, SqlValues().integer(key)));
  for (std::int64_t i = 0; i < drifts.size(); ++i) {
    comparison.drifts.push_back(
        {drifts.text(i, 0), drifts.number(i, 1), drifts.number(i, 2), drifts.integer(i, 3), drifts.boolean(i, 4)});
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kRows, SqlValues().integer(key)));
  for (std::int64_t i = 0; i < rows.size(); ++i) comparison.rows.push_back(row_of(rows, i));
  STEELYARD_TRY(const Rows functions, transaction.run(kFunctions, SqlValues().integer(key)));
  for (std::int64_t i = 0; i < functions.size(); ++i) {
    const auto at = static_cast<std::size_t>(functions.integer(i, 0));
    if (at < comparison.rows.size()) comparison.rows[at].functions.push_back(function_of(functions, i));
  }
  STEELYARD_TRY(const Rows solo_checks, transaction.run(kSoloChecks, SqlValues().integer(key)));
  for (std::int64_t i = 0; i < solo_checks.size(); ++i) {
    const auto at = static_cast<std::size_t>(solo_checks.integer(i, 0));
    if (at < comparison.rows.size()) comparison.rows[at].solo = solo_of(solo_checks, i);
  }
  return comparison;
}

}  // namespace steelyard
