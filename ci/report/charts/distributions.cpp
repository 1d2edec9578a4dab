#include "ci/report/charts/distributions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "ci/report/charts/svg_picture.hpp"
#include "ci/report/charts/text_charts.hpp"
#include "ci/report/reason_text.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::ci {
namespace {

SideSamples samples_in(const std::vector<const Measurement*>& measurements) {
  SideSamples side;
  for (const Measurement* measurement : measurements) {
    for (const InvocationSamples& samples : measurement->invocations) {
      std::vector<double> finite;
      for (const double value : samples.values) {
        if (std::isfinite(value)) finite.push_back(value);
      }
      if (!finite.empty()) side.invocations.push_back(std::move(finite));
    }
  }
  return side;
}

constexpr std::array<std::string_view, 9> kBlocks{" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                                  "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr std::array<std::string_view, 5> kAsciiBlocks{" ", ".", ":", "+", "#"};
constexpr std::size_t kLabelColumns = 11;

std::vector<double> all_of(const SideSamples& side) {
  std::vector<double> values;
  for (const auto& invocation : side.invocations) values.insert(values.end(), invocation.begin(), invocation.end());
  return values;
}

// Where nearly all samples lie: a few far ones would press the rest into one column. They are drawn at the ends.
struct HistogramAxis {
  double low = 0;
  double high = 1;
  std::size_t column(double value, std::size_t columns) const {
    const double share = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns - 1) + 0.5);
  }
};

HistogramAxis axis_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double p) {
    return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
  };
  constexpr double kOutside = 0.02;
  HistogramAxis axis{quantile(kOutside), quantile(1 - kOutside)};
  const double room = (axis.high / 2 - axis.low / 2) * 0.1;
  axis.low = std::max(axis.low - room, values.front());
  axis.high = std::min(axis.high + room, values.back());
  return axis;
}

std::string histogram(const std::vector<double>& values, const HistogramAxis& axis, std::size_t columns, bool unicode) {
  std::vector<int> counts(columns, 0);
  for (const double value : values) ++counts[axis.column(value, columns)];
  const int most = std::max(1, *std::max_element(counts.begin(), counts.end()));
  std::string line;
  for (const int count : counts) {
    const auto steps = static_cast<int>(unicode ? kBlocks.size() : kAsciiBlocks.size()) - 1;
    const auto height = static_cast<std::size_t>((count * steps + most - 1) / most);
    line += unicode ? kBlocks.at(height) : kAsciiBlocks.at(height);
  }
  return line;
}

// A process's part in the level of its side: its median, of what is noisy on logarithms, as regress/ab/rounds.cpp has
// it.
double level_of_process(std::vector<double> samples, MetricKind kind) {
  const bool has_logarithms = std::all_of(samples.begin(), samples.end(), [](double value) { return value > 0; });
  if (kind == MetricKind::counted || !has_logarithms) return median_of(std::move(samples)).value_or(0);
  for (double& value : samples) value = regress::steady_log(value);
  return regress::steady_exp(median_of(std::move(samples)).value_or(0));
}

// "2.40 us", "2.49 us": as the row has them, so that the eye finds the same figures there.
LevelPair pictured_levels(const ComparisonRow& row) {
  LevelPair levels = level_pair(row.baseline, row.candidate, row.metric.unit);
  for (std::string* side : {&levels.baseline, &levels.candidate}) {
    if (!side->empty() && !levels.unit.empty()) *side += " " + levels.unit;
  }
  return levels;
}

std::string processes_text(std::size_t count) { return plural_text(count, "process", "processes"); }

// A side of a row: its level is the one that the row says, and absent where it says none.
struct PicturedSide {
  const char* name;
  const SideSamples& samples;
  std::optional<double> level;
  std::string level_words;  // "2.40 us"
};

std::string side_text(const PicturedSide& side, const HistogramAxis& axis, std::size_t columns,
                      const TerminalStyle& style) {
  const auto& [name, samples, level, level_words] = side;
  std::string text =
      "  " + padded(name, kLabelColumns) + histogram(all_of(samples), axis, columns, style.unicode) + "\n";
  const std::string words =
      level_words + (level_words.empty() ? "" : ", ") + processes_text(samples.invocations.size());
  std::string mark = words;
  if (level) {
    const std::string arrow = style.unicode ? "\u25b2" : "^";
    const std::size_t at = axis.column(*level, columns);
    mark = std::string(at, ' ') + arrow + " " + words;
    if (columns_of(mark) > columns) {
      mark = std::string(at > columns_of(words) + 1 ? at - columns_of(words) - 1 : 0, ' ') + words + " " + arrow;
    }
  }
  return text + "  " + std::string(kLabelColumns, ' ') + paint(mark, Tone::dim, style.color) + "\n";
}

