#include "ci/judging/replay.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "ci/attribution/attribute.hpp"
#include "ci/attribution/own_folders.hpp"
#include "ci/measuring/equal_builds.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/match.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/judge_history.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard {
namespace {

constexpr const char* kAbsent = "absent";
constexpr const char* kWhole = "all benchmarks";

// The digits that read back to the same bits.
std::string exact(double value) {
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), written.ptr};
}
std::string exact(const std::optional<double>& value) { return value ? exact(*value) : kAbsent; }
std::string exact(const std::optional<Interval>& interval) {
  return interval ? exact(interval->low) + " to " + exact(interval->high) : kAbsent;
}

std::string looks_text(const std::vector<Look>& looks) {
  std::string text;
  for (const Look& look : looks) {
    text +=
        (text.empty() ? "" : ", ") + std::to_string(look.rounds) + ": " + exact(look.p) + " of " + exact(look.share);
  }
  return text.empty() ? kAbsent : text;
}

std::string solo_text(const std::optional<SoloCheck>& solo) {
  if (!solo) return kAbsent;
  const std::string agrees = !solo->agrees ? kAbsent : *solo->agrees ? "true" : "false";
  return exact(solo->ratio) + " (" + exact(solo->interval) + ") in " + std::to_string(solo->rounds) + ", " + agrees;
}

std::string functions_text(const ComparisonRow& row) {
  std::string text;
  for (const FunctionChange& function : row.functions) {
    text += function.name + " (" + function.file + ':' + std::to_string(function.line) + ") " +
            exact(function.self_change) + ' ' + exact(function.inclusive_change) + ' ' + exact(function.calls_change) +
            ' ' + exact(function.share) + ' ' + exact(function.from_calls) + ' ' + exact(function.from_cost_per_call) +
            (function.own_source ? " own" : "");
    for (const std::string* other : {&function.renamed_from, &function.inlined_into, &function.once_inlined_into}) {
      text += " \"" + *other + '"';
    }
    text += "; ";
  }
  for (const std::string& name : row.call_path) text += " > " + name;
  return text.empty() ? kAbsent : text;
}

using Key = std::pair<std::string, std::string>;
Key key_of(const ComparisonRow& row) { return {row.benchmark, row.metric.name}; }

bool is_told_by_counting(const ComparisonRow& row) {
  return row.test == "none" && row.verdict == Verdict::unchanged && row.reason.starts_with(kNotTimed);
}

// What counting found out about the two builds follows from the programs, which are not kept.
std::string without_equal_code(std::string reason) {
  const std::string told = "; " + std::string(kSameCode);
  const std::size_t at = reason.find(told);
  return at == std::string::npos ? reason : reason.erase(at, told.size());
}

// What an older program put into a store has the runs' ids there and no more of their headers, and no solo checks: what
// they said stands in the reasons.
bool is_without_solo(const Comparison& kept) { return kept.baseline.tool.empty() && kept.candidate.tool.empty(); }

bool is_same(const std::string& field, const std::string& kept, const std::string& recomputed) {
  return kept == recomputed || (field == "reason" && without_equal_code(kept) == recomputed);
}

void compare_rows(const ComparisonRow& kept, ComparisonRow recomputed, bool without_solo, Replay& replay) {
  if (without_solo && !kept.solo) recomputed.solo.reset();
  const auto was = judged_fields(kept);
  const auto is = judged_fields(recomputed);
  for (std::size_t i = 0; i < was.size(); ++i) {
    const auto& [field, text] = was[i];
    if (is_same(field, text, is[i].second)) continue;
    replay.differences.push_back({kept.benchmark, kept.metric.name, field, text, is[i].second});
  }
}

std::string drift_text(const SharedDrift& drift) {
  return exact(drift.ratio) + " +- " + exact(drift.deviation) + " of " + std::to_string(drift.benchmarks) +
         (drift.removed ? ", removed" : ", shown");
}

using TextByMetric = std::map<std::string, std::string>;

TextByMetric drift_texts(const Comparison& comparison) {
  TextByMetric texts;
  for (const SharedDrift& drift : comparison.drifts) texts[drift.metric] += drift_text(drift);
  return texts;
}

void compare_drifts(const Comparison& kept, const Comparison& recomputed, Replay& replay) {
  const TextByMetric was = drift_texts(kept);
  TextByMetric is = drift_texts(recomputed);
  for (const auto& [metric, text] : was) {
    const auto found = is.find(metric);
    const std::string other = found == is.end() ? kAbsent : found->second;
    if (text != other) replay.differences.push_back({kWhole, metric, "drift", text, other});
    if (found != is.end()) is.erase(found);
  }
  for (const auto& [metric, text] : is) replay.differences.push_back({kWhole, metric, "drift", kAbsent, text});
}

