#include "bench/harness/compare_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "bench/model/text.hpp"

namespace steelyard {
namespace {

struct CellStyle {
  bool trims = false;
  bool warns = false;
};

constexpr std::string_view kSeparator = "  |  ";
constexpr int kWarningColumns = 7;  // " (! 12%)" of two digits fits; of three it pushes

// How the numbers of one column are printed.
struct ColumnFormat {
  std::size_t columns = 0;
  int decimals = 0;
  bool has_warnings = false;
};

// Of 0, whose logarithm is no number, one.
int leading_digits(double value) { return value > 0 ? static_cast<int>(std::ceil(std::log10(value))) : 1; }

ColumnFormat format_of(const TaskGrid& grid, std::size_t column, const TimeUnit& unit, const CellStyle& style) {
  ColumnFormat format;
  int max_leading = std::numeric_limits<int>::min();
  int min_decimals = std::numeric_limits<int>::max();
  for (const auto& row : grid.cells) {
    if (!row[column]) continue;
    const int leading = leading_digits(*row[column]->median() / unit.seconds);
    max_leading = std::max(max_leading, leading);
    min_decimals = std::min(min_decimals, std::max(row[column]->significant_figures() - leading, 0));
    format.has_warnings = format.has_warnings || (style.warns && row[column]->has_warning());
  }
  format.decimals = style.trims ? min_decimals : 1;
  const int point = format.decimals > 0 ? 1 : 0;
  format.columns = static_cast<std::size_t>(std::max(0, max_leading + format.decimals + point));
  return format;
}

std::string cell_text(const TaskMeasurement* cell, const ColumnFormat& format, const TimeUnit& unit,
                      const CellStyle& style) {
  std::string number;
  std::string warning;
  if (cell) {
    double value = *cell->median() / unit.seconds;
    if (style.trims) value = trim_to_significant_figures(value, cell->significant_figures());
    number = decimals_text(value, format.decimals);
    if (format.has_warnings && cell->has_warning()) {
      warning = " (! " + decimals_text(*cell->interquartile_range() / *cell->median() * 100, 0) + "%)";
    }
  } else {
    number = decimals_text(1, format.decimals);
  }
  const std::string text = padded(number, format.columns, Align::right) +
                           padded(warning, format.has_warnings ? kWarningColumns : 0, Align::right);
  return cell ? text : std::string(text.size(), ' ');
}

// What a ratio to the best looks like: bounds from best to worst, the first that holds.
std::string coloured(const std::string& text, double value, double best) {
  constexpr double kSameSeconds = 100e-9;  // makes every pair of tasks below 100 ns "best"
  const auto wrap = [&](std::string_view code) { return std::string(code) + text + "\x1b[0m\x1b[0m"; };
  if (value <= best * 1.01 || value <= best + kSameSeconds) return wrap("\x1b[92m\x1b[1m");
  if (value <= best * 1.1) return wrap("\x1b[34m\x1b[1m");
  if (value >= best * 5) return wrap("\x1b[31m\x1b[1m");
  return value >= best * 2 ? wrap("\x1b[2m\x1b[91m") : text;
}

double best_for(const TaskGrid& grid, std::size_t row, std::size_t column, TableColor color) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    for (std::size_t j = 0; j < grid.columns.size(); ++j) {
      const bool counts =
          color == TableColor::rowwise ? i == row : j == column && grid.rows[i].threads == grid.rows[row].threads;
      if (counts && grid.cells[i][j]) best = std::min(best, *grid.cells[i][j]->median());
    }
  }
  return best;
}

// The first column: environment where it changes, then the row's name.
std::vector<std::string> row_titles(const TaskGrid& grid) {
  std::set<std::string> environments;
  std::size_t widest = 0;
  for (const GridRow& row : grid.rows) {
    environments.insert(row.environment);
    widest = std::max(widest, columns_of(row.environment));
  }
  const bool shows = environments.size() > 1;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const GridRow& row = grid.rows[i];
    const bool starts_group = i == 0 || grid.rows[i - 1].threads != row.threads;
    const std::string& before = starts_group ? std::string() : grid.rows[i - 1].environment;
    const std::string environment = shows && row.environment != before ? "(" + row.environment + ")" : "";
    titles.push_back("  " + padded(environment, (shows ? widest : 0) + 4) + row.name);
  }
  return titles;
}

