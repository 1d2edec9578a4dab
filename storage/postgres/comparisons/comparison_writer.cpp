#include "storage/postgres/comparisons/comparison_writer.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "bench/model/sha256.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/comparisons/comparison_inputs.hpp"
#include "storage/postgres/session/database_text.hpp"
#include "storage/postgres/session/dictionaries.hpp"

namespace steelyard {
namespace {

constexpr const char* kInsert =
    "insert into steelyard.comparisons (id, project, baseline_run, candidate_run, baseline_commit, candidate_commit, "
    "branch, compared_at_unix_ns, baseline_fingerprint, candidate_fingerprint, difference_names, difference_baselines, "
    "difference_candidates, difference_decisive, false_alarm_rate, confidence, minimum_effect, margin, seed, metrics, "
    "ignored_facts, rule_version, warnings, gates, counted_minimum_effect, witness, calibration_key) values ("
    "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, "
    "$25, $26, $27) on conflict (id) do nothing returning comparison_key";

constexpr const char* kInsertCalibration =
    "insert into steelyard.calibrations (id, fingerprint, layout, measured_at_unix_s, program, rounds, level, gates, "
    "false_gates, comparisons, false_alarms, drift_sequential, failed, reason, document) values ($1, $2, $3, $4, $5, "
    "$6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb) on conflict (id) do nothing";

// Its key; absent where the comparison knows of none.
Result<std::optional<std::int64_t>> write_calibration(Transaction& transaction, const Comparison& comparison) {
  if (!comparison.calibration) return std::optional<std::int64_t>();
  const Calibration& calibration = *comparison.calibration;
  const std::string document = calibration_document(calibration);
  const std::string id = sha256_hex(document);
  SqlValues values;
  values.text(id).text(calibration.fingerprint).text(to_text(calibration.layout)).integer(calibration.at_unix_s);
  values.text(calibration.program).integer(calibration.rounds).number(calibration.level);
  values.integer(calibration.false_gates.tries).integer(calibration.false_gates.count);
  values.integer(calibration.false_alarms.tries).integer(calibration.false_alarms.count);
  values.number(calibration.drift_sequential).boolean(calibration.failed).text(calibration.reason);
  values.text(zero_bytes_for_jsonb(document));
  STEELYARD_CHECK(transaction.run(kInsertCalibration, values, kAnyRows));
  STEELYARD_TRY(const Rows rows, transaction.run("select calibration_key from steelyard.calibrations where id = $1",
                                                 SqlValues().text(id), kOneRow));
  return std::optional(rows.integer(0, 0));
}

SqlValues header_values(const Comparison& comparison, const std::optional<std::int64_t>& calibration_key) {
  std::vector<std::string> names;
  std::vector<std::string> baselines;
  std::vector<std::string> candidates;
  std::vector<bool> decisive;
  for (const FactDifference& difference : comparison.environment_differences) {
    names.push_back(difference.name);
    baselines.push_back(difference.baseline);
    candidates.push_back(difference.candidate);
    decisive.push_back(difference.decisive);
  }
  const RunHeader& candidate = comparison.candidate;
  const ComparisonPolicy& policy = comparison.policy;
  SqlValues values;
  values.text(comparison_id(comparison)).text(candidate.project).text(comparison.baseline.id).text(candidate.id);
  values.text(comparison.baseline.commit.sha).text(candidate.commit.sha).text(candidate.commit.branch);
  values.integer(candidate.created_at_unix_ns).text(comparison.baseline_fingerprint);
  values.text(comparison.candidate_fingerprint).texts(names).texts(baselines).texts(candidates).booleans(decisive);
  values.number(policy.false_alarm_rate).number(policy.confidence).number(policy.minimum_effect);
  values.number(policy.margin).unsigned_integer(policy.seed).texts(policy.metrics).texts(policy.ignored_facts);
  values.text(comparison.rule_version).texts(comparison.warnings);
  values.texts(policy.gates).number(policy.counted_minimum_effect).text(to_text(policy.witness));
  return values.integer(calibration_key);
}

SqlValues row_values(std::int64_t comparison_key, std::size_t position, const ComparisonRow& row,
                     std::int64_t metric_key) {
  SqlValues values;
  values.integer(comparison_key).integer(static_cast<std::int64_t>(position)).text(row.benchmark).integer(metric_key);
  values.number(row.baseline).number(row.candidate).number(row.ratio);
  values.number(low_of(row.interval)).number(high_of(row.interval));
  values.number(row.confidence).text(row.test).text(to_text(row.layout)).number(row.p).text(row.p_kind).number(row.q);
  values.number(row.minimum_effect).number(row.margin).number(row.minimum_detectable_effect).number(row.slot_effect);
  values.integer(row.rounds).number(row.jitter).text(to_text(row.verdict)).text(row.reason);
  if (row.metric.kind == MetricKind::counted) {
    values.text(to_text(row.count_scope));
  } else {
    values.null();
  }
  values.boolean(row.gates).text(row.gate_note).texts(row.call_path).number(row.discovery_q);
  values.number(low_of(row.equivalence_interval)).number(high_of(row.equivalence_interval));
  values.integer(row.rounds_wanted ? std::optional<std::int64_t>(*row.rounds_wanted) : std::nullopt);
  values.number(row.noise.within).number(row.noise.between).number(row.noise.rounds);
  std::vector<std::int64_t> rounds;
  std::vector<double> p;
  std::vector<double> shares;
  for (const Look& look : row.looks) {
    rounds.push_back(look.rounds);
    p.push_back(look.p);
    shares.push_back(look.share);
  }
  return values.integers(rounds).numbers(p).numbers(shares);
}

// (row, function) of every function of every row, so that they can be copied as one stream.
std::vector<std::pair<std::size_t, std::size_t>> function_positions(const Comparison& comparison) {
  std::vector<std::pair<std::size_t, std::size_t>> positions;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    for (std::size_t i = 0; i < comparison.rows[row].functions.size(); ++i) positions.emplace_back(row, i);
  }
  return positions;
}

Result<void> write_functions(Transaction& transaction, std::int64_t key, const Comparison& comparison) {
  const auto positions = function_positions(comparison);
  return transaction.copy(
      {"steelyard.comparison_functions",
       {"comparison_key", "row_position", "position", "name", "file", "line", "self_change", "inclusive_change",
        "calls_change", "share", "own_source", "from_calls", "from_cost_per_call", "renamed_from", "inlined_into",
        "once_inlined_into"}},
      positions.size(), [&](std::size_t i) {
        const auto [row, position] = positions[i];
        const FunctionChange& function = comparison.rows[row].functions[position];
        SqlValues values;
        values.integer(key).integer(static_cast<std::int64_t>(row)).integer(static_cast<std::int64_t>(position));
        values.text(function.name).text(function.file).integer(function.line).number(function.self_change);
        values.number(function.inclusive_change).number(function.calls_change).number(function.share);
        values.boolean(function.own_source).number(function.from_calls).number(function.from_cost_per_call);
        return values.text(function.renamed_from).text(function.inlined_into).text(function.once_inlined_into);
      });
}

Result<void> write_drifts(Transaction& transaction, std::int64_t key, const Comparison& comparison) {
  return transaction.copy(
      {"steelyard.comparison_drifts",
       {"comparison_key", "position", "metric", "ratio", "deviation", "benchmarks", "removed"}},
      comparison.drifts.size(), [&](std::size_t i) {
        const SharedDrift& drift = comparison.drifts[i];
        SqlValues values;
        values.integer(key).integer(static_cast<std::int64_t>(i)).text(drift.metric).number(drift.ratio);
        return values.number(drift.deviation).integer(drift.benchmarks).boolean(drift.removed);
      });
}

Result<void> write_solo_checks(Transaction& transaction, std::int64_t key, const Comparison& comparison) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    if (comparison.rows[i].solo) positions.push_back(i);
  }
  return transaction.copy(
      {"steelyard.comparison_solo_checks",
       {"comparison_key", "row_position", "ratio", "interval_low", "interval_high", "rounds", "agrees"}},
      positions.size(), [&](std::size_t i) {
        const SoloCheck& solo = *comparison.rows[positions[i]].solo;
        SqlValues values;
        values.integer(key).integer(static_cast<std::int64_t>(positions[i])).number(solo.ratio);
        values.number(low_of(solo.interval)).number(high_of(solo.interval)).integer(solo.rounds);
        return solo.agrees ? values.boolean(*solo.agrees) : values.null();
      });
}

}  // namespace

