#include "ci/report/row_order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace steelyard {
namespace {

std::size_t severity(Verdict verdict) {
  return static_cast<std::size_t>(std::find(kWorstFirst.begin(), kWorstFirst.end(), verdict) - kWorstFirst.begin());
}

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
    RowGroup& group = by_key[{severity(row.verdict), row.benchmark}];
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
    const std::size_t rank_a = severity(a.group.verdict);
    const std::size_t rank_b = severity(b.group.verdict);
    if (rank_a != rank_b) return rank_a < rank_b;
    return a.discovery != b.discovery ? a.discovery < b.discovery : a.change > b.change;
  });
  std::vector<RowGroup> result;
  result.reserve(groups.size());
  for (Ranked& ranked : groups) result.push_back(std::move(ranked.group));
  return result;
}

}  // namespace steelyard