std::string changes_text(const std::vector<ChangePoint>& changes) {
  std::string text;
  for (const ChangePoint& change : changes) {
    text += (text.empty() ? "" : "; ") + std::to_string(change.index) + " (" + std::to_string(change.first) + " to " +
            std::to_string(change.last) + ") " + change.commit + ' ' + change.last_good + ' ' + exact(change.before) +
            ' ' + exact(change.after) + " p " + exact(change.p) +
            (change.status == ChangeStatus::confirmed ? " confirmed " : " suspected ") + change.id;
  }
  return text.empty() ? kAbsent : text;
}

// The change points follow from the values beside them.
void compare_changes(const Comparison& kept, Replay& replay) {
  for (const SeriesHistory& one : kept.history->series) {
    const std::string was = changes_text(one.changes);
    const std::string is = changes_text(changes_to_judge_by(one.series, kept.policy));
    if (was != is) replay.differences.push_back({one.series.name, one.series.metric, "change points", was, is});
  }
}

Comparison judge_again(const Comparison& kept, const Run& baseline, const Run& candidate) {
  const Calibration* calibration = kept.calibration ? &*kept.calibration : nullptr;
  if (!kept.history) return compare_runs(baseline, candidate, kept.policy, calibration);
  // A run from a file without an id was judged without one.
  Run judged = candidate;
  judged.header.id = kept.candidate.id;
  return judge_against_history({baseline, kept.history->series, kept.history->branch}, judged, kept.policy,
                               calibration);
}

// Through the document and back: names that are no UTF-8 and numbers that are not finite read alike, whether the kept
// one came from a document or from the store.
Comparison alike(const Comparison& comparison) {
  Result<Comparison> read = as_kept(comparison);
  return read ? std::move(read).value() : comparison;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> judged_fields(const ComparisonRow& row) {
  return {{"verdict", std::string(to_text(row.verdict))},
          {"ratio", exact(row.ratio)},
          {"interval", exact(row.interval)},
          {"p", exact(row.p)},
          {"q", exact(row.q)},
          {"discovery_q", exact(row.discovery_q)},
          {"p_kind", row.p_kind},
          {"looks", looks_text(row.looks)},
          {"test", row.test},
          {"layout", std::string(to_text(row.layout))},
          {"rounds", std::to_string(row.rounds)},
          {"confidence", exact(row.confidence)},
          {"baseline", exact(row.baseline)},
          {"candidate", exact(row.candidate)},
          {"unit", row.metric.unit},
          {"better", std::string(to_text(row.metric.better))},
          {"kind", std::string(to_text(row.metric.kind))},
          {"minimum_effect", exact(row.minimum_effect)},
          {"margin", exact(row.margin)},
          {"minimum_detectable_effect", exact(row.minimum_detectable_effect)},
          {"equivalence_interval", exact(row.equivalence_interval)},
          {"rounds_wanted", row.rounds_wanted ? std::to_string(*row.rounds_wanted) : kAbsent},
          {"noise.within", exact(row.noise.within)},
          {"noise.between", exact(row.noise.between)},
          {"noise.rounds", exact(row.noise.rounds)},
          {"slot_effect", exact(row.slot_effect)},
          {"jitter", exact(row.jitter)},
          {"solo", solo_text(row.solo)},
          {"count_scope", std::string(to_text(row.count_scope))},
          {"gates", row.gates ? "true" : "false"},
          {"gate_note", row.gate_note},
          {"reason", row.reason},
          {"functions", functions_text(row)}};
}

Replay replay(const Comparison& comparison, const Run& baseline, const Run& candidate) {
  const Comparison kept = alike(comparison);
  Comparison computed = judge_again(kept, baseline, candidate);
  Replay result;
  result.rule_version = computed.rule_version;
  for (const ComparisonRow& row : kept.rows) {
    if (!is_told_by_counting(row)) continue;
    ++result.untimed;
    computed.rows.push_back(row);
  }
  if (result.untimed > 0) decide_gates(computed);
  attribute(computed, baseline, candidate, {own_folders(baseline, candidate)});
  computed = alike(computed);

  std::map<Key, const ComparisonRow*> recomputed;
  for (const ComparisonRow& row : computed.rows) recomputed.emplace(key_of(row), &row);
  std::map<Key, const ComparisonRow*> known;
  for (const ComparisonRow& row : kept.rows) {
    known.emplace(key_of(row), &row);
    if (is_told_by_counting(row)) continue;
    ++result.rows;
    const auto found = recomputed.find(key_of(row));
    if (found == recomputed.end()) {
      result.differences.push_back({row.benchmark, row.metric.name, "row", "there", ""});
    } else {
      compare_rows(row, *found->second, is_without_solo(kept), result);
    }
  }
  for (const ComparisonRow& row : computed.rows) {
    // A metric that the policy names is not missing where equal builds were left untimed on purpose.
    const bool is_left_out = result.untimed > 0 && row.benchmark == kAllBenchmarks;
    if (known.count(key_of(row)) == 0 && !is_left_out) {
      result.differences.push_back({row.benchmark, row.metric.name, "row", "", "there"});
    }
  }
  compare_drifts(kept, computed, result);
  if (kept.history) compare_changes(kept, result);
  return result;
}

}  // namespace steelyard