constexpr double kDistributionWidth = 960, kDistributionHeight = 384;
constexpr PlotArea kDistributionArea{84, 74, 640, 330};
constexpr PlotArea kRatioArea{734, 74, 936, 330};

// Samples so far from the middle half are drawn at the edge, and counted there: a few disturbed ones must not press the
// others into a line. Tukey's fences (Exploratory Data Analysis, 1977) at twice his distance for what is "far out".
constexpr double kFarOut = 6;
std::vector<double> without_far_ones(std::vector<double> values) {
  if (values.size() < 4) return values;
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 4];
  const double high = values[values.size() * 3 / 4];
  const double most = (high / 2 - low / 2) * 2 * kFarOut;
  const auto is_far = [&](double value) { return most > 0 && (value < low - most || value > high + most); };
  values.erase(std::remove_if(values.begin(), values.end(), is_far), values.end());
  return values;
}

// As in series_chart.cpp worse and better differ by colour, word and direction.
constexpr const char* kDistributionStyle = R"css(
 .distributions { --text: #222; --back: #fff; --dim: #5f5f5f; --grid: #e6e6e6; --edge: #999; --zero: #666;
  --baseline: #0072b2; --candidate: #b84a00 }
 @media screen and (prefers-color-scheme: dark) {
  .distributions { --text: #f2f2f2; --back: #16181b; --dim: #a6a6a6; --grid: #2b2f35; --edge: #6b7077; --zero: #aaa;
   --baseline: #6db4ee; --candidate: #ff9a57 }
 }
 .distributions text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--text) }
 .distributions .back { fill: var(--back) }
 .distributions .title { font-size: 16px; font-weight: 600 }
 .distributions .strong { font-weight: 600 }
 .distributions .dim { fill: var(--dim) }
 .distributions .grid { stroke: var(--grid) }
 .distributions .frame { fill: none; stroke: var(--edge) }
 .distributions .baseline { fill: var(--baseline) }
 .distributions .candidate { fill: var(--candidate) }
 .distributions .dot { opacity: .45 }
 .distributions .median { stroke: var(--back); stroke-width: .8 }
 .distributions .dots { fill: none; stroke: var(--baseline); stroke-width: 3.6; stroke-linecap: round }
 .distributions .dots.median { stroke-width: 8 }
 .distributions .dots.candidate { stroke: var(--candidate) }
 .distributions .level { stroke: var(--text); stroke-width: 2 }
 .distributions .margin { fill: #888; opacity: .12 }
 .distributions .minimum { fill: #888; opacity: .25 }
 .distributions .zero { stroke: var(--zero) }
 .distributions .interval { stroke: var(--text); stroke-width: 2.4 }
 .distributions .estimate { fill: var(--text) }
)css";

class DistributionsPicture {
 public:
  DistributionsPicture(const ComparisonRow& row, const RowSamples& samples, SvgForm form)
      : row_(row), samples_(samples), form_(form) {
    std::vector<double> values = all_of(samples.baseline);
    const std::vector<double> candidate = all_of(samples.candidate);
    values.insert(values.end(), candidate.begin(), candidate.end());
    is_empty_ = values.empty();
    axis_ = nice_axis(without_far_ones(std::move(values)));
  }

  std::string draw() {
    const std::string title = name_as_given(row_.benchmark) + "  " + row_.metric.name;
    if (form_ == SvgForm::document) {
      svg_ = SvgPicture({kDistributionWidth, kDistributionHeight, title, summary() + ". " + shown_reason(row_),
                         kDistributionStyle, "distributions"});
      svg_.words(16, 28, "title", shortened(printable(title, true), 96, true));
      svg_.words(16, 48, "dim", summary());
    } else {
      // Which row it is, and why its verdict, stands beside the picture.
      svg_ = SvgPicture({kDistributionWidth, kDistributionHeight, title, summary(), "", "distributions", form_,
                         kDistributionArea.top - 12});
    }
    if (is_empty_) {
      svg_.words(kDistributionArea.left, kDistributionArea.y(0.5), "dim", "no samples");
    } else {
      axis();
      const double half = (kDistributionArea.right - kDistributionArea.left) / 2;
      const LevelPair levels = pictured_levels(row_);
      side({"baseline", samples_.baseline, row_.baseline, levels.baseline}, kDistributionArea.left);
      side({"candidate", samples_.candidate, row_.candidate, levels.candidate}, kDistributionArea.left + half);
    }
    ratio();
    return std::move(svg_).finish();
  }

 private:
  double y_of(double value) const { return kDistributionArea.y(axis_.share(value)); }

  std::string summary() const {
    std::string text(to_text(row_.verdict));
    if (row_.ratio) text += ", " + change_text(*row_.ratio);
    if (row_.ratio && row_.interval) text += " " + range_cell(*row_.interval, *row_.ratio);
    if (row_.metric.better != Better::undeclared)
      text += "; " + std::string(to_text(row_.metric.better)) + " is better";
    return text;
  }

  void axis() {
    svg_.value_axis(axis_, kDistributionArea, row_.metric.unit);
    const double middle = kDistributionArea.x(0.5);
    svg_.line(middle, kDistributionArea.top, middle, kDistributionArea.bottom, "grid");
  }

  void side(const PicturedSide& pictured, double left) {
    const auto& [name, samples, level, level_words] = pictured;
    const double right = left + (kDistributionArea.right - kDistributionArea.left) / 2;
    const std::size_t count = samples.invocations.size();
    const std::vector<double> all = all_of(samples);
    const std::size_t most = form_ == SvgForm::document ? kMaxDots : kMaxInlinedDots;
    const std::size_t step = std::max<std::size_t>(1, (all.size() + most - 1) / most);
    std::size_t seen = 0;
    Dots dots{"dot", name, 1.8, {}};
    Dots medians{"median", name, 4, {}};
    for (std::size_t i = 0; i < count; ++i) {
      const double x = left + (right - left) * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
      for (const double value : samples.invocations[i]) {
        if (seen++ % step == 0) dots.places.push_back({x, y_of(value), ""});
      }
      const double median = level_of_process(samples.invocations[i], row_.metric.kind);
      medians.places.push_back({x, y_of(median), fmt::format("process {}: {}", i + 1, unit_text(median))});
    }
    add(dots);
    add(medians);
    if (level && count > 0) svg_.line(left + 6, y_of(*level), right - 6, y_of(*level), "level");
    svg_.words((left + right) / 2, kDistributionArea.bottom + 20, std::string(name) + " strong", name, kCentred);
    const auto beyond =
        std::count_if(all.begin(), all.end(), [&](double value) { return value < axis_.low || value > axis_.high; });
    const std::string how_many =
        count == 0 ? "not measured" : processes_text(count) + (level_words.empty() ? "" : ", " + level_words);
    svg_.words((left + right) / 2, kDistributionArea.bottom + 37, "dim", how_many, kCentred);
    if (beyond > 0) {
      const std::string text = plural_text(beyond, "sample") + " beyond the axis";
      svg_.words((left + right) / 2, kDistributionArea.top + 18, "dim", text, kCentred);
    }
  }

  struct Dots {
    const char* kind;
    const char* side;
    double radius;
    struct Place {
      double x, y;
      std::string title;
    };
    std::vector<Place> places;
  };

  // In a page there may be thousands of pictures: its dots are the round ends of lines without length, one element for
  // all, and have no titles.
  void add(const Dots& dots) {
    std::string path;
    for (const auto& [x, y, title] : dots.places) {
      if (form_ == SvgForm::inlined) {
        path += fmt::format("M{:.0f} {:.0f}h0", x, y);
        continue;
      }
      svg_.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"{} {}\"", x, y, dots.radius, dots.kind,
                           dots.side));
      svg_.add(title.empty() ? "/>\n" : "><title>" + svg_text(title) + "</title></circle>\n");
    }
    if (!path.empty()) svg_.add(fmt::format("<path class=\"{} {} dots\" d=\"{}\"/>\n", dots.kind, dots.side, path));
  }

  std::string unit_text(double value) const { return level_text(value, row_.metric.unit); }

  // Logarithmic, symmetric around no change, wide enough for the interval, the margin and the minimum effect; what of
  // their bands lies beyond is cut off at the frame.
  void ratio() {
    if (!row_.ratio || !(*row_.ratio > 0)) return;
    const Interval minimum = regress::minimum_effect_band(row_.minimum_effect);
    double most = std::max({std::log1p(row_.margin), std::log(minimum.high), std::abs(std::log(*row_.ratio))});
    if (row_.interval && row_.interval->low > 0) {
      most = std::max({most, std::abs(std::log(row_.interval->low)), std::abs(std::log(row_.interval->high))});
    }
    most *= 1.2;
    const double zero = kDistributionArea.y(0.5);
    const auto y = [&](double value) {
      return zero - (kDistributionArea.bottom - kDistributionArea.top) / 2 * std::log(value) / most;
    };
    const auto band = [&](const Interval& ratios, const char* style) {
      const double top = y(ratios.high);
      const double bottom = ratios.low > 0 ? std::min(y(ratios.low), kRatioArea.bottom) : kRatioArea.bottom;
      svg_.add(fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" class=\"{}\"/>\n",
                           kRatioArea.left, top, kRatioArea.right - kRatioArea.left, bottom - top, style));
    };
    band({1 / (1 + row_.margin), 1 + row_.margin}, "margin");
    if (row_.minimum_effect > 0) band(minimum, "minimum");
    svg_.frame(kRatioArea);
    svg_.line(kRatioArea.left, zero, kRatioArea.right, zero, "zero");
    svg_.words(kRatioArea.left - 8, zero + 4, "dim", "0 %", kRightAligned);
    const double end = std::exp(most / 1.2);
    for (const double tick : {end, 1 / end}) {
      svg_.line(kRatioArea.left, y(tick), kRatioArea.right, y(tick), "grid");
      svg_.words(kRatioArea.left - 8, y(tick) + 4, "dim", change_text(tick), kRightAligned);
    }
    const double x = (kRatioArea.left + kRatioArea.right) / 2;
    if (row_.interval && row_.interval->low > 0) {
      svg_.line(x, y(row_.interval->low), x, y(row_.interval->high), "interval");
      for (const double limit : {row_.interval->low, row_.interval->high}) {
        svg_.line(x - 7, y(limit), x + 7, y(limit), "interval");
      }
    }
    svg_.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"estimate\"/>\n", x, y(*row_.ratio)));
    svg_.words(x + 14, y(*row_.ratio) + 4, "strong", change_text(*row_.ratio));
    svg_.words(x, kDistributionArea.bottom + 20, "strong", "candidate over baseline", kCentred);
    svg_.words(x, kDistributionArea.bottom + 37, "dim", "bands: minimum effect, margin", kCentred);
  }

  const ComparisonRow& row_;
  const RowSamples& samples_;
  SvgForm form_;
  NiceAxis axis_;
  bool is_empty_ = true;
  SvgPicture svg_;
};

}  // namespace

