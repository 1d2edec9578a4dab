#include "storage/postgres/comparison_writer.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "storage/postgres/content_identity.hpp"
#include "storage/postgres/dictionaries.hpp"

namespace steelyard {
namespace {

void add(ContentIdentity& identity, const RunHeader& header) {
  const Commit& commit = header.commit;
  identity.text(header.id).integer(header.created_at_unix_ns).text(header.tool).text(header.project);
  identity.text(header.program).text(header.session).text(to_text(header.layout)).text(std::to_string(header.seed));
  identity.text(commit.sha).text(commit.parent).text(commit.branch).text(commit.subject);
  identity.integer(commit.committed_at_unix_s).integer(commit.dirty ? 1 : 0);
  identity.integer(static_cast<std::int64_t>(header.settings.size()));
  for (const auto& [name, text] : header.settings) identity.text(name).text(text);
}

void add(ContentIdentity& identity, const ComparisonPolicy& policy) {
  identity.number(policy.false_alarm_rate).number(policy.confidence).number(policy.minimum_effect);
  identity.number(policy.margin).text(std::to_string(policy.seed)).texts(policy.metrics).texts(policy.ignored_facts);
  // What came later is left out at its default: comparisons that are stored already keep their identity.
  const ComparisonPolicy usual;
  if (policy.gates == usual.gates && policy.counted_minimum_effect == usual.counted_minimum_effect &&
      policy.witness == usual.witness) {
    return;
  }
  identity.texts(policy.gates).number(policy.counted_minimum_effect).text(to_text(policy.witness));
}

// Likewise.
void add_attribution(ContentIdentity& identity, const ComparisonRow& row) {
  const ComparisonRow usual;
  const bool is_usual = row.count_scope == usual.count_scope && row.gates && row.call_path.empty();
  if (!is_usual) {
    identity.text(to_text(row.count_scope)).integer(row.gates ? 1 : 0).text(row.gate_note).texts(row.call_path);
  }
  for (const FunctionChange& function : row.functions) {
    const bool says_more = function.from_calls || function.from_cost_per_call || !function.renamed_from.empty() ||
                           !function.inlined_into.empty() || !function.once_inlined_into.empty();
    if (!says_more) continue;
    identity.number(function.from_calls).number(function.from_cost_per_call).text(function.renamed_from);
    identity.text(function.inlined_into).text(function.once_inlined_into);
  }
}

void add(ContentIdentity& identity, const ComparisonRow& row) {
  const auto low = row.interval ? std::optional(row.interval->low) : std::nullopt;
  const auto high = row.interval ? std::optional(row.interval->high) : std::nullopt;
  identity.text(row.benchmark).text(row.metric.name).text(row.metric.unit).text(to_text(row.metric.better));
  identity.text(to_text(row.metric.kind)).number(row.baseline).number(row.candidate).number(row.ratio);
  identity.number(low).number(high).number(row.confidence).text(row.test).text(to_text(row.layout)).number(row.p);
  identity.text(row.p_kind).number(row.q).number(row.minimum_effect).number(row.margin);
  identity.number(row.minimum_detectable_effect).number(row.slot_effect).integer(row.rounds).number(row.jitter);
  identity.text(to_text(row.verdict)).text(row.reason).integer(static_cast<std::int64_t>(row.functions.size()));
  for (const FunctionChange& function : row.functions) {
    identity.text(function.name).text(function.file).integer(function.line).number(function.self_change);
    identity.number(function.inclusive_change).number(function.calls_change).number(function.share);
    identity.integer(function.own_source ? 1 : 0);
  }
  add_attribution(identity, row);
}

constexpr const char* kInsert =
    "insert into steelyard.comparisons (id, project, baseline_run, candidate_run, baseline_commit, candidate_commit, "
    "branch, compared_at_unix_ns, baseline_fingerprint, candidate_fingerprint, difference_names, difference_baselines, "
    "difference_candidates, difference_decisive, false_alarm_rate, confidence, minimum_effect, margin, seed, metrics, "
    "ignored_facts, rule_version, warnings, gates, counted_minimum_effect, witness) values ($1, $2, $3, $4, $5, $6, "
    "$7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) on conflict (id) "
    "do nothing returning comparison_key";

SqlValues header_values(const Comparison& comparison) {
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
  values.text(identity_of(comparison)).text(candidate.project).text(comparison.baseline.id).text(candidate.id);
  values.text(comparison.baseline.commit.sha).text(candidate.commit.sha).text(candidate.commit.branch);
  values.integer(candidate.created_at_unix_ns).text(comparison.baseline_fingerprint);
  values.text(comparison.candidate_fingerprint).texts(names).texts(baselines).texts(candidates).booleans(decisive);
  values.number(policy.false_alarm_rate).number(policy.confidence).number(policy.minimum_effect);
  values.number(policy.margin).unsigned_integer(policy.seed).texts(policy.metrics).texts(policy.ignored_facts);
  values.text(comparison.rule_version).texts(comparison.warnings);
  return values.texts(policy.gates).number(policy.counted_minimum_effect).text(to_text(policy.witness));
}

SqlValues row_values(std::int64_t comparison_key, std::size_t position, const ComparisonRow& row,
                     std::int64_t metric_key) {
  SqlValues values;
  values.integer(comparison_key).integer(static_cast<std::int64_t>(position)).text(row.benchmark).integer(metric_key);
  values.number(row.baseline).number(row.candidate).number(row.ratio);
  values.number(row.interval ? std::optional(row.interval->low) : std::nullopt);
  values.number(row.interval ? std::optional(row.interval->high) : std::nullopt);
  values.number(row.confidence).text(row.test).text(to_text(row.layout)).number(row.p).text(row.p_kind).number(row.q);
  values.number(row.minimum_effect).number(row.margin).number(row.minimum_detectable_effect).number(row.slot_effect);
  values.integer(row.rounds).number(row.jitter).text(to_text(row.verdict)).text(row.reason);
  if (row.metric.kind == MetricKind::counted) {
    values.text(to_text(row.count_scope));
  } else {
    values.null();
  }
  return values.boolean(row.gates).text(row.gate_note).texts(row.call_path);
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

}  // namespace

std::string identity_of(const Comparison& comparison) {
  ContentIdentity identity;
  add(identity, comparison.baseline);
  add(identity, comparison.candidate);
  identity.text(comparison.baseline_fingerprint).text(comparison.candidate_fingerprint);
  identity.integer(static_cast<std::int64_t>(comparison.environment_differences.size()));
  for (const FactDifference& difference : comparison.environment_differences) {
    identity.text(difference.name).text(difference.baseline).text(difference.candidate);
    identity.integer(difference.decisive ? 1 : 0);
  }
  add(identity, comparison.policy);
  identity.text(comparison.rule_version).texts(comparison.warnings);
  for (const ComparisonRow& row : comparison.rows) add(identity, row);
  return identity.hex();
}

Result<bool> write_comparison(Session& session, const Comparison& comparison) {
  std::vector<Metric> metrics;
  for (const ComparisonRow& row : comparison.rows) metrics.push_back(row.metric);
  STEELYARD_TRY(const auto metric_keys, keys_of_metrics(session, metrics));

  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows header, transaction.run(kInsert, header_values(comparison), kAtMostOneRow));
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
        "call_path"}},
      comparison.rows.size(), [&](std::size_t i) { return row_values(key, i, comparison.rows[i], metric_keys[i]); }));
  STEELYARD_CHECK(write_functions(transaction, key, comparison));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

}  // namespace steelyard
