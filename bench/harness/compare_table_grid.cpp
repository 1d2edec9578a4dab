#include "bench/harness/compare_table_grid.hpp"

#include <algorithm>
#include <tuple>

namespace steelyard {
namespace {

GridRow row_of(const TaskSpec& task) {
  const std::string& name = task.sub_label.empty() ? task.statement : task.sub_label;
  return {task.threads, task.environment, name.empty() ? "[Unknown]" : name};
}

template <class Value>
std::size_t place_of(std::vector<Value>& list, const Value& value) {
  const auto found = std::find(list.begin(), list.end(), value);
  const auto place = static_cast<std::size_t>(found - list.begin());
  if (found == list.end()) list.push_back(value);
  return place;
}

Result<TaskGrid> grid_of(const std::string& label, const std::vector<const TaskMeasurement*>& measurements) {
  TaskGrid grid;
  grid.label = label;
  for (const TaskMeasurement* measurement : measurements) {
    place_of(grid.rows, row_of(measurement->task));
    place_of(grid.columns, measurement->task.description);
  }
  std::stable_sort(grid.rows.begin(), grid.rows.end(), [](const GridRow& a, const GridRow& b) {
    return std::tie(a.threads, a.environment) < std::tie(b.threads, b.environment);
  });
  grid.cells.assign(grid.rows.size(), std::vector<const TaskMeasurement*>(grid.columns.size(), nullptr));
  for (const TaskMeasurement* measurement : measurements) {
    const TaskMeasurement*& cell = grid.cells[place_of(grid.rows, row_of(measurement->task))]
                                             [place_of(grid.columns, measurement->task.description)];
    if (cell) {
      return input_error(
          "table \"" + label + '"',
          "two tasks in one cell, \"" + cell->task.statement + "\" and \"" + measurement->task.statement + '"',
          "tasks that differ in sub-label, description, environment or threads", "give them different sub-labels");
    }
    cell = measurement;
  }
  return grid;
}

}  // namespace

Result<std::vector<TaskGrid>> task_grids(const std::vector<TaskMeasurement>& measurements) {
  std::vector<std::string> labels;
  std::vector<std::vector<const TaskMeasurement*>> groups;
  for (const TaskMeasurement& measurement : measurements) {
    if (measurement.raw_times.empty()) continue;
    const std::size_t place = place_of(labels, measurement.task.label);
    if (place == groups.size()) groups.emplace_back();
    groups[place].push_back(&measurement);
  }
  std::vector<TaskGrid> grids;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    STEELYARD_TRY(TaskGrid grid, grid_of(labels[i], groups[i]));
    grids.push_back(std::move(grid));
  }
  return grids;
}

Result<std::vector<TaskMeasurement>> merge_for_table(const std::vector<TaskMeasurement>& measurements,
                                                     MergeOptions options) {
  for (const TaskMeasurement& measurement : measurements) {
    if (std::string flaw = measurement.flaw(); !flaw.empty()) {
      return input_error("table: \"" + measurement.task.title() + '"', std::move(flaw), "what could be measured");
    }
    if (options.across_machines || measurement.fingerprint == measurements.front().fingerprint) continue;
    const auto named = [](const std::string& fingerprint) {
      return fingerprint.empty() ? std::string("an unknown one") : fingerprint;
    };
    return input_error("table",
                       "measurements of machine " + named(measurements.front().fingerprint) + " and of " +
                           named(measurement.fingerprint),
                       "one machine", "ask for a table across machines");
  }
  return merge(measurements, options);
}

}  // namespace steelyard
