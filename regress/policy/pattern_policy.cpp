#include "regress/policy/pattern_policy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "bench/model/number_text.hpp"
#include "regress/targets/declared_target.hpp"

namespace steelyard::regress {
namespace {

const PatternPolicy* owning_table(const ComparisonPolicy& policy, std::string_view benchmark) {
  for (const PatternPolicy& table : policy.patterns) {
    if (!table.owner.empty() && matches_pattern(table.match, benchmark)) return &table;
  }
  return nullptr;
}

const PatternPolicy* effect_table(const ComparisonPolicy& policy, std::string_view benchmark, MetricKind kind) {
  return table_for(
      policy, benchmark,
      kind == MetricKind::counted ? &PatternPolicy::counted_minimum_effect : &PatternPolicy::minimum_effect);
}

// Of everything that a verdict, its gating or its rounds depend on; the same table may stand several times.
std::vector<const PatternPolicy*> deciding_tables(const ComparisonPolicy& policy, const ComparisonRow& row) {
  std::vector<const PatternPolicy*> tables{effect_table(policy, row.benchmark, row.metric.kind),
                                           table_for(policy, row.benchmark, &PatternPolicy::margin),
                                           table_for(policy, row.benchmark, &PatternPolicy::gates)};
  if (row.metric.kind == MetricKind::noisy) {
    tables.push_back(table_for(policy, row.benchmark, &PatternPolicy::budget_ns));
  }
  std::erase(tables, nullptr);
  return tables;
}

std::string gating_text(const std::vector<std::string>& metrics) {
  std::string text;
  for (const std::string& metric : metrics) text += (text.empty() ? "" : " and ") + metric;
  return text.empty() ? "nothing gates" : text + (metrics.size() == 1 ? " gates" : " gate");
}

}  // namespace

template <class T>
const PatternPolicy* table_for(const ComparisonPolicy& policy, std::string_view benchmark,
                               std::optional<T> PatternPolicy::*key) {
  for (const PatternPolicy& table : policy.patterns) {
    if ((table.*key).has_value() && matches_pattern(table.match, benchmark)) return &table;
  }
  return nullptr;
}
template const PatternPolicy* table_for(const ComparisonPolicy&, std::string_view,
                                        std::optional<double> PatternPolicy::*);
template const PatternPolicy* table_for(const ComparisonPolicy&, std::string_view,
                                        std::optional<std::int64_t> PatternPolicy::*);
template const PatternPolicy* table_for(const ComparisonPolicy&, std::string_view,
                                        std::optional<std::vector<std::string>> PatternPolicy::*);

double minimum_effect_of(const ComparisonPolicy& policy, std::string_view benchmark, MetricKind kind) {
  const PatternPolicy* table = effect_table(policy, benchmark, kind);
  if (kind == MetricKind::counted) return table ? *table->counted_minimum_effect : policy.counted_minimum_effect;
  return table ? *table->minimum_effect : policy.minimum_effect;
}

double margin_of(const ComparisonPolicy& policy, std::string_view benchmark) {
  const PatternPolicy* table = table_for(policy, benchmark, &PatternPolicy::margin);
  return table ? *table->margin : policy.margin;
}

void set_policy(const ComparisonPolicy& policy, ComparisonRow& row) {
  row.confidence = policy.confidence;
  row.minimum_effect = minimum_effect_of(policy, row.benchmark, row.metric.kind);
  row.margin = margin_of(policy, row.benchmark);
  row.policies.clear();
  row.owner.clear();
  if (policy.patterns.empty()) return;
  const std::vector<const PatternPolicy*> deciding = deciding_tables(policy, row);
  for (const PatternPolicy& table : policy.patterns) {
    if (std::find(deciding.begin(), deciding.end(), &table) != deciding.end()) row.policies.push_back(table.match);
  }
  if (const PatternPolicy* owning = owning_table(policy, row.benchmark)) row.owner = owning->owner;
}

std::string to_text(const PatternPolicy& table) {
  return '"' + table.match + '"' + (table.where.empty() ? "" : " (" + table.where + ")");
}

std::string policy_text(const ComparisonPolicy& policy, const ComparisonRow& row) {
  if (deciding_tables(policy, row).empty()) return "";
  const std::string& benchmark = row.benchmark;
  const MetricKind kind = row.metric.kind;
  std::vector<std::pair<const PatternPolicy*, std::string>> parts;  // null: what holds for all
  const auto add = [&parts](const PatternPolicy* table, const std::string& what) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == table; });
    same == parts.end() ? void(parts.emplace_back(table, what)) : void(same->second += ", " + what);
  };
  add(effect_table(policy, benchmark, kind),
      "minimum effect " + small_share_text(minimum_effect_of(policy, benchmark, kind)));
  add(table_for(policy, benchmark, &PatternPolicy::margin), "margin " + small_share_text(margin_of(policy, benchmark)));
  if (const PatternPolicy* table = table_for(policy, benchmark, &PatternPolicy::gates)) {
    add(table, gating_text(*table->gates));
  }
  const PatternPolicy* budget = table_for(policy, benchmark, &PatternPolicy::budget_ns);
  if (budget && kind == MetricKind::noisy) {
    add(budget, "budget " + level_text(static_cast<double>(*budget->budget_ns), "ns"));
  }
  std::string text;
  for (const auto& [table, what] : parts) {
    text += (text.empty() ? "" : "; ") + what + (table ? " by the policy of " + to_text(*table) : " as for all");
  }
  return text;
}

std::string policy_step(const ComparisonPolicy& policy, const ComparisonRow& row) {
  std::string text = policy_text(policy, row);
  if (text.empty() && row.owner.empty()) return "";
  if (text.empty()) text = "as for all benchmarks";
  return "policy: " + text + (row.owner.empty() ? "" : "; owner " + row.owner);
}

std::vector<const PatternPolicy*> tables_without_benchmark(const ComparisonPolicy& policy,
                                                           const std::set<std::string>& benchmarks) {
  std::vector<const PatternPolicy*> idle;
  for (const PatternPolicy& table : policy.patterns) {
    const bool is_used = std::any_of(benchmarks.begin(), benchmarks.end(), [&table](const std::string& benchmark) {
      return matches_pattern(table.match, benchmark);
    });
    if (!is_used) idle.push_back(&table);
  }
  return idle;
}

}  // namespace steelyard::regress
