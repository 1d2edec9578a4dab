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

#include "bench/harness/task_measurement.hpp"

namespace steelyard {

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
