#include "ci/report/headline.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "bench/model/number_text.hpp"
#include "ci/report/comparison_text.hpp"

namespace steelyard::ci {
namespace {

// How many rows of that verdict do not gate, of so many.
std::string reported_only(const Comparison& comparison, Verdict verdict, std::int64_t all) {
  const auto count = std::count_if(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& row) {
    return row.verdict == verdict && is_told_only(row);
  });
  if (count == 0) return "";
  if (count == all) return " (reported, not gating)";
  return " (" + std::to_string(count) + " reported, not gating)";
}

}  // namespace

Verdict headline_verdict(const Comparison& comparison) {
  for (const Verdict verdict : kWorstFirst) {
    const bool is_there = std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& row) {
      return row.verdict == verdict && !is_told_only(row);
    });
    if (is_there) return verdict;
  }
  return Verdict::unchanged;
}

std::string summary_line(const Comparison& comparison) {
  struct Word {
    Verdict verdict;
    const char* one;
    const char* many;
  };
  constexpr std::array kWords{
      Word{Verdict::regression, "regression", "regressions"},
      Word{Verdict::failed, "failed", "failed"},
      Word{Verdict::missing, "missing", "missing"},
      Word{Verdict::incomparable, "incomparable", "incomparable"},
      Word{Verdict::improvement, "improvement", "improvements"},
      Word{Verdict::fresh, "new", "new"},
      Word{Verdict::skipped, "skipped", "skipped"},
      Word{Verdict::unchanged, "unchanged", "unchanged"},
      Word{Verdict::inconclusive, "inconclusive", "inconclusive"},
  };
  const auto counts = comparison.count_by_verdict();
  std::string line;
  for (const Word& word : kWords) {
    const std::int64_t count = counts.at(static_cast<std::size_t>(word.verdict));
    if (count == 0) continue;
    if (!line.empty()) line += ", ";
    line += plural_text(count, word.one, word.many);
    line += reported_only(comparison, word.verdict, count);
  }
  return line.empty() ? "nothing to compare" : line;
}

std::string counted_text(const Comparison& comparison) {
  std::set<std::string_view> benchmarks;
  for (const ComparisonRow& row : comparison.rows) benchmarks.insert(row.benchmark);
  benchmarks.erase(kAllBenchmarks);
  if (benchmarks.empty() || benchmarks.size() == comparison.rows.size()) return "";
  return " (" + plural_text(comparison.rows.size(), "row") + " of " + plural_text(benchmarks.size(), "benchmark") + ")";
}

namespace {

// Of the rows of one benchmark.
struct RowsOfBenchmark {
  bool has_unjudged = false;  // failed, missing or incomparable
  std::vector<const ComparisonRow*> undecided, unchanged;
};

// New and skipped rows are nobody's answer.
std::map<std::string_view, RowsOfBenchmark> rows_by_benchmark(const Comparison& comparison) {
  const auto is_asked = [](const ComparisonRow& row) {
    return row.verdict != Verdict::fresh && row.verdict != Verdict::skipped;
  };
  const bool any_gates =
      std::ranges::any_of(comparison.rows, [&](const ComparisonRow& row) { return row.gates && is_asked(row); });
  std::map<std::string_view, RowsOfBenchmark> benchmarks;
  for (const ComparisonRow& row : comparison.rows) {
    const bool has_failed = row.verdict == Verdict::failed && !is_told_only(row);
    if ((any_gates && !row.gates && !has_failed) || !is_asked(row)) continue;
    RowsOfBenchmark& rows = benchmarks[row.benchmark];
    if (row.verdict == Verdict::unchanged) {
      rows.unchanged.push_back(&row);
    } else if (row.verdict == Verdict::inconclusive) {
      rows.undecided.push_back(&row);
    } else {
      rows.has_unjudged = true;
    }
  }
  return benchmarks;
}

// Of benchmarks that are decided in part: the labels of their metrics.
struct MetricsInPart {
  std::set<std::string> unchanged, undecided;
};

// "4 shown unchanged, 2 shown unchanged in instructions, undecided in time".
std::string shown_text(const NoChangeAnswer& found, const MetricsInPart& metrics) {
  std::string text;
  if (found.unchanged > 0) text = grouped_text(found.unchanged) + " shown unchanged";
  if (found.in_part == 0) return text;
  const auto one_of = [](const std::set<std::string>& labels, const char* several) {
    return labels.size() == 1 ? *labels.begin() : std::string(several);
  };
  return text + (text.empty() ? "" : ", ") + grouped_text(found.in_part) + " shown unchanged in " +
         one_of(metrics.unchanged, "some metrics") + ", undecided in " + one_of(metrics.undecided, "others");
}

}  // namespace

std::string_view to_text(NoChange answer) {
  if (answer == NoChange::cannot_tell) return "cannot tell";
  return answer == NoChange::no_change_found ? "no change found" : "nothing changed";
}

std::optional<NoChangeAnswer> no_change_answer(const Comparison& comparison) {
  if (std::ranges::any_of(comparison.rows, is_change, &ComparisonRow::verdict)) return std::nullopt;
  NoChangeAnswer found;
  std::int64_t unjudged = 0;
  MetricsInPart metrics;
  for (const auto& [benchmark, rows] : rows_by_benchmark(comparison)) {
    found.benchmarks += benchmark == kAllBenchmarks ? 0 : 1;
    if (rows.has_unjudged) {
      ++unjudged;
    } else if (rows.unchanged.empty()) {
      ++found.undecided;
    } else if (rows.undecided.empty()) {
      ++found.unchanged;
    } else {
      ++found.in_part;
      for (const ComparisonRow* row : rows.unchanged) metrics.unchanged.insert(metric_label(row->metric));
      for (const ComparisonRow* row : rows.undecided) metrics.undecided.insert(metric_label(row->metric));
    }
  }
  const std::string shown = shown_text(found, metrics);
  const std::string benchmarks =
      grouped_text(found.benchmarks) + (found.benchmarks == 1 ? " benchmark" : " benchmarks");
  if (2 * found.undecided > found.benchmarks) {
    found.answer = NoChange::cannot_tell;
    found.text = "Cannot tell: " + grouped_text(found.undecided) + " of " + benchmarks + " undecided" +
                 (shown.empty() ? "" : " (" + shown + ")") +
                 (unjudged > 0 ? ", " + grouped_text(unjudged) + " could not be compared" : "");
    return found;
  }
  if (unjudged > 0 || found.benchmarks == 0) return std::nullopt;
  if (found.unchanged == found.benchmarks) {
    found.answer = NoChange::nothing_changed;
    found.text = "Nothing changed: " + benchmarks + " shown unchanged";
    return found;
  }
  found.answer = NoChange::no_change_found;
  found.text = "No change found in " + benchmarks + ": " + shown +
               (found.undecided > 0 ? ", " + grouped_text(found.undecided) + " undecided" : "");
  return found;
}

std::optional<NoChangeAnswer> doubtful_answer(const Comparison& comparison) {
  std::optional<NoChangeAnswer> found = no_change_answer(comparison);
  return found && found->answer != NoChange::nothing_changed ? found : std::nullopt;
}

}  // namespace steelyard::ci