SampleIndex::SampleIndex(const Run& baseline, const Run& candidate) {
  for (const auto& [run, side] : {std::pair(&baseline, &baseline_), {&candidate, &candidate_}}) {
    for (const Measurement& measurement : run->measurements) {
      (*side)[{measurement.benchmark.canonical(), measurement.metric.name}].push_back(&measurement);
    }
  }
}

RowSamples SampleIndex::of(const ComparisonRow& row) const {
  const auto found = [&](const Side& side) {
    const auto at = side.find({row.benchmark, row.metric.name});
    return at == side.end() ? SideSamples{} : samples_in(at->second);
  };
  return {found(baseline_), found(candidate_)};
}

std::string terminal_distributions(const ComparisonRow& row, const RowSamples& samples, const TerminalStyle& style) {
  std::string text = paint(printable(name_as_given(row.benchmark), style.unicode), Tone::strong, style.color) + "  " +
                     printable(row.metric.name, style.unicode) + "  " + std::string(to_text(row.verdict)) + "\n";
  std::vector<double> values = all_of(samples.baseline);
  const std::vector<double> others = all_of(samples.candidate);
  values.insert(values.end(), others.begin(), others.end());
  if (values.empty()) return text + "  no samples\n";
  const HistogramAxis axis = axis_of(std::move(values));
  const auto columns = static_cast<std::size_t>(std::clamp(style.width - static_cast<int>(kLabelColumns) - 4, 20, 72));
  const LevelPair levels = pictured_levels(row);
  for (const PicturedSide& side : {PicturedSide{"baseline", samples.baseline, row.baseline, levels.baseline},
                                   {"candidate", samples.candidate, row.candidate, levels.candidate}}) {
    if (!side.samples.invocations.empty()) text += side_text(side, axis, columns, style);
  }
  if (row.ratio && row.interval) {
    BarShape shape;
    shape.columns = static_cast<int>(columns) / 2 * 2 - 1;
    shape.unicode = style.unicode;
    const std::string indent = "  " + padded("ratio", kLabelColumns);
    text += indent + interval_bar(*row.interval, *row.ratio, row.minimum_effect, shape) + "\n";
    text += "  " + std::string(kLabelColumns, ' ') + paint(interval_bar_axis(shape), Tone::dim, style.color) + "\n";
    text += "  " + std::string(kLabelColumns, ' ') + change_text(*row.ratio) + "  " +
            range_cell(*row.interval, *row.ratio) + "\n";
  }
  return text;
}

std::string svg_distributions(const ComparisonRow& row, const RowSamples& samples, SvgForm form) {
  return DistributionsPicture(row, samples, form).draw();
}

std::string_view distributions_style() { return kDistributionStyle; }

}  // namespace steelyard::ci
