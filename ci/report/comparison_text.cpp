#include "ci/report/comparison_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/changes.hpp"
#include "ci/report/row_text.hpp"
#include "regress/ab/rules.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci {
namespace {

double largest_change(const RowGroup& group) {
  double largest = 0;
  for (const ComparisonRow* row : group.rows) largest = std::max(largest, size_of_change(*row));
  return largest;
}

// How surely something was found in the group: the least q of discovery; what is this small is certain, as every
// changed count is, and the size of the change decides. 1 where nothing was found.
double discovery_of(const RowGroup& group) {
  constexpr double kCertain = 0.001;
  double least = 1;
  for (const ComparisonRow* row : group.rows) {
    const bool is_counted_change = row->metric.kind == MetricKind::counted && row->ratio && *row->ratio != 1;
    if (is_counted_change) least = kCertain;
    if (row->discovery_q) least = std::min(least, std::max(*row->discovery_q, kCertain));
  }
  return least;
}

}  // namespace

std::size_t severity_rank(Verdict verdict) {
  return static_cast<std::size_t>(std::find(kWorstFirst.begin(), kWorstFirst.end(), verdict) - kWorstFirst.begin());
}

bool any_regression_gates(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows,
                             [](const ComparisonRow& row) { return row.verdict == Verdict::regression && row.gates; });
}

bool is_reported(const ComparisonRow& row) {
  return is_change(row.verdict) || row.verdict == Verdict::unchanged || row.verdict == Verdict::inconclusive;
}

RowIndex::RowIndex(const Comparison& comparison) {
  for (const ComparisonRow& row : comparison.rows) rows_by_benchmark_[row.benchmark].push_back(&row);
}

const ComparisonRow* RowIndex::find(const std::string& benchmark, std::string_view metric) const {
  const auto rows = rows_by_benchmark_.find(benchmark);
  if (rows == rows_by_benchmark_.end()) return nullptr;
  for (const ComparisonRow* row : rows->second) {
    if (row->metric.name == metric) return row;
  }
  return nullptr;
}

double size_of_change(const ComparisonRow& row) {
  if (!row.ratio || !(*row.ratio > 0) || !std::isfinite(*row.ratio)) return 0;
  return std::abs(std::log(*row.ratio));
}

std::vector<RowGroup> worst_first(const Comparison& comparison) {
  std::map<std::pair<std::size_t, std::string>, RowGroup> by_key;
  for (const ComparisonRow& row : comparison.rows) {
    RowGroup& group = by_key[{severity_rank(row.verdict), row.benchmark}];
    group.verdict = row.verdict;
    group.benchmark = row.benchmark;
    group.rows.push_back(&row);
  }
  struct Ranked {
    double discovery = 1;
    double change = 0;
    RowGroup group;
  };
  std::vector<Ranked> groups;
  for (auto& [key, group] : by_key) {
    std::stable_sort(group.rows.begin(), group.rows.end(), [](const ComparisonRow* a, const ComparisonRow* b) {
      return a->metric.kind == MetricKind::noisy && b->metric.kind == MetricKind::counted;
    });
    groups.push_back({discovery_of(group), largest_change(group), std::move(group)});
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Ranked& a, const Ranked& b) {
    const std::size_t rank_a = severity_rank(a.group.verdict);
    const std::size_t rank_b = severity_rank(b.group.verdict);
    if (rank_a != rank_b) return rank_a < rank_b;
    return a.discovery != b.discovery ? a.discovery < b.discovery : a.change > b.change;
  });
  std::vector<RowGroup> result;
  result.reserve(groups.size());
  for (Ranked& ranked : groups) result.push_back(std::move(ranked.group));
  return result;
}

bool is_plainly_new(const RowGroup& group) {
  return group.verdict == Verdict::fresh &&
         std::none_of(group.rows.begin(), group.rows.end(),
                      [](const ComparisonRow* row) { return row->notes.has(RowNote::skipped_by_baseline); });
}

