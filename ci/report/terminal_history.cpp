// Each series as a chart, the runs below it, newest last. What is drawn is not judged: a step here is no verdict.
#include <algorithm>
#include <cmath>

#include "ci/app/terminal_text.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/line_chart.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/report.hpp"

namespace steelyard {
namespace {

// Runs listed by name below a chart; the chart shows them all.
constexpr std::size_t kMostListed = 20;
constexpr int kChartLines = 8;

std::vector<HistoryPoint> finite_points(const HistorySeries& series) {
  std::vector<HistoryPoint> points;
  std::copy_if(series.points.begin(), series.points.end(), std::back_inserter(points),
               [](const HistoryPoint& point) { return std::isfinite(point.value); });
  return points;
}

// The levels of the axis in one unit, each with the decimals that tell its neighbours apart.
std::vector<std::string> axis_labels(const LineChart& chart, const std::string& unit) {
  std::vector<std::string> labels;
  for (const double level : chart.axis) {
    const LevelPair pair = level_pair(level, chart.axis.front(), unit);
    labels.push_back(pair.unit.empty() ? pair.baseline : pair.baseline + " " + pair.unit);
  }
  return labels;
}

std::string commit_of(const HistoryPoint& point, std::size_t digits) {
  return (point.commit.empty() ? point.run : point.commit).substr(0, digits);
}

// The commits below their points, where points are far enough apart for that.
std::string commit_axis(const std::vector<HistoryPoint>& points, const LineChart& chart, std::size_t indent) {
  constexpr std::size_t kDigits = 7;
  if (chart.columns_per_point < static_cast<int>(kDigits) + 2) return "";
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < points.size(); ++i) {
    line = padded(line, indent + static_cast<std::size_t>(chart.column_of_point[i])) +
           printable(commit_of(points[i], kDigits), false);
  }
  return line + "\n";
}

std::string chart_text(const std::vector<HistoryPoint>& points, const std::string& unit, const TerminalStyle& style) {
  std::vector<double> values;
  for (const HistoryPoint& point : points) values.push_back(point.value);
  constexpr int kAxisColumns = 14;
  ChartShape shape;
  shape.columns = std::max(style.width - kAxisColumns, 16);
  shape.lines = kChartLines;
  shape.unicode = style.unicode;
  const LineChart chart = draw_line_chart(values, shape);
  const std::vector<std::string> labels = axis_labels(chart, unit);
  std::size_t label_columns = 0;
  for (const std::string& label : labels) label_columns = std::max(label_columns, columns_of(label));
  std::string text;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    // Every other level is enough to read the axis.
    const bool is_labelled = i % 2 == 0 || i + 1 == chart.lines.size();
    const std::string label = padded(is_labelled ? labels[i] : "", label_columns, Align::right);
    const std::string tick = style.unicode ? (is_labelled ? " \u2524" : " \u2502") : (is_labelled ? " +" : " |");
    std::string line = "  " + paint(label + tick, Tone::dim, style.color) + chart.lines[i];
    text += line + "\n";
  }
  return text + commit_axis(points, chart, label_columns + 4);
}

std::string listing(const std::vector<HistoryPoint>& points, const std::string& unit, const TerminalStyle& style) {
  const std::size_t first = points.size() > kMostListed ? points.size() - kMostListed : 0;
  std::vector<std::string> shas, subjects, levels, changes;
  std::size_t sha_columns = 0, level_columns = 0, change_columns = 0, subject_columns = 0;
  for (std::size_t i = first; i < points.size(); ++i) {
    const HistoryPoint& point = points[i];
    shas.push_back(printable(commit_of(point, 9), style.unicode));
    subjects.push_back((point.is_off_branch ? "[off the branch] " : "") + printable(point.subject, style.unicode));
    levels.push_back(level_text(point.value, unit));
    const bool has_change = i > 0 && points[i - 1].value > 0;
    changes.push_back(has_change ? per_cent_text(point.value / points[i - 1].value) : "");
    sha_columns = std::max(sha_columns, columns_of(shas.back()));
    level_columns = std::max(level_columns, columns_of(levels.back()));
    change_columns = std::max(change_columns, columns_of(changes.back()));
    subject_columns = std::max(subject_columns, columns_of(subjects.back()));
  }
  constexpr std::size_t kTimeColumns = 16;  // to the minute
  const std::size_t others = 2 + sha_columns + 2 + kTimeColumns + 2 + level_columns + 2 + change_columns + 2;
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  subject_columns = std::min(subject_columns, std::max<std::size_t>(width > others ? width - others : 0, 10));
  std::string text;
  if (first > 0) text += paint("  " + std::to_string(first) + " older", Tone::dim, style.color) + "\n";
  for (std::size_t k = 0; k < shas.size(); ++k) {
    const std::string at = time_text(points[first + k].at_unix_ns).substr(0, kTimeColumns);
    std::string line = "  " + padded(shas[k], sha_columns) + "  " +
                       paint(at.substr(0, 10) + " " + at.substr(11), Tone::dim, style.color) + "  " +
                       padded(levels[k], level_columns, Align::right) + "  " +
                       padded(changes[k], change_columns, Align::right) + "  " +
                       (subject_columns > 0 ? shortened(subjects[k], subject_columns, style.unicode) : "");
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string series_text(const HistorySeries& series, const TerminalStyle& style) {
  std::string title = paint(printable(series.benchmark, style.unicode), Tone::strong, style.color) + "  " +
                      printable(metric_label(series.metric), style.unicode);
  if (series.metric.better != Better::undeclared) {
    title += paint(", " + std::string(to_text(series.metric.better)) + " is better", Tone::dim, style.color);
  }
  if (!series.fingerprint.empty()) {
    title += paint("  machine " + series.fingerprint.substr(0, 8), Tone::dim, style.color);
  }
  const std::vector<HistoryPoint> points = finite_points(series);
  if (points.empty()) return title + "\n  no runs\n";
  return title + "\n" + chart_text(points, series.metric.unit, style) + "\n" +
         listing(points, series.metric.unit, style);
}

}  // namespace

std::string terminal_history(const Page<HistorySeries>& page, const TerminalStyle& style) {
  if (page.items.empty()) return "no series matches; `steelyard history` without a name lists them all\n";
  std::string text;
  for (const HistorySeries& one : page.items) {
    if (!text.empty()) text += "\n";
    text += series_text(one, style);
  }
  // A cursor is long: for one series it is worth its line.
  const auto has_older = [](const HistorySeries& one) { return !one.older.empty(); };
  const std::string& older = page.items.size() == 1 ? page.items.front().older : "";
  std::string below;
  if (!older.empty()) {
    below = "older points: --after " + older + '\n';
  } else if (std::any_of(page.items.begin(), page.items.end(), has_older)) {
    below = "there are older points: give a larger --limit, or name one series\n";
  }
  if (!page.next.empty()) below += "more series: --after " + page.next + '\n';
  return below.empty() ? text : text + '\n' + paint(below, Tone::dim, style.color);
}

}  // namespace steelyard
