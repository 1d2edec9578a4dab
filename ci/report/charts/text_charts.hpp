// Charts of characters for a terminal: a series of levels as a line, points of a sweep where both axes are logarithmic,
// and an interval of a ratio in a few columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/interval.hpp"
#include "bench/model/measurement.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard::ci {

// The level of a measurement and its two spreads, kept apart: inside an invocation and between invocations.
// For showing one run; judging two is the business of regress.

struct SampleSummary {
  std::optional<double> level;    // median of the invocations' medians; absent without a finite value
  std::optional<double> within;   // median over invocations of the samples' standard deviation (n - 1) over their
                                  // mean; absent where no invocation has two samples
  std::optional<double> between;  // standard deviation (n - 1) of the invocations' medians over their mean
  std::int64_t samples = 0;
  std::int64_t invocations = 0;
};

SampleSummary summarize(const Measurement& measurement);

// Of finite values; absent for none. The mean of the middle two for an even number.
std::optional<double> median_of(std::vector<double> values);

struct ChartShape {
  int columns = 60;  // of the drawing without its axis, at least 8
  int lines = 8;     // at least 3
  bool unicode = true;
};

struct LineChart {
  std::vector<std::string> lines;    // top to bottom, each at most `columns` wide, without trailing spaces
  std::vector<double> axis;          // the level in the middle of each line
  int columns_per_point = 1;         // 1 or more: the distance of two points; below their number they share columns
  std::vector<int> column_of_point;  // as long as `values`
};

// A series of levels with box characters, time from left to right. values: at least one, finite. More values than
// columns share a column, which then shows their median.
LineChart draw_line_chart(const std::vector<double>& values, const ChartShape& shape);

// A chart behind its axis of levels in one unit, for a terminal. Every other level is enough to read the axis.
struct LabelledChart {
  LineChart chart;
  std::string text;        // whole lines
  std::size_t indent = 0;  // where the chart begins, for what stands below its points
};
LabelledChart labelled_line_chart(const std::vector<double>& values, const std::string& unit,
                                  const TerminalStyle& style);

struct LogPlotShape {
  int columns = 60;  // of the drawing without its axes, at least 8
  int lines = 12;    // at least 3
  bool unicode = true;
};

struct LogPlot {
  std::vector<std::string> lines;  // top to bottom, without trailing spaces
  double highest = 0;              // level of the top line and of the bottom line
  double lowest = 0;
  std::vector<int> column_of_point;  // as long as the points
};

struct LogPoint {
  double size = 0;  // above 0
  double level = 0;
};

// points: at least one, by size ascending, all above 0. The line is level = coefficient * size^exponent; a point hides
// it. Nothing is drawn of what lies beyond the highest and the lowest point.
LogPlot draw_log_plot(const std::vector<LogPoint>& points, double coefficient, double exponent,
                      const LogPlotShape& shape);

// An interval of a ratio: one scale for every row, symmetric around "no change" and logarithmic on both sides, so that
// 1 % and 30 % are both seen. The band of the minimum effect is marked; an interval that lies outside of it is a change
// someone cares about.
struct BarShape {
  int columns = 17;  // odd, at least 7
  bool unicode = true;
};

// The scale ends at a ratio of 1.25 (and 1 / 1.25); beyond it an arrow. Most changes that a review meets are within.
inline constexpr double kBarEnd = 1.25;

std::string interval_bar(const Interval& interval, double estimate, double minimum_effect, const BarShape& shape);
// "-20%      0      +25%", as wide as the bars.
std::string interval_bar_axis(const BarShape& shape);

}  // namespace steelyard::ci
