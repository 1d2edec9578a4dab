#include "ci/report/line_chart.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>

#include "ci/report/sample_summary.hpp"

namespace steelyard {
namespace {

struct Glyphs {
  std::string_view level, vertical, from_above, to_above, from_below, to_below, point;
};
// from_above: the line comes down here and goes on to the right; to_above: it arrives from the left and goes up.
constexpr Glyphs kUnicode{"\u2500", "\u2502", "\u2570", "\u256f", "\u256d", "\u256e", "\u25cf"};
constexpr Glyphs kAscii{"-", "|", "`", "'", ".", ".", "o"};

// Two points closer than this are one level: a chart must not blow up the noise to the full height.
constexpr double kLeastSpan = 0.02;  // of the level

struct Column {
  double value = 0;
  bool is_point = false;
};

// The points `distance` apart, each level held until the column before the next point, where the line turns.
std::vector<Column> spread_out(const std::vector<double>& values, int distance) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    columns.push_back({values[i], true});
    if (i + 1 == values.size()) break;
    for (int k = 1; k < distance; ++k) columns.push_back({k + 1 == distance ? values[i + 1] : values[i], false});
  }
  return columns;
}

std::vector<Column> pushed_together(const std::vector<double>& values, std::size_t count) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t first = c * values.size() / count;
    const std::size_t last = std::max(first + 1, (c + 1) * values.size() / count);
    const std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(first),
                                   values.begin() + static_cast<std::ptrdiff_t>(last));
    columns.push_back({middle_of(part).value_or(0), false});
  }
  return columns;
}

using Canvas = std::vector<std::vector<std::string_view>>;

void draw(Canvas& canvas, const std::vector<Column>& columns, const std::vector<std::size_t>& rows,
          const Glyphs& glyphs) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t row = rows[c];
    const bool turns = c > 0 && rows[c - 1] != row;
    if (turns) {
      const std::size_t before = rows[c - 1];
      canvas[before][c] = row < before ? glyphs.to_above : glyphs.to_below;
      canvas[row][c] = row < before ? glyphs.from_below : glyphs.from_above;
      for (std::size_t r = std::min(row, before) + 1; r < std::max(row, before); ++r) canvas[r][c] = glyphs.vertical;
    } else {
      canvas[row][c] = glyphs.level;
    }
    if (columns[c].is_point) canvas[row][c] = glyphs.point;
  }
}

}  // namespace

LineChart draw_line_chart(const std::vector<double>& values, const ChartShape& shape) {
  assert(!values.empty() && shape.columns >= 8 && shape.lines >= 3);
  const auto width = static_cast<std::size_t>(shape.columns);
  // Further apart than this, few points look like a plain.
  constexpr int kFarthest = 12;
  LineChart chart;
  std::vector<Column> columns;
  if (values.size() <= width) {
    const std::size_t steps = std::max<std::size_t>(values.size() - 1, 1);
    chart.columns_per_point = std::clamp(static_cast<int>((width - 1) / steps), 1, kFarthest);
    columns = spread_out(values, chart.columns_per_point);
    for (std::size_t i = 0; i < values.size(); ++i) {
      chart.column_of_point.push_back(static_cast<int>(i) * chart.columns_per_point);
    }
  } else {
    columns = pushed_together(values, width);
    for (std::size_t i = 0; i < values.size(); ++i) {
      chart.column_of_point.push_back(static_cast<int>(i * width / values.size()));
    }
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double middle = *least / 2 + *most / 2;
  const double span = std::max({*most - *least, std::abs(middle) * kLeastSpan, 1e-300});
  const double top = middle + span / 2;
  const double step = span / (shape.lines - 1);
  for (int line = 0; line < shape.lines; ++line) chart.axis.push_back(top - step * line);

  std::vector<std::size_t> rows;
  for (const Column& column : columns) {
    const auto row = static_cast<int>(std::lround((top - column.value) / step));
    rows.push_back(static_cast<std::size_t>(std::clamp(row, 0, shape.lines - 1)));
  }
  Canvas canvas(static_cast<std::size_t>(shape.lines), std::vector<std::string_view>(columns.size(), " "));
  draw(canvas, columns, rows, shape.unicode ? kUnicode : kAscii);
  for (const auto& cells : canvas) {
    std::string line;
    for (const std::string_view cell : cells) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

}  // namespace steelyard
