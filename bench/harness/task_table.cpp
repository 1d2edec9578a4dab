#include "bench/harness/task_table.hpp"

#include <algorithm>

#include "bench/harness/compare_table.hpp"

namespace steelyard {
namespace {

// In the order taken: neighbours tell whether the times depend on each other.
std::vector<double> times_of(const TaskMeasurement* measurement) {
  return measurement ? measurement->times_in_order() : std::vector<double>();
}

TableData data_of(const TaskGrid& grid) {
  TableData data;
  data.title = grid.label;
  data.columns = grid.columns;
  const bool several = std::any_of(grid.rows.begin(), grid.rows.end(), [&](const GridRow& row) {
    return row.environment != grid.rows.front().environment;
  });
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const GridRow& row = grid.rows[i];
    TableRow made;
    made.group = std::to_string(row.threads) + (row.threads == 1 ? " thread" : " threads");
    // Builds are rows of one group, so that they are compared with each other.
    made.name = several && !row.environment.empty() ? "(" + row.environment + ") " + row.name : row.name;
    for (const TaskMeasurement* cell : grid.cells[i]) made.cells.push_back(times_of(cell));
    data.rows.push_back(std::move(made));
  }
  return data;
}

}  // namespace

Result<std::vector<SignificanceTable>> task_tables(const std::vector<TaskMeasurement>& measurements,
                                                   const TableQuestion& question, MergeOptions merging) {
  STEELYARD_TRY(const std::vector<TaskMeasurement> merged, merge_for_table(measurements, merging));
  STEELYARD_TRY(const std::vector<TaskGrid> grids, task_grids(merged));
  std::vector<SignificanceTable> tables;
  for (const TaskGrid& grid : grids) {
    STEELYARD_TRY(SignificanceTable table, compare_cells(data_of(grid), question));
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace steelyard
