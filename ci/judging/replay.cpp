#include "ci/judging/replay.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/counting/count.hpp"
#include "bench/model/kept_words.hpp"
#include "bench/model/text.hpp"
#include "ci/attribution/attribute.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/judging/against_history.hpp"
#include "ci/measuring/equal_builds.hpp"
#include "ci/report/judgement_text.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/verdict.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/creep.hpp"
#include "regress/history/judge_history.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard::ci {
namespace {

constexpr const char* kAbsent = "absent";
constexpr const char* kWhole = "all benchmarks";
// A row that says so of what the runs have values of was forged.
constexpr const char* kUntimed = "unchanged, not timed";
constexpr const char* kOfTheRuns = ", of what the runs have";

// Fields as JSON has them: numbers with the digits that read back to the same bits.
template <Described T>
storage::JsonWriter object_of(const T& value) {
  storage::JsonWriter object;
  T::fields(object, value);
  return object;
}

template <Described T>
std::string list_of_changes(const std::vector<T>& list) {
  const std::string text = joined_text(list, ", ", [](const T& one) { return object_of(one).one_line(); });
  return text.empty() ? kAbsent : text;
}

// Every field of a row by its name, the verdict first.
std::vector<std::pair<std::string, std::string>> field_texts(const ComparisonRow& row) {
  auto texts = object_of(row).member_texts(kAbsent);
  std::stable_partition(texts.begin(), texts.end(), [](const auto& field) { return field.first == "verdict"; });
  return texts;
}

using Key = std::pair<std::string, std::string>;
Key key_of(const ComparisonRow& row) { return {row.benchmark, row.metric.name}; }

bool is_untimed(const ComparisonRow& row) {
  return row.test == TestKind::none && row.verdict == Verdict::unchanged && row.notes.has(RowNote::not_timed);
}

// What counting found out about the two builds follows from the programs, which are not kept: it is taken as it was
// said. So is a row that was left untimed because of it; not one for which the runs have something to judge.
void take_equality(const Comparison& kept, Comparison& computed) {
  std::set<Key> judged;
  for (const ComparisonRow& row : computed.rows) judged.insert(key_of(row));
  std::map<Key, RowNotes> told;
  for (const ComparisonRow& row : kept.rows) {
    if (is_untimed(row)) {
      if (!judged.contains(key_of(row))) computed.rows.push_back(row);
    } else {
      told.emplace(key_of(row), row.notes);
    }
  }
  for (ComparisonRow& row : computed.rows) {
    const auto known = told.find(key_of(row));
    if (is_untimed(row) || known == told.end()) continue;
    for (const RowNote note : {RowNote::equal_code, RowNote::equal_counts}) {
      if (known->second.has(note)) add_note(note, row);
    }
  }
}

// Whether counts were demanded is an option's to say, which is not kept: that nobody did is taken as it was said, of
// counts that failed and that neither run has.
void take_excuses(const Comparison& kept, const Run& baseline, const Run& candidate, Comparison& computed) {
  std::set<Key> excused;
  for (const ComparisonRow& row : kept.rows) {
    if (!row.gates && row.notes.has(RowNote::not_asked_for)) excused.insert(key_of(row));
  }
  for (ComparisonRow& row : computed.rows) {
    const bool is_excused = row.verdict == Verdict::failed && excused.contains(key_of(row)) &&
                            regress::is_unnamed_count(row, baseline, candidate, computed.policy);
    if (is_excused) excuse_in_words(row);
  }
}

// What small changes came to follows from the series as it was then: its steps are taken as they were kept, and what
// they amount to is concluded again.
void take_creep(const Comparison& kept, Comparison& computed) {
  const regress::Rules rules = regress::rules_of(kept.rule_version);
  for (const ComparisonRow& row : kept.rows) {
    if (!row.creep) continue;
    for (ComparisonRow& own : computed.rows) {
      if (key_of(own) != key_of(row) || !regress::may_creep(computed.policy, own, rules)) continue;
      own.creep = row.creep;
      regress::conclude(*own.creep, own.metric.better, rules);
    }
  }
}

// What an older program put into a store has the runs' ids there and no more of their headers, and no solo checks: what
// they said stands in the reasons.
bool is_without_solo(const Comparison& kept) { return kept.baseline.tool.empty() && kept.candidate.tool.empty(); }

void compare_rows(const ComparisonRow& kept, ComparisonRow recomputed, const Comparison& whole, Replay& replay) {
  if (is_without_solo(whole) && !kept.solo) recomputed.solo.reset();
  // What the row itself contradicts was told once, and is no part of the verdict.
  const bool is_withdrawn =
      !recomputed.minimum_detectable_effect && regress::contradicts_power(kept, whole.policy.false_alarm_rate);
  if (is_withdrawn) recomputed.minimum_detectable_effect = kept.minimum_detectable_effect;
  // Of an older program these are what its sentence tells, which need not be all that is known now.
  const bool is_as_told = kept.reason == recomputed.reason && kept.notes == read_notes(kept.reason);
  if (is_as_told) recomputed.notes = kept.notes;
  const auto was = field_texts(kept);
  const auto is = field_texts(recomputed);
  // By name: what an older program did not keep has nothing to be held against.
  for (const auto& [field, text] : was) {
    const auto same = std::ranges::find(
        is, field, [](const auto& other) -> const auto& { return other.first; });
    const std::string other = same == is.end() ? kAbsent : same->second;
    if (text != other) replay.differences.push_back({kept.benchmark, kept.metric.name, field, text, other});
  }
}

using TextByMetric = std::map<std::string, std::string>;

TextByMetric drift_texts(const Comparison& comparison) {
  TextByMetric texts;
  for (const SharedDrift& drift : comparison.drifts) texts[drift.metric] += object_of(drift).one_line();
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

// The change points follow from the values beside them.
void compare_changes(const Comparison& kept, Replay& replay) {
  const regress::Rules rules = regress::rules_of(kept.rule_version);
  for (const SeriesHistory& one : kept.history->series) {
    const std::string was = list_of_changes(one.changes);
    const std::string is = list_of_changes(regress::changes_to_judge_by(one.series, kept.policy, rules));
    if (was != is) replay.differences.push_back({one.series.name, one.series.metric, "change points", was, is});
  }
}

Comparison judge_again(const Comparison& kept, const Run& baseline, const Run& candidate) {
  const Calibration* calibration = kept.calibration ? &*kept.calibration : nullptr;
  const regress::Rules rules = regress::rules_of(kept.rule_version);
  if (!kept.history) return worded(regress::compare_runs(baseline, candidate, kept.policy, calibration, rules));
  // A run from a file without an id was judged without one.
  Run judged = candidate;
  judged.header.id = kept.candidate.id;
  return worded(regress::judge_against_history({baseline, kept.history->series, kept.history->branch}, judged,
                                               kept.policy, calibration, rules));
}

// Through the document and back: names that are no UTF-8 and numbers that are not finite read alike, whether the kept
// one came from a document or from the store.
Comparison alike(const Comparison& comparison) {
  Result<Comparison> read = storage::as_kept(comparison);
  return read ? std::move(read).value() : comparison;
}

// Whether annotate_equal_builds() left the row out, which the runs alone give: where nothing at all was timed on
// purpose, a metric of time that the policy names is not missing.
bool is_excluded(const ComparisonRow& row, const Comparison& kept) {
  const std::optional<Metric> metric = well_known_metric(row.metric.name);
  const bool is_missing_time =
      row.benchmark == kAllBenchmarks && row.verdict == Verdict::missing && metric && metric->kind == MetricKind::noisy;
  if (!is_missing_time) return false;
  std::set<std::string> untimed;
  for (const ComparisonRow& other : kept.rows) {
    if (is_untimed(other)) untimed.insert(other.benchmark);
  }
  return !untimed.empty() && std::ranges::all_of(kept.rows, [&](const ComparisonRow& other) {
    return other.benchmark == kAllBenchmarks || other.metric.kind == MetricKind::counted ||
           untimed.contains(other.benchmark);
  });
}

// As annotate_equal_builds() leaves such a row out, and a gate against a history what a filter excludes; not one that
// was kept.
void erase_excluded(const Comparison& kept, const RunHeader& candidate, Comparison& computed) {
  std::set<Key> known;
  for (const ComparisonRow& row : kept.rows) known.insert(key_of(row));
  const std::set<std::string> outside = benchmarks_outside_filter(candidate, computed);
  std::erase_if(computed.rows, [&](const ComparisonRow& row) {
    const bool is_outside = row.verdict == Verdict::missing && outside.contains(row.benchmark);
    return !known.contains(key_of(row)) && (is_outside || is_excluded(row, kept));
  });
}

Comparison judged_as(const AttributionOptions& naming, const Comparison& kept, const Run& baseline,
                     const Run& candidate) {
  Comparison computed = judge_again(kept, baseline, candidate);
  take_equality(kept, computed);
  erase_excluded(kept, candidate.header, computed);
  take_creep(kept, computed);
  attribute_in_words(computed, baseline, candidate, naming);
  take_excuses(kept, baseline, candidate, computed);
  return computed;
}

// `kept` is as its document has it.
Replay replay_with(const AttributionOptions& naming, const Comparison& kept, const Run& baseline,
                   const Run& candidate) {
  const Comparison computed = alike(judged_as(naming, kept, baseline, candidate));
  Replay result;
  result.rule_version = computed.rule_version;
  result.untimed = std::count_if(kept.rows.begin(), kept.rows.end(), is_untimed);

  std::map<Key, const ComparisonRow*> recomputed;
  for (const ComparisonRow& row : computed.rows) recomputed.emplace(key_of(row), &row);
  std::map<Key, const ComparisonRow*> known;
  for (const ComparisonRow& row : kept.rows) {
    known.emplace(key_of(row), &row);
    const auto found = recomputed.find(key_of(row));
    if (is_untimed(row)) {
      if (found != recomputed.end() && !is_untimed(*found->second)) {
        result.differences.push_back({row.benchmark, row.metric.name, "verdict", kUntimed,
                                      std::string(to_text(found->second->verdict)) + kOfTheRuns});
      }
      continue;
    }
    ++result.rows;
    if (found == recomputed.end()) {
      result.differences.push_back({row.benchmark, row.metric.name, "row", "there", ""});
    } else {
      compare_rows(row, *found->second, kept, result);
    }
  }
  for (const ComparisonRow& row : computed.rows) {
    if (!known.contains(key_of(row))) {
      result.differences.push_back({row.benchmark, row.metric.name, "row", "", "there"});
    }
  }
  compare_drifts(kept, computed, result);
  if (kept.history) compare_changes(kept, result);
  return result;
}

// As it is compared with another.
ComparisonPolicy comparable_policy(ComparisonPolicy policy) {
  const auto others = std::stable_partition(policy.patterns.begin(), policy.patterns.end(),
                                            [](const auto& table) { return !table.accepted_by.empty(); });
  std::sort(policy.patterns.begin(), others,
            [](const auto& a, const auto& b) { return object_of(a).one_line() < object_of(b).one_line(); });
  return policy;
}

// What is accepted here and was not there: without it more fails, and nothing less.
void exclude_unaccepted(const ComparisonPolicy& kept, ComparisonPolicy& own) {
  std::multiset<std::string> there;
  for (const PatternPolicy& table : kept.patterns) there.insert(object_of(table).one_line());
  std::erase_if(own.patterns, [&there](const PatternPolicy& table) {
    if (table.accepted_by.empty()) return false;
    const auto known = there.find(object_of(table).one_line());
    if (known == there.end()) return true;
    there.erase(known);
    return false;
  });
}

}  // namespace

std::vector<FieldDifference> differing_fields(const ComparisonPolicy& kept, const ComparisonPolicy& own,
                                              const std::string& absent) {
  std::map<std::string, std::pair<std::string, std::string>> fields;
  for (const auto& [field, text] : object_of(kept).member_texts(absent)) fields[field] = {text, absent};
  for (const auto& [field, text] : object_of(own).member_texts(absent)) {
    fields.try_emplace(field, absent, "").first->second.second = text;
  }
  fields.erase("seed");
  std::vector<FieldDifference> found;
  for (const auto& [field, texts] : fields) {
    if (texts.first != texts.second) found.push_back({kWhole, "policy", field, texts.first, texts.second});
  }
  return found;
}

std::vector<FieldDifference> policy_differences(const Comparison& kept, const Comparison& own) {
  const ComparisonPolicy there = comparable_policy(alike(kept).policy);
  ComparisonPolicy here = comparable_policy(alike(own).policy);
  exclude_unaccepted(there, here);
  // Shards keep no names of machines. A table that has one was judged by on that machine alone.
  for (std::size_t i = 0; i < std::min(there.patterns.size(), here.patterns.size()); ++i) {
    if (there.patterns[i].machine.empty()) here.patterns[i].machine.clear();
  }
  std::vector<FieldDifference> found = differing_fields(there, here, kAbsent);
  const auto calibration = [](const Comparison& comparison) {
    const Comparison document = alike(comparison);
    return document.calibration ? object_of(*document.calibration).one_line() : kAbsent;
  };
  if (const std::string was_by = calibration(kept), is_by = calibration(own); was_by != is_by) {
    found.push_back({kWhole, "policy", "calibration", was_by, is_by});
  }
  if (kept.rule_version != own.rule_version) {
    found.push_back({kWhole, "policy", "rule_version", kept.rule_version, own.rule_version});
  }
  return found;
}

Comparison judged_as(const Comparison& kept, const Run& baseline, const Run& candidate) {
  return judged_as({own_folders(baseline, candidate)}, kept, baseline, candidate);
}

Replay replay(const Comparison& comparison, const Run& baseline, const Run& candidate) {
  const Comparison kept = alike(comparison);
  AttributionOptions naming{own_folders(baseline, candidate)};
  Replay result = replay_with(naming, kept, baseline, candidate);
  const bool is_shifted = bench::has_shifted_lines(baseline) || bench::has_shifted_lines(candidate);
  // Judged before files of two trees were paired, or before it was known that their lines may be shifted: then they
  // were told so.
  for (const bool trusts : {false, true}) {
    for (const bool pairs : {true, false}) {
      if (result.differences.empty() || (trusts && !is_shifted)) return result;
      if (!trusts && pairs) continue;  // as today
      naming.trust_shifted_lines = trusts;
      naming.pairs_trees = pairs;
      Replay as_then = replay_with(naming, kept, baseline, candidate);
      as_then.has_shifted_lines = trusts;
      if (as_then.differences.size() < result.differences.size()) result = std::move(as_then);
    }
  }
  return result;
}

}  // namespace steelyard::ci
