#include <algorithm>
#include <cmath>

#include "ci/app/terminal_text.hpp"
#include "ci/report/line_chart.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/sample_summary.hpp"
#include "ci/report/series_chart.hpp"

namespace steelyard {
namespace {

constexpr int kAxisColumns = 14;
constexpr int kChartLines = 8;

struct MachinePoints {
  std::string machine;
  std::vector<double> values;
  std::vector<std::size_t> indices;  // into the series
};

std::vector<MachinePoints> by_machine(const Series& series) {
  std::vector<MachinePoints> all;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    std::vector<double> finite;
    for (const double value : series.points[i].values) {
      if (std::isfinite(value)) finite.push_back(value);
    }
    if (finite.empty()) continue;
    const std::string& machine = series.points[i].machine;
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.machine == machine; });
    if (found == all.end()) found = all.insert(all.end(), {machine, {}, {}});
    found->values.push_back(middle_of(finite).value_or(0));
    found->indices.push_back(i);
  }
  return all;
}

std::string label_of(const ChangePoint& change, const TerminalStyle& style) {
  std::string text = change.ratio ? per_cent_text(*change.ratio) : change.regression ? "worse" : "better";
  if (change.status == ChangeStatus::suspected) text += "?";
  if (change.shared > 0) text += " all";
  const std::string commit = change.commit.empty() ? "" : " " + change.commit.substr(0, 9);
  return text + printable(commit, style.unicode);
}

// A mark below the chart where each level begins, what changed beside it; on as many lines as keep words apart.
std::string marks(const std::vector<ChangePoint>& changes, const MachinePoints& points, const LineChart& chart,
                  std::size_t indent, const TerminalStyle& style) {
  std::vector<std::string> lines;
  std::vector<std::size_t> used;
  for (const ChangePoint& change : changes) {
    const auto found = std::find(points.indices.begin(), points.indices.end(), change.index);
    if (found == points.indices.end()) continue;
    const auto column =
        static_cast<std::size_t>(chart.column_of_point[static_cast<std::size_t>(found - points.indices.begin())]);
    const std::string label = label_of(change, style);
    const Tone tone = change.status == ChangeStatus::suspected || change.shared > 0 ? Tone::doubtful
                      : change.regression                                           ? Tone::bad
                                                                                    : Tone::good;
    std::size_t line = 0;
    while (line < used.size() && used[line] + 1 > column && used[line] > 0) ++line;
    if (line == used.size()) {
      lines.emplace_back();
      used.push_back(0);
    }
    lines[line] +=
        std::string(column - used[line], ' ') + paint((style.unicode ? "\u25b2 " : "^ ") + label, tone, style.color);
    used[line] = column + 2 + columns_of(label);
  }
  std::string text;
  for (const std::string& line : lines) text += std::string(indent, ' ') + line + "\n";
  return text;
}

std::string chart_text(const MachinePoints& points, const Series& series, const std::vector<ChangePoint>& changes,
                       const TerminalStyle& style) {
  ChartShape shape;
  shape.columns = std::max(style.width - kAxisColumns, 16);
  shape.lines = kChartLines;
  shape.unicode = style.unicode;
  const LineChart chart = draw_line_chart(points.values, shape);
  std::vector<std::string> labels;
  std::size_t label_columns = 0;
  for (const double level : chart.axis) {
    const LevelPair pair = level_pair(level, chart.axis.front(), series.unit);
    labels.push_back(pair.unit.empty() ? pair.baseline : pair.baseline + " " + pair.unit);
    label_columns = std::max(label_columns, columns_of(labels.back()));
  }
  std::string text;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const bool is_labelled = i % 2 == 0 || i + 1 == chart.lines.size();
    const std::string label = padded(is_labelled ? labels[i] : "", label_columns, Align::right);
    const std::string tick = style.unicode ? (is_labelled ? " \u2524" : " \u2502") : (is_labelled ? " +" : " |");
    text += "  " + paint(label + tick, Tone::dim, style.color) + chart.lines[i] + "\n";
  }
  return text + marks(changes, points, chart, label_columns + 4, style);
}

}  // namespace

std::string terminal_series(const Series& series, const std::vector<ChangePoint>& changes, const TerminalStyle& style) {
  std::string title =
      paint(printable(series.name.empty() ? "series" : series.name, style.unicode), Tone::strong, style.color);
  if (!series.metric.empty()) title += "  " + printable(series.metric, style.unicode);
  title += paint(", " + std::string(to_text(series.better)) + " is better", Tone::dim, style.color);
  const std::vector<MachinePoints> machines = by_machine(series);
  std::string text;
  for (const MachinePoints& points : machines) {
    text += title;
    if (!points.machine.empty()) text += paint("  machine " + points.machine.substr(0, 8), Tone::dim, style.color);
    text += "\n" + chart_text(points, series, changes, style);
  }
  return text.empty() ? title + "\n  no values\n" : text;
}

}  // namespace steelyard
