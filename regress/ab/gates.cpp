#include "regress/ab/gates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/number_text.hpp"
#include "regress/ab/match.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {
namespace {

// "commit 1a2b3c4 accepted this level", or empty where the row shows more than that: its interval's near end (of
// counts: the count itself) lies beyond the level by more than the minimum effect (of counts: than their jitter).
std::string accepted_note(const ComparisonRow& row, const AcceptedLevel& accepted) {
  if (!row.candidate || row.metric.better == Better::undeclared) return "";
  const bool is_counted = row.metric.kind == MetricKind::counted;
  const bool is_higher_better = row.metric.better == Better::higher;
  double near = *row.candidate;
  if (!is_counted && row.interval && row.baseline) {
    near = *row.baseline * (is_higher_better ? row.interval->high : row.interval->low);
  }
  const double room = 1 + (is_counted ? row.jitter.value_or(0) : row.minimum_effect);
  const bool is_within = is_higher_better ? near >= accepted.level / room : near <= accepted.level * room;
  return is_within ? "commit " + accepted.commit.substr(0, 9) + " accepted this level" : "";
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_named_for_all(const ComparisonPolicy& policy, std::string_view metric) {
  return contains(policy.metrics, metric) || contains(policy.gates, metric);
}

// What is judged though nobody names it.
bool is_usual(const ComparisonPolicy& policy, std::string_view metric, MetricKind kind) {
  return policy.metrics.empty() && (metric == kRealTime || kind == MetricKind::counted);
}

bool is_small_change_of_a_count(const ComparisonPolicy& policy, const ComparisonRow& row) {
  return row.metric.kind == MetricKind::counted && row.ratio && *row.ratio != 1 &&
         std::fabs(*row.ratio - 1) < minimum_effect_of(policy, row.benchmark, MetricKind::counted);
}

// What a signal says of the other: a verdict that was reached by judging, or nothing.
bool has_spoken(const ComparisonRow* row) {
  return row != nullptr && (row->verdict == Verdict::regression || row->verdict == Verdict::improvement ||
                            row->verdict == Verdict::unchanged || row->verdict == Verdict::inconclusive);
}

// Whether time and count are of the same code.
bool are_of_one_code(const ComparisonRow& row, const ComparisonRow& other) {
  const ComparisonRow& count = row.metric.name == kInstructions ? row : other;
  return count.count_scope == CountScope::timed_region && !count.notes.has(RowNote::other_dispatch);
}

std::string standing_text(Verdict verdict) {
  return verdict == Verdict::improvement ? "better" : std::string(to_text(verdict));
}

// Why a count that regressed does not gate beside this time; empty where it does. Equal builds that were not timed
// (skip_time) have a row that is unchanged with test "none": nothing was shown, and a count that differs all the same
// (other data) decides. Nor does a time decide that does not gate itself.
std::string note_beside_time(const ComparisonPolicy& policy, const ComparisonRow& time) {
  const bool is_shown = time.verdict == Verdict::improvement || time.verdict == Verdict::unchanged;
  if (!is_shown || time.test == "none" || !metric_gates(policy, time.benchmark, time.metric)) return "";
  return "time decides where it is decided, and it is " +
         (time.verdict == Verdict::unchanged ? "shown " : std::string()) + standing_text(time.verdict);
}

// Why this signal does not gate; empty where it may. other: null where the two cannot speak of each other.
std::string signal_note(const ComparisonPolicy& policy, const ComparisonRow& row, const ComparisonRow* other) {
  const bool is_time = row.metric.name == kRealTime;
  if (policy.witness == Witness::either) return "";
  if (policy.witness == Witness::time) return is_time ? "" : "the policy lets time alone decide";
  if (policy.witness == Witness::instructions) return is_time ? "the policy lets instructions alone decide" : "";
  if (row.verdict != Verdict::regression || !has_spoken(other) || other->verdict == Verdict::regression) return "";
  if (policy.witness == Witness::decided) return is_time ? "" : note_beside_time(policy, *other);
  const std::string who = is_time ? "the count is " : "the time is ";
  return "the policy wants both witnesses, and " + who + standing_text(other->verdict);
}

// Why a count whose small changes add up beyond the effect does not gate; empty where it may. The time beside it is of
// one step, which is below what time can show: that it is unchanged says nothing of all steps together. One that got
// better does: who trades instructions for time must not be failed.
std::string creep_note(const ComparisonPolicy& policy, const ComparisonRow& row, const ComparisonRow* time) {
  if (row.metric.name != kInstructions || !has_spoken(time)) return "";
  if (policy.witness == Witness::time) return "the policy lets time alone decide";
  if (policy.witness == Witness::both) return "the policy wants both witnesses, and time cannot tell of single steps";
  const bool is_paid_for = policy.witness == Witness::decided && time->verdict == Verdict::improvement;
  return is_paid_for && are_of_one_code(row, *time) ? note_beside_time(policy, *time) : "";
}

// Of the history that the comparison was held against.
using AcceptedLevels = std::map<std::pair<std::string_view, std::string_view>, const AcceptedLevel*>;
AcceptedLevels accepted_levels(const Comparison& comparison) {
  AcceptedLevels levels;
  if (!comparison.history) return levels;
  for (const SeriesHistory& one : comparison.history->series) {
    if (one.accepted) levels[{one.series.name, one.series.metric}] = &*one.accepted;
  }
  return levels;
}

}  // namespace

bool names_metric(const ComparisonPolicy& policy, std::string_view metric) {
  return is_named_for_all(policy, metric) ||
         std::any_of(policy.patterns.begin(), policy.patterns.end(),
                     [&](const PatternPolicy& table) { return table.gates && contains(*table.gates, metric); });
}

std::vector<std::string> named_metrics(const ComparisonPolicy& policy) {
  std::vector<std::string> names;
  const auto add = [&names](const std::vector<std::string>& metrics) {
    for (const std::string& metric : metrics) {
      if (!contains(names, metric)) names.push_back(metric);
    }
  };
  add(policy.metrics);
  add(policy.gates);
  for (const PatternPolicy& table : policy.patterns) {
    if (table.gates) add(*table.gates);
  }
  return names;
}

bool is_judged(const ComparisonPolicy& policy, std::string_view benchmark, std::string_view metric, MetricKind kind) {
  const PatternPolicy* table = table_for(policy, benchmark, &PatternPolicy::gates);
  return is_named_for_all(policy, metric) || (table && contains(*table->gates, metric)) ||
         is_usual(policy, metric, kind);
}

bool is_judged(const ComparisonPolicy& policy, std::string_view metric, MetricKind kind) {
  return names_metric(policy, metric) || is_usual(policy, metric, kind);
}

bool metric_gates(const ComparisonPolicy& policy, std::string_view benchmark, const Metric& metric) {
  // Nobody measured it: it was to gate if any table says so, of whichever benchmarks.
  if (benchmark == kAllBenchmarks && !is_named_for_all(policy, metric.name) && names_metric(policy, metric.name)) {
    return true;
  }
  if (const PatternPolicy* table = table_for(policy, benchmark, &PatternPolicy::gates)) {
    return contains(*table->gates, metric.name);
  }
  if (!policy.gates.empty()) return contains(policy.gates, metric.name);
  return contains(policy.metrics, metric.name) || (policy.metrics.empty() && gates_by_default(metric));
}

void decide_gates(Comparison& comparison) {
  const ComparisonPolicy& policy = comparison.policy;
  std::map<std::string_view, const ComparisonRow*> times;
  std::map<std::string_view, const ComparisonRow*> counts;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.name == kRealTime) times[row.benchmark] = &row;
    if (row.metric.name == kInstructions) counts[row.benchmark] = &row;
  }
  const AcceptedLevels accepted = accepted_levels(comparison);
  for (ComparisonRow& row : comparison.rows) {
    row.gate_note.clear();
    const bool is_time = row.metric.name == kRealTime;
    if (!metric_gates(policy, row.benchmark, row.metric)) {
      row.gate_note = row.metric.name + " is not among the metrics that gate";
      const PatternPolicy* table = table_for(policy, row.benchmark, &PatternPolicy::gates);
      if (table) row.gate_note += " by the policy of " + to_text(*table);
    } else if (row.verdict == Verdict::regression && row.creep && row.creep->beyond) {
      const auto time = times.find(row.benchmark);
      row.gate_note = creep_note(policy, row, time == times.end() ? nullptr : time->second);
    } else if (is_small_change_of_a_count(policy, row)) {
      row.gate_note = "it is below the minimum effect of counts, " +
                      share_text(minimum_effect_of(policy, row.benchmark, MetricKind::counted));
    } else if (is_time || row.metric.name == kInstructions) {
      const auto& others = is_time ? counts : times;
      const auto other = others.find(row.benchmark);
      const bool may_confirm = other != others.end() && are_of_one_code(row, *other->second);
      // Benchmarks that have one signal only are judged by it, whichever the policy prefers.
      const bool is_alone = !has_spoken(other == others.end() ? nullptr : other->second);
      if (!is_alone) row.gate_note = signal_note(policy, row, may_confirm ? other->second : nullptr);
    }
    const auto level = accepted.find({row.benchmark, row.metric.name});
    if (row.gate_note.empty() && row.verdict == Verdict::regression && level != accepted.end()) {
      row.gate_note = accepted_note(row, *level->second);
    }
    row.gates = row.gate_note.empty();
  }
}

}  // namespace steelyard::regress
