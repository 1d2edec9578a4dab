#include "ci/report/charts/series_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/charts/svg_picture.hpp"
#include "ci/report/charts/text_charts.hpp"

namespace steelyard::ci {
namespace {

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
    found->values.push_back(median_of(finite).value_or(0));
    found->indices.push_back(i);
  }
  return all;
}

std::string label_of(const ChangePoint& change) {
  std::string text = change.ratio ? change_text(*change.ratio) : change.regression ? "worse" : "better";
  if (change.status == ChangeStatus::suspected) text += "?";
  return change.cause == ChangeCause::machine ? text + " machine" : text;
}

Tone mark_tone(const ChangePoint& change) {
  if (change.status == ChangeStatus::suspected || change.cause == ChangeCause::machine) return Tone::doubtful;
  if (change.taken_back_at) return Tone::plain;
  return change.regression ? Tone::bad : Tone::good;
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
    const std::string commit = change.commit.empty() ? "" : " " + shown_id(change.commit);
    const std::string label = label_of(change) + printable(commit, style.unicode);
    const Tone tone = mark_tone(change);
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
  const LabelledChart labelled = labelled_line_chart(points.values, series.unit, style);
  return labelled.text + marks(changes, points, labelled.chart, labelled.indent, style);
}

constexpr double kSeriesWidth = 960;
constexpr PlotArea kSeriesArea{84, 84, 936, 316};
constexpr double kSeriesHeight = 372;
constexpr std::size_t kMaxAxisColumns = 24;   // of what names a point or a machine at the frame
constexpr std::size_t kMaxSeriesDots = 1200;  // more are drawn as ranges of columns