namespace {

// Whether the count is of what was timed: the timed region alone, and by no library that dispatches otherwise under the
// counter.
bool is_of_the_same_code(const ComparisonRow& count) {
  return count.count_scope == CountScope::timed_region && !count.notes.has(RowNote::other_dispatch);
}

std::string counted_words(const ComparisonRow& count) {
  if (count.verdict == Verdict::inconclusive) return "instructions undecided";
  if (count.verdict != Verdict::unchanged) return "instructions " + change_text(*count.ratio);
  // Equal within a jitter is not equal.
  const bool is_equal = *count.ratio == 1 && count.jitter.value_or(0) == 0;
  return is_equal ? "instructions equal" : "instructions equal to " + small_share_text(count.jitter.value_or(0));
}

std::string timed_words(const ComparisonRow& time) {
  if (time.verdict == Verdict::unchanged) return "time equal";
  return time.verdict == Verdict::inconclusive ? "time undecided" : "time " + change_text(*time.ratio);
}

// What the two say together; empty where neither changed.
std::string meaning_of(const ComparisonRow& time, const ComparisonRow& count) {
  if (!is_change(time.verdict) && !is_change(count.verdict)) return "";
  if (count.verdict == Verdict::inconclusive) return "what changed the time is not shown";
  if (count.verdict == Verdict::unchanged) {
    if (count.notes.has(RowNote::equal_program)) return "the machine; both builds are one program";
    // Whatever takes time without instructions of the program's: data decide what is waited for, too.
    return std::string("layout, memory, waiting or the machine") +
           (count.notes.has(RowNote::equal_code) ? "; the code it executes is equal, its data may differ" : "");
  }
  const bool is_more = *count.ratio > 1;
  if (time.verdict == Verdict::inconclusive) {
    return std::string(is_more ? "more" : "less") + " work for certain, its time not shown";
  }
  if (time.verdict == Verdict::unchanged) {
    // Equal time means equal within its margin: less than that it could not show.
    const bool could_show = std::abs(*count.ratio - 1) >= time.margin - 1e-9;
    return could_show ? "the time does not show it" : "too little to show in the time";
  }
  if (time.verdict == count.verdict) return time.verdict == Verdict::regression ? "real" : "improved";
  return is_more ? "more work in less time" : "less work in more time";
}

}  // namespace

std::string at_most_text(double share) {
  constexpr double kHundredths = 1e4;
  return small_share_text(std::max(0.0, std::ceil(share * kHundredths - 1e-6)) / kHundredths);
}

namespace {

// How the rows of a metric moved.
struct Together {
  std::int64_t moved = 0;
  std::int64_t rows = 0;  // those without a change too, as of a benchmark that is missing
  double farthest = 0;    // change of the row that lies farthest from the common one, less that: .01 is one point
};

// Nothing where a row that has a change did not move with the others. Near in points and in logarithms: of a large gain
// points tell little (x 0.04 and x 0.2 lie 16 apart), and of a large loss logarithms do (x 3 and x 5).
std::optional<Together> moved_together(const Comparison& comparison, const SharedDrift& drift) {
  constexpr double kMaxPart = 0.25;
  Together together;
  double farthest_log = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.name != drift.metric) continue;
    ++together.rows;
    if (!row.ratio || !(*row.ratio > 0)) continue;
    ++together.moved;
    together.farthest = std::max(together.farthest, std::abs(*row.ratio - drift.ratio));
    farthest_log = std::max(farthest_log, std::abs(std::log(*row.ratio / drift.ratio)));
  }
  const bool is_near = together.farthest <= kMaxPart * std::abs(drift.ratio - 1) &&
                       farthest_log <= kMaxPart * std::abs(std::log(drift.ratio));
  const bool is_all = together.moved >= drift.benchmarks && together.moved > 1;
  return is_all && is_near ? std::optional(together) : std::nullopt;
}

// "0.74": percentage points, never less than they are.
std::string points_text(double part) {
  const std::string percent = at_most_text(part);
  return percent.substr(0, percent.find(' ')) + " points";
}

}  // namespace

