// Results made by hand for the tests of the reports: a comparison with every verdict, a history, a run.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "storage/model/history.hpp"

namespace steelyard::sample {

Comparison comparison_with_every_verdict();
// Two builds that do not differ: unchanged rows only.
Comparison quiet_comparison(int benchmarks);
// One row of real_time with the given name and verdict.
ComparisonRow time_row(const std::string& benchmark, double ratio, Verdict verdict);
ComparisonRow instructions_row(const std::string& benchmark, double baseline, double candidate);
// One whose change a function of its own at that line explains.
ComparisonRow row_changed_in(const std::string& benchmark, const std::string& file, int line, double factor = 1.2);
// quiet_comparison() with these rows alone.
Comparison comparison_of(std::vector<ComparisonRow> rows);

storage::HistorySeries history_of_four_commits();
Run run_with_a_failure();

}  // namespace steelyard::sample
