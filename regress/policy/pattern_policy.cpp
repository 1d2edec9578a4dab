#include "regress/policy/pattern_policy.hpp"

#include <algorithm>
#include <optional>

namespace steelyard::regress {
namespace {

const PatternPolicy* owning_table(const ComparisonPolicy& policy, std::string_view benchmark) {
  for (const PatternPolicy& table : policy.patterns) {
    if (!table.owner.empty() && matches_pattern(table.match, benchmark)) return &table;
  }
  return nullptr;
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

}  // namespace

bool matches_whole(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;  // where the text goes on when the last '*' takes one character more
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matches_pattern(std::string_view pattern, std::string_view benchmark) {
  if (matches_whole(pattern, benchmark)) return true;
  const std::size_t suffix = benchmark.rfind(" [");
  return suffix != std::string_view::npos && benchmark.ends_with(']') &&
         matches_whole(pattern, benchmark.substr(0, suffix));
}

std::vector<std::string> machine_names(const Environment& environment) {
  std::vector<std::string> names{environment.fingerprint()};
  for (const char* fact : {"cpu.model", "gpu.device", "machine"}) {
    if (const std::string* value = environment.find(fact)) names.push_back(*value);
  }
  std::erase(names, "");
  return names;
}

bool is_for_machine(const PatternPolicy& table, const std::vector<std::string>& machine_names) {
  return table.machine.empty() ||
         std::any_of(machine_names.begin(), machine_names.end(),
                     [&table](const std::string& name) { return matches_whole(table.machine, name); });
}

ComparisonPolicy on_machine(ComparisonPolicy policy, const std::vector<std::string>& machine_names) {
  std::erase_if(policy.patterns, [&](const PatternPolicy& table) { return !is_for_machine(table, machine_names); });
  return policy;
}

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

const PatternPolicy* effect_table(const ComparisonPolicy& policy, std::string_view benchmark, MetricKind kind) {
  return table_for(
      policy, benchmark,
      kind == MetricKind::counted ? &PatternPolicy::counted_minimum_effect : &PatternPolicy::minimum_effect);
}

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