std::string drift_line(const Comparison& comparison) {
  std::string line;
  for (const SharedDrift& drift : comparison.drifts) {
    // What was taken off is told among the warnings.
    const bool is_moved = drift.ratio > 0 && regress::is_relevant(drift.ratio, comparison.policy.minimum_effect);
    if (drift.removed || !is_moved) continue;
    const std::optional<Together> together = moved_together(comparison, drift);
    if (!together) continue;
    const std::string of = plural_text(together->rows, "benchmark");
    const std::string who =
        together->moved == together->rows ? "all " + of : std::to_string(together->moved) + " of " + of;
    line += (line.empty() ? "" : "; ") + who + " moved by " + change_text(drift.ratio) + " together in " +
            drift.metric + ", each within " + points_text(together->farthest) + " of that";
  }
  return line;
}

namespace {

// How a row's levels and its change contradict each other: apart, where the interval has room for both and who divides
// the levels still finds another change.
enum class Contradiction { none, direction, size, apart };

const char* contradiction_text(Contradiction found) {
  if (found == Contradiction::direction) return "they point in opposite directions for ";
  if (found == Contradiction::size) return "the levels' ratio is outside the interval of ";
  return "the levels' ratio is within the interval and off the change by more than the minimum effect for ";
}

// As they are printed: what two equal cells hide needs no word.
Contradiction contradiction_in(const ComparisonRow& row) {
  const bool is_estimate = row.metric.kind == MetricKind::noisy && row.test != TestKind::history;
  if (!is_estimate || !row.baseline || !row.candidate || !row.ratio) return Contradiction::none;
  const LevelPair levels = level_pair(row.baseline, row.candidate, row.metric.unit);
  if (levels.baseline == levels.candidate) return Contradiction::none;
  const bool is_opposite = (*row.candidate - *row.baseline) * (*row.ratio - 1) < 0;
  if (is_opposite && plain_change_text(*row.ratio) != plain_change_text(1)) return Contradiction::direction;
  if (!row.interval || !(*row.baseline > 0)) return Contradiction::none;
  const double ratio = *row.candidate / *row.baseline;
  const double nearest = std::min(std::max(ratio, row.interval->low), row.interval->high);
  if (change_text(ratio) != change_text(nearest)) return Contradiction::size;
  const bool is_apart = *row.ratio > 0 && std::abs(std::log(ratio / *row.ratio)) > std::log1p(row.minimum_effect);
  return is_apart ? Contradiction::apart : Contradiction::none;
}

}  // namespace

std::string named_benchmarks(const std::vector<std::string>& benchmarks, std::size_t most, std::size_t columns) {
  return some_joined(benchmarks, most, ", ", " and ",
                     [columns](const std::string& name) { return shortened(name_as_given(name), columns, false); });
}

namespace {

std::string how_estimated(const ComparisonRow& row, const Comparison& comparison) {
  if (row.test == TestKind::rounds) return "the change holds the sides of each round against each other";
  const bool is_less_drift = std::any_of(comparison.drifts.begin(), comparison.drifts.end(), [&](const auto& drift) {
    return drift.removed && drift.metric == row.metric.name;
  });
  return is_less_drift ? "the change is less the common movement" : "the change is estimated from all invocations";
}

}  // namespace

std::string levels_line(const Comparison& comparison) {
  constexpr std::size_t kMaxNamed = 3;
  constexpr std::size_t kLongestName = 80;  // columns: the lines below have their room
  // By how their change is estimated, then by what is wrong with it; worst first, as the table has them.
  std::map<std::string, std::map<Contradiction, std::vector<std::string>>> benchmarks;
  std::set<std::pair<const std::vector<std::string>*, std::string_view>> told;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      const Contradiction found = contradiction_in(*row);
      if (found == Contradiction::none) continue;
      std::vector<std::string>& those = benchmarks[how_estimated(*row, comparison)][found];
      if (!told.emplace(&those, row->benchmark).second) continue;
      those.push_back(row->benchmark);
    }
  }
  std::string line;
  for (const auto& [how, by_contradiction] : benchmarks) {
    line += (line.empty() ? "levels are medians of each side by itself, " : "; ") + how + ": ";
    std::string contradictions;
    for (const auto& [contradiction, those] : by_contradiction) {
      contradictions += (contradictions.empty() ? "" : "; ") + std::string(contradiction_text(contradiction)) +
                        named_benchmarks(those, kMaxNamed, kLongestName);
    }
    line += contradictions;
  }
  return line;
}

