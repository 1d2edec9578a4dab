// What a benchmark is judged by where tables of the policy hold for patterns of benchmarks (those of targets,
// regress/targets/declared_target.hpp): of each key the first table of the policy that matches and says it; what no
// table says is as for the whole comparison. A policy has a file's tables from the last to the first, so that in the
// file the last match holds, and a table for some benchmarks need not repeat what another says of them.
//
//     row.minimum_effect = minimum_effect_of(policy, row.benchmark, row.metric.kind);
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/environment.hpp"

namespace steelyard::regress {

// '*' any characters, '?' one. Linear in practice: a '*' is tried again only at its last place.
bool matches_whole(std::string_view pattern, std::string_view text);
// The whole name, or the name without its "[suite=...]".
bool matches_pattern(std::string_view pattern, std::string_view benchmark);

// What a table's `machine` is held against: the fingerprint, and where they are known the processor's model, the
// devices, and the machine's maker and model.
std::vector<std::string> machine_names(const Environment& environment);
bool is_for_machine(const PatternPolicy& table, const std::vector<std::string>& machine_names);
// Without the tables for other machines.
ComparisonPolicy on_machine(ComparisonPolicy policy, const std::vector<std::string>& machine_names);

// The table that says the key of this benchmark; null: none does. Linear in the tables.
template <class T>
const PatternPolicy* table_for(const ComparisonPolicy& policy, std::string_view benchmark,
                               std::optional<T> PatternPolicy::*key);

// The table that says the minimum effect of a metric of this kind; null: none does.
const PatternPolicy* effect_table(const ComparisonPolicy& policy, std::string_view benchmark, MetricKind kind);

// Relative. Of counts it is the smallest change that gates.
double minimum_effect_of(const ComparisonPolicy& policy, std::string_view benchmark, MetricKind kind);
// Relative, without what a calibration adds to it.
double margin_of(const ComparisonPolicy& policy, std::string_view benchmark);

// Fills what follows from the policy alone: confidence, minimum effect, margin, `policies` and `owner`. The row's
// benchmark and metric are set.
void set_policy(const ComparisonPolicy& policy, ComparisonRow& row);

// "gemv/*" (steelyard.toml:12)
std::string to_text(const PatternPolicy& table);

// The tables whose pattern none of these benchmarks has.
std::vector<const PatternPolicy*> tables_without_benchmark(const ComparisonPolicy& policy,
                                                           const std::set<std::string>& benchmarks);

}  // namespace steelyard::regress
