#include <algorithm>
#include <array>
#include <cmath>

#include "ci/app/terminal_text.hpp"
#include "ci/report/distribution_picture.hpp"
#include "ci/report/interval_bar.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/sample_summary.hpp"

namespace steelyard {
namespace {

constexpr std::array<std::string_view, 9> kBlocks{" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                                  "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr std::array<std::string_view, 5> kAscii{" ", ".", ":", "+", "#"};
constexpr std::size_t kLabelColumns = 11;

std::vector<double> all_of(const SideSamples& side) {
  std::vector<double> values;
  for (const auto& invocation : side.invocations) values.insert(values.end(), invocation.begin(), invocation.end());
  return values;
}

// Where nearly all samples lie: a few far ones would press the rest into one column. They are drawn at the ends.
struct Axis {
  double low = 0;
  double high = 1;
  std::size_t column(double value, std::size_t columns) const {
    const double share = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns - 1) + 0.5);
  }
};

Axis axis_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double p) {
    return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
  };
  constexpr double kOutside = 0.02;
  Axis axis{quantile(kOutside), quantile(1 - kOutside)};
  const double room = (axis.high / 2 - axis.low / 2) * 0.1;
  axis.low = std::max(axis.low - room, values.front());
  axis.high = std::min(axis.high + room, values.back());
  return axis;
}

std::string histogram(const std::vector<double>& values, const Axis& axis, std::size_t columns, bool unicode) {
  std::vector<int> counts(columns, 0);
  for (const double value : values) ++counts[axis.column(value, columns)];
  const int most = std::max(1, *std::max_element(counts.begin(), counts.end()));
  std::string line;
  for (const int count : counts) {
    const auto steps = static_cast<int>(unicode ? kBlocks.size() : kAscii.size()) - 1;
    const auto height = static_cast<std::size_t>((count * steps + most - 1) / most);
    line += unicode ? kBlocks.at(height) : kAscii.at(height);
  }
  return line;
}

std::string side_text(const char* name, const SideSamples& side, const Axis& axis, std::size_t columns,
                      const std::string& unit, const TerminalStyle& style) {
  const std::vector<double> values = all_of(side);
  std::vector<double> medians;
  for (const auto& invocation : side.invocations) medians.push_back(middle_of(invocation).value_or(0));
  const double level = middle_of(medians).value_or(0);
  std::string text = "  " + padded(name, kLabelColumns) + histogram(values, axis, columns, style.unicode) + "\n";
  std::string mark(axis.column(level, columns), ' ');
  mark += style.unicode ? "\u25b2 " : "^ ";
  mark += level_text(level, unit) + ", " + std::to_string(side.invocations.size()) +
          (side.invocations.size() == 1 ? " process" : " processes");
  if (columns_of(mark) > columns) {
    const std::string words = mark.substr(mark.find(style.unicode ? "\u25b2" : "^") + (style.unicode ? 4 : 2));
    const std::size_t at = axis.column(level, columns);
    mark = std::string(at > columns_of(words) + 1 ? at - columns_of(words) - 1 : 0, ' ') + words + " " +
           (style.unicode ? "\u25b2" : "^");
  }
  return text + "  " + std::string(kLabelColumns, ' ') + paint(mark, Tone::dim, style.color) + "\n";
}

}  // namespace

std::string terminal_distributions(const ComparisonRow& row, const RowSamples& samples, const TerminalStyle& style) {
  std::string text = paint(printable(row.benchmark, style.unicode), Tone::strong, style.color) + "  " +
                     printable(row.metric.name, style.unicode) + "  " + std::string(to_text(row.verdict)) + "\n";
  std::vector<double> values = all_of(samples.baseline);
  const std::vector<double> others = all_of(samples.candidate);
  values.insert(values.end(), others.begin(), others.end());
  if (values.empty()) return text + "  no samples\n";
  const Axis axis = axis_of(std::move(values));
  const auto columns = static_cast<std::size_t>(std::clamp(style.width - static_cast<int>(kLabelColumns) - 4, 20, 72));
  if (!samples.baseline.invocations.empty()) {
    text += side_text("baseline", samples.baseline, axis, columns, row.metric.unit, style);
  }
  if (!samples.candidate.invocations.empty()) {
    text += side_text("candidate", samples.candidate, axis, columns, row.metric.unit, style);
  }
  if (row.ratio && row.interval) {
    BarShape shape;
    shape.columns = static_cast<int>(columns) / 2 * 2 - 1;
    shape.unicode = style.unicode;
    const std::string indent = "  " + padded("ratio", kLabelColumns);
    text += indent + interval_bar(*row.interval, *row.ratio, row.minimum_effect, shape) + "\n";
    text += "  " + std::string(kLabelColumns, ' ') + paint(interval_bar_axis(shape), Tone::dim, style.color) + "\n";
    text += "  " + std::string(kLabelColumns, ' ') + per_cent_text(*row.ratio) + "  " + interval_text(*row.interval) +
            " %\n";
  }
  return text;
}

}  // namespace steelyard
