#include "ci/report/benchmark_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/comparison_text.hpp"

namespace steelyard::ci {
namespace {

std::string short_answer(const ComparisonRow& row) {
  if (row.notes.has(RowNote::not_timed)) return "not timed";
  if (row.verdict == Verdict::inconclusive) return "undecided";
  if (!is_reported(row)) return std::string(to_text(row.verdict));
  if (row.verdict != Verdict::unchanged && row.ratio) return change_text(*row.ratio);
  return row.metric.kind == MetricKind::counted && row.ratio == 1.0 ? "equal" : "unchanged";
}

}  // namespace

// Other metrics of the benchmark: those that changed before those that did not.
std::string BenchmarkLines::others_text(const ComparisonRow& row) const {
  constexpr std::size_t kMaxNamed = 2;
  const auto at = others.find(&row);
  if (at == others.end()) return "";
  std::vector<const ComparisonRow*> rows = at->second;
  std::stable_partition(rows.begin(), rows.end(), [](const auto* one) { return one->verdict != Verdict::unchanged; });
  const bool is_named = others_title != metric_label(rows.front()->metric) || rows.size() > 1;
  return some_joined(rows, kMaxNamed, ", ", ", ", [is_named](const ComparisonRow* one) {
    return (is_named ? metric_label(one->metric) + " " : "") + short_answer(*one);
  });
}

BenchmarkLines benchmark_lines(const Comparison& comparison) {
  BenchmarkLines lines;
  std::map<std::string, std::vector<const ComparisonRow*>> rows_of;
  std::vector<std::string> order;
  for (const RowGroup& group : worst_first(comparison)) {
    std::vector<const ComparisonRow*>& rows = rows_of[group.benchmark];
    if (rows.empty()) order.push_back(group.benchmark);
    rows.insert(rows.end(), group.rows.begin(), group.rows.end());
  }
  std::set<std::string> metrics;
  for (const std::string& benchmark : order) {
    std::vector<const ComparisonRow*>& rows = rows_of[benchmark];
    // A row without a change has nothing to draw: it stands behind one that has.
    auto lead = std::find_if(rows.begin(), rows.end(), [](const auto* row) { return is_reported(*row) && row->ratio; });
    if (lead == rows.end()) {
      lead = std::find_if(rows.begin(), rows.end(), [](const auto* row) { return is_reported(*row); });
    }
    if (lead == rows.end()) continue;
    // Nothing is known of a benchmark that a side lacks.
    const bool is_all_measured =
        std::all_of(rows.begin(), rows.end(), [](const auto* row) { return is_reported(*row); });
    if (!(*lead)->ratio && !is_all_measured) continue;
    const ComparisonRow* leading = *lead;
    rows.erase(lead);
    lines.leading.push_back(leading);
    for (const ComparisonRow* row : rows) metrics.insert(metric_label(row->metric));
    if (!rows.empty()) lines.others[leading] = std::move(rows);
  }
  std::stable_sort(lines.leading.begin(), lines.leading.end(),
                   [](const auto* a, const auto* b) { return severity_rank(a->verdict) < severity_rank(b->verdict); });
  if (!metrics.empty()) lines.others_title = metrics.size() == 1 ? *metrics.begin() : "others";
  return lines;
}

ChosenLines chosen_lines(const BenchmarkLines& lines, std::size_t room) {
  constexpr std::size_t kSomeOfEach = 3;
  std::map<Verdict, std::size_t> left, shares;
  for (const ComparisonRow* row : lines.leading) ++left[row->verdict];
  for (const std::size_t most : {kSomeOfEach, lines.leading.size()}) {
    for (const Verdict verdict : kWorstFirst) {
      const std::size_t more = std::min({left[verdict], most, room});
      shares[verdict] += more;
      left[verdict] -= more;
      room -= more;
    }
  }
  ChosenLines chosen;
  for (const ComparisonRow* row : lines.leading) {
    std::size_t& share = shares[row->verdict];
    (share > 0 ? chosen.shown : chosen.hidden).push_back(row);
    if (share > 0) --share;
  }
  return chosen;
}

std::string hidden_lines_text(const std::vector<const ComparisonRow*>& hidden) {
  std::string text;
  for (const Verdict verdict : kWorstFirst) {
    std::vector<const ComparisonRow*> rows;
    std::copy_if(hidden.begin(), hidden.end(), std::back_inserter(rows),
                 [&](const ComparisonRow* row) { return row->verdict == verdict; });
    if (rows.empty()) continue;
    text += text.empty() ? "" : ", ";
    if (verdict == Verdict::unchanged) {
      text += hidden_unchanged_text(rows);
      continue;
    }
    const bool is_many = rows.size() > 1 && verdict != Verdict::inconclusive;
    text += grouped_text(rows.size()) + " more " + std::string(to_text(verdict)) + (is_many ? "s" : "");
  }
  return text;
}

std::string hidden_unchanged_text(const std::vector<const ComparisonRow*>& hidden) {
  std::int64_t untimed = 0;
  double largest = 0;
  for (const ComparisonRow* row : hidden) {
    if (!row->ratio) ++untimed;
    if (row->ratio) largest = std::max(largest, std::abs(*row->ratio - 1));
  }
  const auto count = static_cast<std::int64_t>(hidden.size());
  // In brackets: what stands before is of other verdicts.
  const std::string text = grouped_text(count) + " more unchanged (";
  if (untimed == count) return text + "not timed)";
  return text + (untimed > 0 ? grouped_text(untimed) + " not timed, the others " : "") + "within " +
         at_most_text(largest) + ")";
}

}  // namespace steelyard::ci
