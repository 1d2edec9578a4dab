// Which measurement stands in which cell: one grid for each label, rows by threads, environment and sub-label, columns
// by description, all in order of first appearance. Both kinds of table are made of it.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/task_measurement.hpp"

namespace steelyard {

struct GridRow {
  int threads = 1;
  std::string environment;
  std::string name;  // sub-label, else statement, else "[Unknown]"
  bool operator==(const GridRow&) const = default;
};

struct TaskGrid {
  std::string label;
  std::vector<GridRow> rows;  // sorted by threads, then environment; rows equal in both keep their order
  std::vector<std::string> columns;
  std::vector<std::vector<const TaskMeasurement*>> cells;  // [row][column]; null: nothing was measured there
};

// Points into `measurements`, each of a task of its own (merge() makes them so). Those without times are left out, and
// so is a label that has no others. Error (input): two tasks that differ, but not in what the table shows, fall into
// one cell; the message names them.
Result<std::vector<TaskGrid>> task_grids(const std::vector<TaskMeasurement>& measurements);

// merge(), and errors (input): a measurement with a flaw(); any two of different machines where `across_machines` is
// not set, since a table is read across, so that not only equal tasks must not be mixed.
Result<std::vector<TaskMeasurement>> merge_for_table(const std::vector<TaskMeasurement>& measurements,
                                                     MergeOptions options);

}  // namespace steelyard
