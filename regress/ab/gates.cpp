#include "regress/ab/gates.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/rules.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {
namespace {

// False where the row shows more than was accepted: its interval's near end (of counts: the count itself) lies beyond
// the level by the minimum effect or more (of counts: by more than their jitter).
bool is_accepted(const ComparisonRow& row, const AcceptedLevel& accepted, Rules rules) {
  if (!row.candidate || row.metric.better == Better::undeclared) return false;
  const bool is_counted = row.metric.kind == MetricKind::counted;
  const bool is_higher_better = row.metric.better == Better::higher;
  double near = *row.candidate;
  if (!is_counted && row.interval && row.baseline) {
    near = *row.baseline * (is_higher_better ? row.interval->high : row.interval->low);
  }
  if (!is_counted && rules >= Rules::rounds_7) {
    const bool is_worse = is_higher_better ? near < accepted.level : near > accepted.level;
    return !is_worse || !is_relevant(near / accepted.level, row.minimum_effect);
  }
  const double room = 1 + (is_counted ? row.jitter.value_or(0) : row.minimum_effect);
  return is_higher_better ? near >= accepted.level / room : near <= accepted.level * room;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_named_for_all(const ComparisonPolicy& policy, std::string_view metric) {
  return contains(policy.metrics, metric) || contains(policy.gates, metric);
}

bool has_measurement(const Run& run, const ComparisonRow& row) {
  return std::any_of(run.measurements.begin(), run.measurements.end(), [&](const Measurement& measurement) {
    return measurement.metric.name == row.metric.name && measurement.benchmark.canonical() == row.benchmark;
  });
}

// What is judged though nobody names it.
bool is_usual(const ComparisonPolicy& policy, std::string_view metric, MetricKind kind) {
  return policy.metrics.empty() && (metric == kRealTime || kind == MetricKind::counted);
}

bool is_small_change_of_a_count(const Comparison& comparison, const ComparisonRow& row) {
  return row.metric.kind == MetricKind::counted && row.ratio && *row.ratio != 1 &&
         !is_relevant(*row.ratio, minimum_effect_of(comparison.policy, row.benchmark, MetricKind::counted),
                      rules_of(comparison.rule_version));
}

// What a signal says of the other: a verdict that was reached by judging, or nothing.
bool has_spoken(const ComparisonRow* row) {
  return row != nullptr &&
         (is_change(row->verdict) || row->verdict == Verdict::unchanged || row->verdict == Verdict::inconclusive);
}

// Whether time and count are of the same code.
bool are_of_one_code(const ComparisonRow& row, const ComparisonRow& other) {
  const ComparisonRow& count = row.metric.name == kInstructions ? row : other;
  return count.count_scope == CountScope::timed_region && !count.notes.has(RowNote::other_dispatch);
}

// Why a count that regressed does not gate beside this time. Equal builds that were not timed (skip_time) have a row
// that is unchanged with test "none": nothing was shown, and a count that differs all the same (other data) decides.
// A time that does not gate itself does not decide.
GateNote note_beside_time(const ComparisonPolicy& policy, const ComparisonRow& time) {
  const bool is_shown = time.verdict == Verdict::improvement || time.verdict == Verdict::unchanged;
  if (!is_shown || time.test == TestKind::none || !metric_gates(policy, time.benchmark, time.metric)) return {};
  return ungated::TimeDecides{time.verdict};
}

// Why this signal does not gate. other: null where the two cannot speak of each other.
GateNote signal_note(const ComparisonPolicy& policy, const ComparisonRow& row, const ComparisonRow* other) {
  const bool is_time = row.metric.name == kRealTime;
  if (policy.witness == Witness::either) return {};
  if (policy.witness == Witness::time || policy.witness == Witness::instructions) {
    const bool decides = is_time == (policy.witness == Witness::time);
    return decides ? GateNote{} : ungated::OtherSignalDecides{policy.witness};
  }
  if (row.verdict != Verdict::regression || !has_spoken(other) || other->verdict == Verdict::regression) return {};
  if (policy.witness == Witness::decided) return is_time ? GateNote{} : note_beside_time(policy, *other);
  return ungated::NotConfirmed{is_time, other->verdict};
}

// Why a count whose small changes add up beyond the effect does not gate. The time beside it is of one step, which is
// below what time can show: that it is unchanged says nothing of all steps together. One that got better does: who
// trades instructions for time must not be failed.
GateNote creep_note(const ComparisonPolicy& policy, const ComparisonRow& row, const ComparisonRow* time) {
  if (row.metric.name != kInstructions || !has_spoken(time)) return {};
  if (policy.witness == Witness::time) return ungated::OtherSignalDecides{policy.witness};
  if (policy.witness == Witness::both) return ungated::StepsNotConfirmed{};
  const bool is_paid_for = policy.witness == Witness::decided && time->verdict == Verdict::improvement;
  return is_paid_for && are_of_one_code(row, *time) ? note_beside_time(policy, *time) : GateNote{};
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

bool is_unnamed_count(const ComparisonRow& row, const Run& baseline, const Run& candidate,
                      const ComparisonPolicy& policy) {
  return row.metric.kind == MetricKind::counted && !names_metric(policy, row.metric.name) &&
         !has_measurement(baseline, row) && !has_measurement(candidate, row);
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

std::set<std::string> perhaps_noisy_metrics(const ComparisonPolicy& policy) {
  const std::vector<std::string> named = named_metrics(policy);
  std::set<std::string> names(named.begin(), named.end());
  if (policy.metrics.empty()) names.insert(std::string(kRealTime));
  std::erase_if(names, [](const std::string& name) {
    const std::optional<Metric> metric = well_known_metric(name);
    return metric && metric->kind != MetricKind::noisy;
  });
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

namespace {

bool may_gate(const GateNote& note) { return std::holds_alternative<std::monostate>(note); }

// The rows of the two signals, by benchmark.
struct Signals {
  std::map<std::string_view, const ComparisonRow*> times;
  std::map<std::string_view, const ComparisonRow*> counts;
};

const ComparisonRow* row_or_null(const std::map<std::string_view, const ComparisonRow*>& rows,
                                 const std::string& benchmark) {
  const auto at = rows.find(benchmark);
  return at == rows.end() ? nullptr : at->second;
}

GateNote gate_note_of(const Comparison& comparison, const ComparisonRow& row, const Signals& signals) {
  const ComparisonPolicy& policy = comparison.policy;
  const bool is_time = row.metric.name == kRealTime;
  if (!metric_gates(policy, row.benchmark, row.metric)) {
    const PatternPolicy* table = table_for(policy, row.benchmark, &PatternPolicy::gates);
    const bool is_accepted_by_table = table != nullptr && !table->accepted_by.empty();
    if (is_accepted_by_table && rules_of(comparison.rule_version) >= Rules::rounds_7) {
      return ungated::ChangeAccepted{table->accepted_by, table->accepted_commit, table->until, table->reason};
    }
    return ungated::MetricNotAsked{table ? to_text(*table) : std::string()};
  }
  if (row.verdict == Verdict::regression && row.creep && row.creep->beyond) {
    return creep_note(policy, row, row_or_null(signals.times, row.benchmark));
  }
  if (is_small_change_of_a_count(comparison, row)) {
    return ungated::BelowCountedMinimum{minimum_effect_of(policy, row.benchmark, MetricKind::counted)};
  }
  if (!is_time && row.metric.name != kInstructions) return {};
  const ComparisonRow* other = row_or_null(is_time ? signals.counts : signals.times, row.benchmark);
  // Benchmarks that have one signal only are judged by it, whichever the policy prefers.
  if (!has_spoken(other)) return {};
  return signal_note(policy, row, are_of_one_code(row, *other) ? other : nullptr);
}

}  // namespace

std::vector<GateNote> decide_gates(Comparison& comparison) {
  Signals signals;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.name == kRealTime) signals.times[row.benchmark] = &row;
    if (row.metric.name == kInstructions) signals.counts[row.benchmark] = &row;
  }
  const AcceptedLevels accepted = accepted_levels(comparison);
  std::vector<GateNote> notes;
  for (ComparisonRow& row : comparison.rows) {
    GateNote note = gate_note_of(comparison, row, signals);
    const auto level = accepted.find({row.benchmark, row.metric.name});
    if (may_gate(note) && row.verdict == Verdict::regression && level != accepted.end() &&
        is_accepted(row, *level->second, rules_of(comparison.rule_version))) {
      note = ungated::LevelAccepted{level->second->commit};
    }
    row.gates = may_gate(note);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace steelyard::regress
