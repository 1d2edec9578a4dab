// Runs side by side as tables: one for each metric, a row for each benchmark, a column for each side. Only what stands
// where; what the cells mean is decided by bench/harness/significance_table.hpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/significance_table.hpp"
#include "bench/model/run.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard::ci {

struct TableSide {
  std::string name;  // heads its column
  Run run;
};

// Short names that still tell the sides apart: folders and endings that all have in common are left out, equal names
// are numbered.
std::vector<std::string> side_names(const std::vector<std::string>& given);

// Error (input): two sides were measured on different machines; names decisive facts that differ, and the one option
// that sets all of them aside. Adds to `warnings` which sides do not say where they were measured, and which facts were
// ignored.
Result<void> check_machines(const std::vector<TableSide>& sides, const std::vector<std::string>& ignored_facts,
                            std::vector<std::string>& warnings);

struct SideTables {
  std::vector<TableData> tables;
  std::vector<std::string> warnings;  // what failed, what was left out and why
};

// `metrics`: those wanted; empty: real_time and every counted one. Where any side has several invocations of a metric,
// a value is the median of one invocation; otherwise it is a sample. Counts under other conditions than those of the
// first side that has them are excluded with a warning.
SideTables side_tables(const std::vector<TableSide>& sides, const std::vector<std::string>& metrics);

// Tables as measurements of tasks, for the reference's table: the row is the sub-label, the column the description.
// Tables of other metrics than times have none.
std::vector<TaskMeasurement> task_measurements(const std::vector<TableData>& tables);

// The interface steelyard.table/1; one object, newline at the end.
std::string json_tables(std::span<const SignificanceTable> tables, const std::vector<std::string>& warnings);

}  // namespace steelyard::ci
