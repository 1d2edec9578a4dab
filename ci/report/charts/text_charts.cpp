#include "ci/report/charts/text_charts.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>
#include <utility>

#include "bench/model/number_text.hpp"
#include "bench/model/quantile.hpp"
#include "ci/report/charts/svg_picture.hpp"

namespace steelyard::ci {
namespace {

// Two passes: the mean of squares minus the square of the mean cancels on large values.
std::optional<double> relative_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  if (mean == 0) return std::nullopt;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double result = std::sqrt(squares / static_cast<double>(values.size() - 1)) / std::abs(mean);
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

}  // namespace

std::optional<double> median_of(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); }),
               values.end());
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

SampleSummary summarize(const Measurement& measurement) {
  SampleSummary summary;
  std::vector<double> medians;
  std::vector<double> deviations;
  for (const InvocationSamples& invocation : measurement.invocations) {
    const std::optional<double> level = median_of(invocation.values);
    if (!level) continue;
    ++summary.invocations;
    summary.samples += static_cast<std::int64_t>(invocation.values.size());
    medians.push_back(*level);
    if (const auto deviation = relative_deviation(invocation.values)) deviations.push_back(*deviation);
  }
  summary.level = median_of(medians);
  summary.within = median_of(deviations);
  summary.between = relative_deviation(medians);
  return summary;
}

namespace {

struct LineGlyphs {
  std::string_view level, vertical, from_above, to_above, from_below, to_below, point;
};
// from_above: the line comes down here and goes on to the right; to_above: it arrives from the left and goes up.
constexpr LineGlyphs kUnicodeLine{"\u2500", "\u2502", "\u2570", "\u256f", "\u256d", "\u256e", "\u25cf"};
constexpr LineGlyphs kAsciiLine{"-", "|", "`", "'", ".", ".", "o"};

// Two points closer than this are one level: a chart must not blow up the noise to the full height.
constexpr double kMinTextSpan = 0.02;  // of the level

struct ChartColumn {
  double value = 0;
  bool is_point = false;
};

// The points `distance` apart, each level held until the column before the next point, where the line turns.
std::vector<ChartColumn> spread_out(const std::vector<double>& values, int distance) {
  std::vector<ChartColumn> columns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    columns.push_back({values[i], true});
    if (i + 1 == values.size()) break;
    for (int k = 1; k < distance; ++k) columns.push_back({k + 1 == distance ? values[i + 1] : values[i], false});
  }
  return columns;
}

std::vector<ChartColumn> pushed_together(const std::vector<double>& values, std::size_t count) {
  std::vector<ChartColumn> columns;
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t first = c * values.size() / count;
    const std::size_t last = std::max(first + 1, (c + 1) * values.size() / count);
    const std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(first),
                                   values.begin() + static_cast<std::ptrdiff_t>(last));
    columns.push_back({median_of(part).value_or(0), false});
  }
  return columns;
}

using Canvas = std::vector<std::vector<std::string_view>>;

// Without trailing spaces.
std::vector<std::string> lines_of(const Canvas& canvas) {
  std::vector<std::string> lines;
  for (const auto& cells : canvas) {
    std::string& line = lines.emplace_back();
    for (const std::string_view cell : cells) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

void draw(Canvas& canvas, const std::vector<ChartColumn>& columns, const std::vector<std::size_t>& rows,
          const LineGlyphs& glyphs) {
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

// Where a value lies between two others, as logarithms, in steps of 0 to `last`; may lie beyond.
int step_of(double value, double low, double high, int last) {
  if (high <= low) return last / 2;
  return static_cast<int>(std::lround(LogAxis{low, high}.share(value) * last));
}

struct BarGlyphs {
  std::string_view zero, band, span, point, beyond_low, beyond_high;
};
constexpr BarGlyphs kUnicodeBar{"\u2502", "\u250a", "\u2501", "\u25cf", "\u25c2", "\u25b8"};
constexpr BarGlyphs kAsciiBar{"|", ":", "=", "o", "<", ">"};

// Where the scale turns from linear to logarithmic: half the usual minimum effect, so that a band of 1 % is visible.
constexpr double kLinearUpTo = 0.005;

// -1 at 1 / kBarEnd, 0 at no change, 1 at kBarEnd.
double position(double ratio) {
  const double change = std::log(ratio);
  const double size = std::log1p(std::abs(change) / kLinearUpTo) / std::log1p(std::log(kBarEnd) / kLinearUpTo);
  return change < 0 ? -size : size;
}

int cell_of(double ratio, int half) {
  if (!(ratio > 0)) return -1;
  return half + static_cast<int>(std::lround(std::clamp(position(ratio), -2.0, 2.0) * half));
}

}  // namespace

LineChart draw_line_chart(const std::vector<double>& values, const ChartShape& shape) {
  assert(!values.empty() && shape.columns >= 8 && shape.lines >= 3);
  const auto width = static_cast<std::size_t>(shape.columns);
  // Further apart than this, few points look like a plain.
  constexpr int kFarthest = 12;
  LineChart chart;
  std::vector<ChartColumn> columns;
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
  const double span = std::max({*most - *least, std::abs(middle) * kMinTextSpan, 1e-300});
  const double top = middle + span / 2;
  const double step = span / (shape.lines - 1);
  for (int line = 0; line < shape.lines; ++line) chart.axis.push_back(top - step * line);

  std::vector<std::size_t> rows;
  for (const ChartColumn& column : columns) {
    const auto row = static_cast<int>(std::lround((top - column.value) / step));
    rows.push_back(static_cast<std::size_t>(std::clamp(row, 0, shape.lines - 1)));
  }
  Canvas canvas(static_cast<std::size_t>(shape.lines), std::vector<std::string_view>(columns.size(), " "));
  draw(canvas, columns, rows, shape.unicode ? kUnicodeLine : kAsciiLine);
  chart.lines = lines_of(canvas);
  return chart;
}

namespace {

// In one unit, each with the decimals that tell its neighbours apart. levels: of one step after the other.
std::vector<std::string> axis_labels(const std::vector<double>& levels, const std::string& unit) {
  const auto written = [&](auto&& beside) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const LevelPair pair = level_pair(levels[i], beside(i), unit);
      labels.push_back(pair.unit.empty() ? pair.baseline : pair.baseline + " " + pair.unit);
    }
    return labels;
  };
  std::vector<std::string> labels = written([&](std::size_t) { return levels.front(); });
  if (std::adjacent_find(labels.begin(), labels.end()) == labels.end()) return labels;
  // Two digits of it, at least, tell half a step.
  constexpr double kSteps = 5;
  const auto steps_at = [&](std::size_t i) { return kSteps * (levels[i == 0 ? 0 : i - 1] - levels[i == 0 ? 1 : i]); };
  std::vector<std::string> longer = written(steps_at);
  const bool tells = std::adjacent_find(longer.begin(), longer.end()) == longer.end();
  return tells ? longer : labels;  // of zeros no digits tell
}

}  // namespace

