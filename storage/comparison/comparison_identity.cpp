#include "storage/comparison/comparison_identity.hpp"

#include <optional>

#include "bench/model/sha256.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/history_document.hpp"
#include "storage/document/content_identity.hpp"

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
  // What came later is left out at what held without it, whatever the default is now: comparisons that are stored
  // already keep their identity.
  if (policy.gates.empty() && policy.counted_minimum_effect == 0 && policy.witness == Witness::either) return;
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

// Likewise.
void add_evidence(ContentIdentity& identity, const ComparisonRow& row) {
  const bool is_usual = row.looks.empty() && !row.discovery_q && !row.equivalence_interval && !row.rounds_wanted &&
                        row.noise == NoiseParts{};
  if (is_usual) return;
  identity.integer(static_cast<std::int64_t>(row.looks.size()));
  for (const Look& look : row.looks) identity.integer(look.rounds).number(look.p).number(look.share);
  identity.number(row.discovery_q).number(low_of(row.equivalence_interval)).number(high_of(row.equivalence_interval));
  identity.integer(row.rounds_wanted.value_or(-1)).number(row.noise.within).number(row.noise.between);
  identity.number(row.noise.rounds);
}

// Likewise.
void add_machine(ContentIdentity& identity, const Comparison& comparison) {
  if (comparison.drifts.empty() && !comparison.calibration) return;
  identity.integer(static_cast<std::int64_t>(comparison.drifts.size()));
  for (const SharedDrift& drift : comparison.drifts) {
    identity.text(drift.metric).number(drift.ratio).number(drift.deviation).integer(drift.benchmarks);
    identity.integer(drift.removed ? 1 : 0);
  }
  identity.text(comparison.calibration ? calibration_document(*comparison.calibration) : "");
}

// Likewise.
void add_solo(ContentIdentity& identity, const ComparisonRow& row) {
  if (!row.solo) return;
  identity.number(row.solo->ratio).number(low_of(row.solo->interval)).number(high_of(row.solo->interval));
  identity.integer(row.solo->rounds).integer(!row.solo->agrees ? -1 : *row.solo->agrees ? 1 : 0);
}

// Likewise.
void add_history(ContentIdentity& identity, const Comparison& comparison) {
  if (!comparison.history) return;
  identity.text(sha256_hex(history_document(*comparison.history)));
}

void add(ContentIdentity& identity, const ComparisonRow& row) {
  const auto low = low_of(row.interval);
  const auto high = high_of(row.interval);
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
  add_evidence(identity, row);
  add_solo(identity, row);
}

}  // namespace

std::string comparison_id(const Comparison& comparison) {
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
  add_machine(identity, comparison);
  add_history(identity, comparison);
  return identity.hex();
}

}  // namespace steelyard