// A table as text cells, the rows' titles first in each row, and how wide each column is.
struct Cells {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths;
};

Cells cells_of(const TaskGrid& grid, const TimeUnit& unit, const CellStyle& style) {
  Cells cells;
  cells.heading.emplace_back();
  cells.heading.insert(cells.heading.end(), grid.columns.begin(), grid.columns.end());
  for (const std::string& title : row_titles(grid)) cells.rows.push_back({title});
  for (std::size_t j = 0; j < grid.columns.size(); ++j) {
    const ColumnFormat format = format_of(grid, j, unit, style);
    for (std::size_t i = 0; i < grid.rows.size(); ++i) {
      cells.rows[i].push_back(cell_text(grid.cells[i][j], format, unit, style));
    }
  }
  for (std::size_t j = 0; j < cells.heading.size(); ++j) {
    cells.widths.push_back(columns_of(cells.heading[j]));
    for (const auto& row : cells.rows) cells.widths[j] = std::max(cells.widths[j], columns_of(row[j]));
  }
  return cells;
}

std::string row_line(const TaskGrid& grid, const Cells& cells, std::size_t row, TableColor color) {
  std::string line = padded(cells.rows[row][0], cells.widths[0]);
  for (std::size_t j = 0; j < grid.columns.size(); ++j) {
    const std::string cell = centred(cells.rows[row][j + 1], cells.widths[j + 1]);
    const TaskMeasurement* measurement = grid.cells[row][j];
    line += kSeparator;
    line += measurement && color != TableColor::none
                ? coloured(cell, *measurement->median(), best_for(grid, row, j, color))
                : cell;
  }
  return line + "\n";
}

std::string table_text(const TaskGrid& grid, const CellStyle& style, TableColor color) {
  double smallest = std::numeric_limits<double>::infinity();
  bool has_warnings = false;
  for (const auto& row : grid.cells) {
    for (const TaskMeasurement* cell : row) {
      if (cell && *cell->median() > 0) smallest = std::min(smallest, *cell->median());
      has_warnings = has_warnings || (cell && style.warns && cell->has_warning());
    }
  }
  const TimeUnit unit = time_unit(std::isinf(smallest) ? 1 : smallest);
  const Cells cells = cells_of(grid, unit, style);
  std::string heading = centred("", cells.widths[0]);
  for (std::size_t j = 1; j < cells.heading.size(); ++j) {
    heading += std::string(kSeparator) + centred(cells.heading[j], cells.widths[j]);
  }
  const std::size_t overall = columns_of(heading);
  std::string text = "[" + centred(" " + grid.label + " ", overall - 2, '-') + "]\n" + heading + "\n";
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    if (i == 0 || grid.rows[i - 1].threads != grid.rows[i].threads) {
      const std::string group = std::to_string(grid.rows[i].threads) + " threads: ";
      text += group + std::string(overall > group.size() ? overall - group.size() : 0, '-') + "\n";
    }
    text += row_line(grid, cells, i, color);
  }
  text += "\nTimes are in " + std::string(unit.plural) + " (" + std::string(unit.name) + ").\n";
  if (has_warnings) text += "(! XX%) The middle half of these times spreads over XX % of their median.\n";
  return text;
}

}  // namespace

Result<std::string> CompareTable::text() const {
  STEELYARD_TRY(const std::vector<TaskMeasurement> merged, merge_for_table(measurements_, merging_));
  STEELYARD_TRY(const std::vector<TaskGrid> grids, task_grids(merged));
  const CellStyle style{trims_, warns_};
  return joined_text(grids, "\n", [&](const TaskGrid& grid) { return table_text(grid, style, color_); });
}

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