bool has_compared_times(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy && row.verdict != Verdict::skipped && row.ratio;
}

std::string conditions_line(const Comparison& comparison) {
  if (std::ranges::none_of(comparison.rows, has_compared_times)) return "";
  std::set<std::string> layouts;
  std::int32_t fewest = 0;
  std::int32_t most = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.kind != MetricKind::noisy || row.rounds <= 0) continue;
    layouts.insert(std::string(to_text(row.layout)));
    fewest = fewest == 0 ? row.rounds : std::min(fewest, row.rounds);
    most = std::max(most, row.rounds);
  }
  std::string line = joined_text(layouts, " and ");
  if (line.empty()) line = to_text(comparison.candidate.layout);
  if (most > 0 && fewest == most) line += ", " + plural_text(most, "round");
  if (most > 0 && fewest != most) line += ", " + std::to_string(fewest) + " to " + std::to_string(most) + " rounds";
  // What was imported has no seed of ours.
  if (comparison.candidate.seed != 0) line += ", seed " + std::to_string(comparison.candidate.seed);
  line += "; minimum effect " + small_share_text(comparison.policy.minimum_effect);
  line += ", intervals at " + small_share_text(comparison.policy.confidence);
  return line;
}

std::string measured_sentence(const Comparison& comparison) {
  const std::string conditions = conditions_line(comparison);
  return conditions.empty() ? "" : "Measured: " + conditions + ".";
}

std::string equality_line(const Comparison& comparison) {
  std::int64_t counts = 0;
  std::int64_t programs = 0;
  std::int64_t code = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.name != kInstructions) continue;
    ++counts;
    if (row.notes.has(RowNote::equal_program)) ++programs;
    if (row.notes.has(RowNote::equal_code)) ++code;
  }
  const auto of_counts = [counts](std::int64_t count) {
    return std::to_string(count) + " of " + plural_text(counts, "count");
  };
  std::string line;
  if (programs > 0) line = of_counts(programs) + " not taken again: " + std::string(kEqualProgramText);
  if (code > 0)
    line += (line.empty() ? "" : "; ") + of_counts(code) + ": the code that was executed is equal, data may differ";
  return line;
}

std::vector<std::string> environment_lines(const Comparison& comparison) {
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("not recorded") : value; };
  std::vector<std::string> lines;
  for (const bool decisive : {true, false}) {
    for (const FactDifference& difference : comparison.environment_differences) {
      if (difference.decisive != decisive) continue;
      lines.push_back(difference.name + ": " + shown(difference.baseline) + " -> " + shown(difference.candidate) +
                      (decisive ? " (decisive)" : ""));
    }
  }
  return lines;
}

std::vector<std::string> warning_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  std::set<std::string> given;
  for (const std::string& warning : comparison.warnings) {
    if (given.insert(warning).second) lines.push_back(warning);
  }
  return lines;
}

namespace {

// What a benchmark's time and instructions say together; absent unless both are known and of the same code.
struct Combined {
  std::string words;    // "instructions +12.1 %, time +9.8 %"
  std::string meaning;  // empty: neither changed
};
Combined combined(const RowIndex& index, const std::string& benchmark) {
  const ComparisonRow* time = index.find(benchmark, kRealTime);
  const ComparisonRow* count = index.find(benchmark, kInstructions);
  if (!time || !count || !time->ratio || !count->ratio) return {};
  if (!is_reported(*time) || !is_reported(*count) || !is_of_the_same_code(*count)) return {};
  return {counted_words(*count) + ", " + timed_words(*time), meaning_of(*time, *count)};
}

}  // namespace

std::string combined_meaning(const RowIndex& index, const std::string& benchmark) {
  return combined(index, benchmark).meaning;
}

