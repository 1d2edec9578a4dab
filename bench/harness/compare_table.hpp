// The table of torch.utils.benchmark's Compare, in all but the line that explains (! XX%): merged by task, one table
// for each label, in one unit, trimmed, marked and coloured on demand. It is here for those who know it or parse it.
// Its colours go by ratio and are blind to noise, and trimming a column by its worst cell hides differences;
// significance_table.hpp has the table that does neither.
//
//     CompareTable table(measurements);
//     table.trim_significant_figures();
//     table.colorize(TableColor::columnwise);
//     std::cout << *table.text();
//
// Not kept of the original: two tasks in one cell (there the last one wins; here an error), measurements of several
// machines (there merged; here refused unless asked), times below 1 ns (there in seconds; here in ps).
#pragma once

#include <string>
#include <vector>

#include "bench/model/task_measurement.hpp"

namespace steelyard {

// Which measurement stands in which cell: one grid for each label, rows by threads, environment and sub-label, columns
// by description, all in order of first appearance. Both kinds of table are made of it.

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

// Points into `measurements`, each of a task of its own (merge() makes them so). Those without times are excluded, and
// so is a label that has no others. Error (input): two tasks that differ, but not in what the table shows, fall into
// one cell; the message names them.
Result<std::vector<TaskGrid>> task_grids(const std::vector<TaskMeasurement>& measurements);

// merge(), and errors (input): a measurement with a flaw(); any two of different machines where `across_machines` is
// not set, since a table is read across, so that not only equal tasks must not be mixed.
Result<std::vector<TaskMeasurement>> merge_for_table(const std::vector<TaskMeasurement>& measurements,
                                                     MergeOptions options);

enum class TableColor {
  none,
  columnwise,  // against the best of the column among the rows of as many threads
  rowwise      // against the best of the row
};

class CompareTable {
 public:
  explicit CompareTable(std::vector<TaskMeasurement> measurements = {}) : measurements_(std::move(measurements)) {}

  void add(TaskMeasurement measurement) { measurements_.push_back(std::move(measurement)); }
  // To the digits that the spread of the times supports; decimals to those of the column's least precise cell.
  void trim_significant_figures() { trims_ = true; }
  // IQR over median beside the cells where it is 10 % or more.
  void highlight_warnings() { warns_ = true; }
  void colorize(TableColor color) { color_ = color; }
  void merge_across_machines() { merging_.across_machines = true; }

  // All tables, an empty line between; empty without measurements. Errors (input): a measurement with a
  // flaw(), measurements of different machines, two tasks in one cell.
  Result<std::string> text() const;

 private:
  std::vector<TaskMeasurement> measurements_;
  bool trims_ = false;
  bool warns_ = false;
  TableColor color_ = TableColor::none;
  MergeOptions merging_;
};

}  // namespace steelyard
