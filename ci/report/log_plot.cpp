#include "ci/report/log_plot.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>

namespace steelyard {
namespace {

// Where a value lies between two others, as logarithms, in steps of 0 to `last`; may lie beyond.
int step_of(double value, double low, double high, int last) {
  if (high <= low) return last / 2;
  return static_cast<int>(std::lround(std::log(value / low) / std::log(high / low) * last));
}

}  // namespace

LogPlot draw_log_plot(const std::vector<LogPoint>& points, double coefficient, double exponent,
                      const LogPlotShape& shape) {
  assert(!points.empty() && shape.columns >= 8 && shape.lines >= 3);
  LogPlot plot;
  plot.highest = plot.lowest = points.front().level;
  for (const LogPoint& point : points) {
    plot.highest = std::max(plot.highest, point.level);
    plot.lowest = std::min(plot.lowest, point.level);
  }
  const double smallest = points.front().size;
  const double largest = points.back().size;
  const int last_column = shape.columns - 1;
  const int last_line = shape.lines - 1;
  const std::string_view point_glyph = shape.unicode ? "\u25cf" : "o";
  const std::string_view line_glyph = shape.unicode ? "\u00b7" : ".";

  std::vector<std::vector<std::string_view>> canvas(
      static_cast<std::size_t>(shape.lines),
      std::vector<std::string_view>(static_cast<std::size_t>(shape.columns), " "));
  const auto put = [&](int column, int step, std::string_view glyph) {
    if (step < 0 || step > last_line) return;
    canvas[static_cast<std::size_t>(last_line - step)][static_cast<std::size_t>(column)] = glyph;
  };
  for (int column = 0; column <= last_column && largest > smallest; ++column) {
    const double size = smallest * std::pow(largest / smallest, static_cast<double>(column) / last_column);
    const double level = coefficient * std::pow(size, exponent);
    if (level > 0 && std::isfinite(level))
      put(column, step_of(level, plot.lowest, plot.highest, last_line), line_glyph);
  }
  for (const LogPoint& point : points) {
    plot.column_of_point.push_back(step_of(point.size, smallest, largest, last_column));
    put(plot.column_of_point.back(), step_of(point.level, plot.lowest, plot.highest, last_line), point_glyph);
  }
  for (const auto& row : canvas) {
    std::string line;
    for (const std::string_view glyph : row) line += glyph;
    line.erase(line.find_last_not_of(' ') + 1);
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

}  // namespace steelyard