std::string combined_explanation(const RowIndex& index, const std::string& benchmark) {
  const Combined both = combined(index, benchmark);
  return both.meaning.empty() ? "" : both.words + ": " + both.meaning;
}

VerdictMark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
      return {"\u2717", "x"};
    case Verdict::improvement:
      return {"\u2713", "v"};
    case Verdict::unchanged:
      return {"=", "="};
    case Verdict::inconclusive:
      return {"?", "?"};
    case Verdict::missing:
      return {"\u2212", "-"};
    case Verdict::fresh:
      return {"+", "+"};
    case Verdict::failed:
      return {"!", "!"};
    case Verdict::incomparable:
      return {"\u2260", "#"};
    case Verdict::skipped:
      return {"\u2205", "o"};
  }
  return {"?", "?"};
}

std::string metric_label(const Metric& metric) {
  if (metric.name == kRealTime) return "time";
  std::string label = metric.name;
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

bool is_held_to_margin(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy && row.interval &&
         (is_concurrent(row.layout) || row.equivalence_interval);
}

std::string interval_cell(const ComparisonRow& row) {
  if (row.test == TestKind::exact && row.ratio) return exactness_text(row.count_scope, row.jitter.value_or(0));
  if (!row.interval) return "";
  // A change that lies within the margin is told with it: as unchanged it would have been held to that.
  const bool is_within = row.ratio && std::abs(*row.ratio - 1) <= row.margin;
  const bool is_told = is_held_to_margin(row) && row.margin != kDefaultMargin && (!is_change(row.verdict) || is_within);
  return range_cell(*row.interval, row.ratio.value_or(1)) + (is_told ? ", margin " + share_text(row.margin) : "");
}

bool is_told_only(const ComparisonRow& row) {
  if (row.gates) return false;
  const bool is_excused = row.verdict == Verdict::failed && row.notes.has(RowNote::not_asked_for);
  return row.verdict == Verdict::regression || is_excused;
}

std::vector<std::string> gate_notes(const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::string> notes;
  for (const ComparisonRow* row : rows) {
    if (row->verdict != Verdict::regression && !is_told_only(*row)) continue;
    const auto add = [&notes](std::string note) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    };
    if (row->creep) add(creep_text(metric_label(row->metric), *row->creep));
    if (is_told_only(*row) && !row->gate_note.empty())
      add(metric_label(row->metric) + " does not gate: " + row->gate_note);
  }
  return notes;
}

std::vector<std::string> policy_notes(const Comparison& comparison, const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::string> notes;
  const auto add = [&notes](std::string note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  };
  for (const ComparisonRow* row : rows) {
    if (const std::string text = policy_text(comparison.policy, *row); !text.empty()) {
      add(metric_label(row->metric) + ": " + text);
    }
  }
  for (const ComparisonRow* row : rows) {
    const bool fails = row->gates && (row->verdict == Verdict::regression || row->verdict == Verdict::failed ||
                                      row->verdict == Verdict::missing);
    if (fails && !row->owner.empty()) add("owner: " + row->owner);
  }
  return notes;
}

std::vector<std::string> code_layout_notes(const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::string> notes;
  for (const ComparisonRow* row : rows) {
    const std::string text = code_layout_text(*row);
    if (!text.empty()) notes.push_back(metric_label(row->metric) + ", " + text);
  }
  return notes;
}

std::string policy_line(const Comparison& comparison) {
  std::string line;
  for (const PatternPolicy& table : comparison.policy.patterns) {
    const auto count = std::count_if(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& row) {
      return std::find(row.policies.begin(), row.policies.end(), table.match) != row.policies.end();
    });
    if (count == 0) continue;
    line += (line.empty() ? "" : "; ") + std::to_string(count) + " of " + plural_text(comparison.rows.size(), "row") +
            " by the policy of " + regress::to_text(table);
  }
  return line;
}

std::vector<std::string> solo_notes(const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::string> notes;
  for (const ComparisonRow* row : rows) {
    const std::string text = solo_text(*row);
    if (!text.empty()) notes.push_back(metric_label(row->metric) + ", " + text);
  }
  return notes;
}

}  // namespace steelyard::ci