LabelledChart labelled_line_chart(const std::vector<double>& values, const std::string& unit,
                                  const TerminalStyle& style) {
  constexpr int kAxisColumns = 14;
  ChartShape shape;
  shape.columns = std::max(style.width - kAxisColumns, 16);
  shape.unicode = style.unicode;
  LabelledChart labelled;
  labelled.chart = draw_line_chart(values, shape);
  const LineChart& chart = labelled.chart;
  const auto is_labelled_at = [&](std::size_t i) { return i % 2 == 0 || i + 1 == chart.lines.size(); };
  std::vector<double> levels;
  for (std::size_t i = 0; i < chart.axis.size(); ++i) {
    if (is_labelled_at(i)) levels.push_back(chart.axis[i]);
  }
  const std::vector<std::string> labels = axis_labels(levels, unit);
  std::size_t label_columns = 0;
  for (const std::string& label : labels) label_columns = std::max(label_columns, columns_of(label));
  std::size_t next = 0;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const bool is_labelled = is_labelled_at(i);
    const std::string label = padded(is_labelled ? labels[next++] : "", label_columns, Align::right);
    const std::string tick = style.unicode ? (is_labelled ? " \u2524" : " \u2502") : (is_labelled ? " +" : " |");
    labelled.text += "  " + paint(label + tick, Tone::dim, style.color) + chart.lines[i] + "\n";
  }
  labelled.indent = label_columns + 4;
  return labelled;
}

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

  Canvas canvas(static_cast<std::size_t>(shape.lines),
                std::vector<std::string_view>(static_cast<std::size_t>(shape.columns), " "));
  const auto put = [&](int column, int step, std::string_view glyph) {
    if (step < 0 || step > last_line) return;
    canvas[static_cast<std::size_t>(last_line - step)][static_cast<std::size_t>(column)] = glyph;
  };
  for (int column = 0; column <= last_column && largest > smallest; ++column) {
    const double size = LogAxis{smallest, largest}.at(static_cast<double>(column) / last_column);
    const double level = coefficient * std::pow(size, exponent);
    if (level > 0 && std::isfinite(level))
      put(column, step_of(level, plot.lowest, plot.highest, last_line), line_glyph);
  }
  for (const LogPoint& point : points) {
    plot.column_of_point.push_back(step_of(point.size, smallest, largest, last_column));
    put(plot.column_of_point.back(), step_of(point.level, plot.lowest, plot.highest, last_line), point_glyph);
  }
  plot.lines = lines_of(canvas);
  return plot;
}

std::string interval_bar(const Interval& interval, double estimate, double minimum_effect, const BarShape& shape) {
  assert(shape.columns >= 7 && shape.columns % 2 == 1);
  const BarGlyphs& glyphs = shape.unicode ? kUnicodeBar : kAsciiBar;
  const int half = shape.columns / 2;
  std::vector<std::string_view> cells(static_cast<std::size_t>(shape.columns), " ");
  const auto put = [&](int cell, std::string_view glyph) {
    if (cell >= 0 && cell < shape.columns) cells[static_cast<std::size_t>(cell)] = glyph;
  };
  put(cell_of(1 - minimum_effect, half), glyphs.band);
  put(cell_of(1 + minimum_effect, half), glyphs.band);
  put(half, glyphs.zero);
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high) || !std::isfinite(estimate)) {
    std::string empty;
    for (const std::string_view cell : cells) empty += cell;
    return empty;
  }
  const int low = cell_of(interval.low, half);
  const int high = cell_of(interval.high, half);
  for (int cell = std::max(low, 0); cell <= std::min(high, shape.columns - 1); ++cell) put(cell, glyphs.span);
  put(cell_of(estimate, half), glyphs.point);
  if (low < 0) put(0, glyphs.beyond_low);
  if (high >= shape.columns) put(shape.columns - 1, glyphs.beyond_high);
  std::string text;
  for (const std::string_view cell : cells) text += cell;
  return text;
}

std::string interval_bar_axis(const BarShape& shape) {
  // Narrow bars have room for the middle only.
  const auto half = static_cast<std::size_t>(shape.columns / 2);
  if (shape.columns < 11) return std::string(half, ' ') + "0";
  const std::string left = "-20%";
  const std::string right = "+25%";
  return left + std::string(half - left.size(), ' ') + "0" + std::string(half - right.size(), ' ') + right;
}

}  // namespace steelyard::ci