// Colours of Okabe and Ito ("Color Universal Design", 2008), which the colour-blind can tell apart; worse and better
// differ by shape as well: triangles that point up and down.
constexpr const char* kSeriesStyle = R"css(
 text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #222 }
 .back { fill: #fff } .title { font-size: 16px; font-weight: 600 } .dim { fill: #5f5f5f }
 .grid { stroke: #e6e6e6 } .frame { fill: none; stroke: #999 }
 .dot { fill: #6b7686 } .range { stroke: #6b7686; stroke-width: 1.4 } .level { stroke: #222; stroke-width: 2 }
 .machine { stroke: #888; stroke-dasharray: 2 4 }
 .worse { fill: #b84a00 } .better { fill: #00694e } .doubt { fill: #555 }
 .cut { stroke-width: 1.4 } .cut.worse { stroke: #d55e00 } .cut.better { stroke: #009e73 } .cut.doubt { stroke: #888 }
 .suspected { stroke-dasharray: 5 3 }
 .band.worse { fill: #d55e00; opacity: .14 } .band.better { fill: #009e73; opacity: .14 }
 .band.doubt { fill: #888; opacity: .16 }
 @media (prefers-color-scheme: dark) {
  text { fill: #e8e8e8 } .back { fill: #16181b } .dim { fill: #a6a6a6 } .grid { stroke: #2b2f35 }
  .frame { stroke: #6b7077 } .dot { fill: #98a4b5 } .range { stroke: #98a4b5 } .level { stroke: #f2f2f2 }
  .worse { fill: #ff9a57 } .better { fill: #45d6a8 } .doubt { fill: #bbb }
 }
)css";

struct Dot {
  std::size_t index = 0;
  double value = 0;
};

class SeriesPicture {
 public:
  SeriesPicture(const Series& series, const std::vector<ChangePoint>& changes) : series_(series), changes_(changes) {
    std::vector<double> values;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      std::vector<double> finite;
      for (const double value : series.points[i].values) {
        if (std::isfinite(value)) finite.push_back(value);
      }
      if (finite.empty()) continue;
      dots_.push_back({i, median_of(finite).value_or(0)});
      values.push_back(dots_.back().value);
    }
    axis_ = nice_axis(values);
  }

  std::string draw() {
    const std::string title = (series_.name.empty() ? std::string("series") : name_as_given(series_.name)) +
                              (series_.metric.empty() ? "" : "  " + series_.metric);
    svg_ = SvgPicture({kSeriesWidth, kSeriesHeight, title, description(), kSeriesStyle});
    svg_.words(16, 28, "title", shortened(printable(title, true), 96, true));
    svg_.words(16, 48, "dim", summary());
    if (dots_.empty()) {
      svg_.words(kSeriesArea.left, kSeriesArea.y(0.5), "dim", "no values");
      return std::move(svg_).finish();
    }
    axes();
    bands();
    points();
    levels();
    cuts();
    return std::move(svg_).finish();
  }

 private:
  double x_of(double index) const {
    const double last = static_cast<double>(series_.points.size() - 1);
    return last > 0 ? kSeriesArea.left + 8 + (kSeriesArea.right - kSeriesArea.left - 16) * index / last
                    : (kSeriesArea.left + kSeriesArea.right) / 2;
  }
  double y_of(double value) const { return kSeriesArea.y(axis_.share(value)); }

  static std::string_view tone(const ChangePoint& change) {
    if (change.cause == ChangeCause::machine) return "doubt";
    return change.regression ? "worse" : "better";
  }

  std::string change_words(const ChangePoint& change) const {
    const LevelPair levels = level_pair(change.before, change.after, series_.unit);
    std::string text = (change.status == ChangeStatus::suspected ? "suspected " : "") +
                       std::string(change.regression ? "regression" : "improvement");
    if (!change.commit.empty()) text += " at " + shown_id(change.commit);
    text += ": " + levels.baseline + " to " + levels.candidate + (levels.unit.empty() ? "" : " " + levels.unit);
    if (change.ratio) text += " (" + change_text(*change.ratio) + ")";
    if (change.cause == ChangeCause::machine) text += ", the machine's";
    if (change.taken_back_at) text += ", taken back later";
    return text;
  }

  std::string summary() const {
    return std::string(to_text(series_.better)) + " is better; " + grouped_text(dots_.size()) +
           (dots_.size() == 1 ? " value, " : " values, ") + plural_text(changes_.size(), "change");
  }

  std::string description() const {
    std::string text = summary() + ".";
    for (const ChangePoint& change : changes_) text += " " + change_words(change) + ".";
    return text;
  }

  void axes() {
    svg_.value_axis(axis_, kSeriesArea, series_.unit);
    double last = -HUGE_VAL;
    const std::size_t size = series_.points.size();
    const std::size_t step = std::max<std::size_t>(1, size / 8);
    for (std::size_t i = 0; i < size; i += step) {
      const std::string& commit = series_.points[i].commit;
      const std::string label =
          shortened(commit.empty() ? std::to_string(i) : printable(shown_id(commit), true), kMaxAxisColumns, true);
      const double half = 3.6 * static_cast<double>(columns_of(label));
      const double middle = std::clamp(x_of(static_cast<double>(i)), kSeriesArea.left + half, kSeriesWidth - half);
      if (middle - half < last + 8) continue;
      last = middle + half;
      svg_.words(middle, kSeriesArea.bottom + 20, "dim", label, kCentred);
    }
    std::string machine = series_.points.front().machine;
    for (std::size_t i = 1; i < size; ++i) {
      if (series_.points[i].machine == machine || series_.points[i].values.empty()) continue;
      machine = series_.points[i].machine;
      ++machine_switches_;
      // Machines that take turns would draw a fence; the levels tell them apart.
      if (machine_switches_ > 6) return;
      const double x = (x_of(static_cast<double>(i)) + x_of(static_cast<double>(i) - 1)) / 2;
      svg_.line(x, kSeriesArea.top, x, kSeriesArea.bottom, "machine");
      svg_.words(x + 4, kSeriesArea.bottom - 6, "dim",
                 "machine " + shortened(printable(shown_id(machine), true), kMaxAxisColumns, true));
    }
  }

  void bands() {
    for (const ChangePoint& change : changes_) {
      if (change.last <= change.first || change.last >= series_.points.size()) continue;
      const double left = x_of(static_cast<double>(change.first)) - 3;
      svg_.add(fmt::format(
          "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"band {}\"><title>may have begun anywhere "
          "here</title></rect>\n",
          left, kSeriesArea.top, x_of(static_cast<double>(change.last)) + 3 - left,
          kSeriesArea.bottom - kSeriesArea.top, tone(change)));
    }
  }

  void points() {
    if (dots_.size() <= kMaxSeriesDots) {
      const double radius = dots_.size() > 300 ? 1.8 : 2.8;
      for (const Dot& dot : dots_) {
        const std::string& commit = series_.points[dot.index].commit;
        svg_.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"dot\"><title>{}</title></circle>\n",
                             x_of(static_cast<double>(dot.index)), y_of(dot.value), radius,
                             svg_text((commit.empty() ? "index " + std::to_string(dot.index) : shown_id(commit)) +
                                      ": " + level_text(dot.value, series_.unit))));
      }
      return;
    }
    std::map<int, std::pair<double, double>> ranges;  // by pixel column
    for (const Dot& dot : dots_) {
      const int column = static_cast<int>(x_of(static_cast<double>(dot.index)));
      const auto [at, is_new] = ranges.try_emplace(column, dot.value, dot.value);
      at->second.first = std::min(at->second.first, dot.value);
      at->second.second = std::max(at->second.second, dot.value);
    }
    for (const auto& [column, range] : ranges) {
      svg_.line(column, y_of(range.first) + .7, column, y_of(range.second) - .7, "range");
    }
  }

  // The median of each machine's stretch between its change points.
  void levels() {
    std::map<std::string, std::vector<Dot>> stretches;
    const auto finish = [&](std::vector<Dot>& dots) {
      if (dots.empty()) return;
      std::vector<double> values;
      for (const Dot& dot : dots) values.push_back(dot.value);
      const double y = y_of(median_of(std::move(values)).value_or(0));
      svg_.line(x_of(static_cast<double>(dots.front().index)) - 3, y, x_of(static_cast<double>(dots.back().index)) + 3,
                y, "level");
      dots.clear();
    };
    for (const Dot& dot : dots_) {
      std::vector<Dot>& stretch = stretches[series_.points[dot.index].machine];
      const bool begins = std::any_of(changes_.begin(), changes_.end(),
                                      [&](const ChangePoint& change) { return change.index == dot.index; });
      if (begins) finish(stretch);
      stretch.push_back(dot);
    }
    for (auto& [machine, stretch] : stretches) finish(stretch);
  }

  // The names of changes stand above the frame, on two lines by turns where they would touch.
  void cuts() {
    double used[2] = {-HUGE_VAL, -HUGE_VAL};
    for (const ChangePoint& change : changes_) {
      if (change.index >= series_.points.size()) continue;
      const double x = x_of(static_cast<double>(change.index)) - (series_.points.size() > 60 ? 1 : 5);
      const std::string suspected = change.status == ChangeStatus::suspected ? " suspected" : "";
      svg_.add(fmt::format("<g><title>{}</title>\n", svg_text(change_words(change))));
      svg_.line(x, kSeriesArea.top, x, kSeriesArea.bottom, std::string("cut ") + std::string(tone(change)) + suspected);
      const double up = change.after > change.before ? -1 : 1;
      svg_.add(fmt::format("<path d=\"M{:.1f} {:.1f}l-5 0l5 {:.1f}l5 {:.1f}z\" class=\"{}\"/>\n", x,
                           kSeriesArea.top - 4 - (up > 0 ? 8 : 0), 8 * up, -8 * up, tone(change)));
      const std::string label = label_of(change);
      const double half = 3.6 * static_cast<double>(columns_of(label)) + 3;
      const double middle = std::clamp(x, half + 4, kSeriesWidth - half - 4);
      for (int row = 0; row < 2; ++row) {
        if (middle - half < used[row]) continue;
        svg_.words(middle, kSeriesArea.top - 16 - 13 * row, tone(change), label, kCentred);
        used[row] = middle + half;
        break;
      }
      svg_.add("</g>\n");
    }
  }

  const Series& series_;
  const std::vector<ChangePoint>& changes_;
  std::vector<Dot> dots_;
  NiceAxis axis_;
  int machine_switches_ = 0;
  SvgPicture svg_;
};

}  // namespace

std::string terminal_series(const Series& series, const std::vector<ChangePoint>& changes, const TerminalStyle& style) {
  std::string title = paint(printable(series.name.empty() ? "series" : name_as_given(series.name), style.unicode),
                            Tone::strong, style.color);
  if (!series.metric.empty()) title += "  " + printable(series.metric, style.unicode);
  title += paint(", " + std::string(to_text(series.better)) + " is better", Tone::dim, style.color);
  const std::vector<MachinePoints> machines = by_machine(series);
  std::string text;
  for (const MachinePoints& points : machines) {
    text += title;
    if (!points.machine.empty())
      text += paint("  machine " + printable(shown_id(points.machine), style.unicode), Tone::dim, style.color);
    text += "\n" + chart_text(points, series, changes, style);
  }
  return text.empty() ? title + "\n  no values\n" : text;
}

std::string svg_series(const Series& series, const std::vector<ChangePoint>& changes) {
  return SeriesPicture(series, changes).draw();
}

}  // namespace steelyard::ci