Result<bool> write_comparison(Session& session, const Comparison& comparison) {
  std::vector<Metric> metrics;
  for (const ComparisonRow& row : comparison.rows) metrics.push_back(row.metric);
  STEELYARD_TRY(const auto metric_keys, keys_of_metrics(session, metrics));

  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::optional<std::int64_t> calibration_key, write_calibration(transaction, comparison));
  STEELYARD_TRY(const Rows header, transaction.run(kInsert, header_values(comparison, calibration_key), kAtMostOneRow));
  if (header.size() == 0) return false;
  const std::int64_t key = header.integer(0, 0);
  STEELYARD_CHECK(transaction.copy(
      {"steelyard.comparison_rows",
       {"comparison_key",
        "position",
        "benchmark",
        "metric_key",
        "baseline",
        "candidate",
        "ratio",
        "interval_low",
        "interval_high",
        "confidence",
        "test",
        "layout",
        "p",
        "p_kind",
        "q",
        "minimum_effect",
        "margin",
        "minimum_detectable_effect",
        "slot_effect",
        "rounds",
        "jitter",
        "verdict",
        "reason",
        "count_scope",
        "gates",
        "gate_note",
        "call_path",
        "discovery_q",
        "equivalence_low",
        "equivalence_high",
        "rounds_wanted",
        "noise_within",
        "noise_between",
        "noise_rounds",
        "look_rounds",
        "look_p",
        "look_share"}},
      comparison.rows.size(), [&](std::size_t i) { return row_values(key, i, comparison.rows[i], metric_keys[i]); }));
  STEELYARD_CHECK(write_functions(transaction, key, comparison));
  STEELYARD_CHECK(write_drifts(transaction, key, comparison));
  STEELYARD_CHECK(write_solo_checks(transaction, key, comparison));
  STEELYARD_CHECK(write_comparison_inputs(transaction, key, comparison));
  STEELYARD_CHECK(refresh_alerts(transaction, comparison));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

}  // namespace steelyard
