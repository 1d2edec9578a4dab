// Which rows fail the gate where they regressed: what the policy says of metrics, of small changes of counts, and of
// time and instructions as two signals of one benchmark. The verdicts themselves do not depend on it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/judged.hpp"

namespace steelyard::regress {

// Whether the policy names the metric of any benchmark, to be judged or to gate.
bool names_metric(const ComparisonPolicy& policy, std::string_view metric);
// All that it names so, each once.
std::vector<std::string> named_metrics(const ComparisonPolicy& policy);
// Of all that is judged by name, and real_time where nothing is, what may be noisy: a user's own metric that no table
// knows may be, too.
std::set<std::string> perhaps_noisy_metrics(const ComparisonPolicy& policy);
// Whether it is judged of this benchmark: named for it, or, where `metrics` is empty, real_time and every counted
// metric.
bool is_judged(const ComparisonPolicy& policy, std::string_view benchmark, std::string_view metric, MetricKind kind);
// Whether it is judged of some benchmark: named anywhere, or judged where nothing is named.
bool is_judged(const ComparisonPolicy& policy, std::string_view metric, MetricKind kind);
// Whether its regression may fail the gate: named to gate by the table of this benchmark's pattern, if there is one;
// else by the policy of all; where that has no `gates` named to be judged; where `metrics` is empty too,
// gates_by_default().
bool metric_gates(const ComparisonPolicy& policy, std::string_view benchmark, const Metric& metric);

// Whether it is a count that the policy does not name and of which neither side has a value: where it failed, and no
// option demands counts, nothing is lost that was to be judged.
bool is_unnamed_count(const ComparisonRow& row, const Run& baseline, const Run& candidate,
                      const ComparisonPolicy& policy);

// Sets `gates` of every row from the policy and the verdicts, and returns for each row why it does not gate; may be
// called again. Where time and instructions are of different code (the count has RowNote::other_dispatch, or is of more
// than the timed region), neither can confirm or excuse the other, so each decides alone. A small step of a count gates
// where what such steps came to (row.creep) is beyond the effect, whatever time shows unless it is better. A regression
// that goes no further than a level that was accepted (comparison.history) does not gate.
[[nodiscard]] std::vector<GateNote> decide_gates(Comparison& comparison);

}  // namespace steelyard::regress
