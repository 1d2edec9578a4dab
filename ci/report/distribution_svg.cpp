#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/harness/markup_text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/distribution_picture.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/sample_summary.hpp"
#include "ci/report/svg_axis.hpp"

namespace steelyard {
namespace {

constexpr double kWidth = 960, kHeight = 384;
constexpr double kLeft = 84, kMiddle = 640, kTop = 74, kBottom = 330;
constexpr double kRatioLeft = 734, kRatioRight = 936;
constexpr double kFarQuantile = 0.01;  // samples beyond it are drawn at the edge: a few must not hide the rest

// As series_svg.cpp: worse and better differ by colour, word and direction.
constexpr const char* kStyle = R"css(
 text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #222 }
 .back { fill: #fff } .title { font-size: 16px; font-weight: 600 } .dim { fill: #5f5f5f }
 .grid { stroke: #e6e6e6 } .frame { fill: none; stroke: #999 }
 .dot { opacity: .45 } .baseline { fill: #0072b2 } .candidate { fill: #b84a00 }
 .median { stroke: #fff; stroke-width: .8 } .level { stroke-width: 2; stroke: #222 }
 .margin { fill: #888; opacity: .12 } .minimum { fill: #888; opacity: .25 } .zero { stroke: #666 }
 .interval { stroke: #222; stroke-width: 2.4 } .estimate { fill: #222 } .strong { font-weight: 600 }
 @media (prefers-color-scheme: dark) {
  text { fill: #e8e8e8 } .back { fill: #16181b } .dim { fill: #a6a6a6 } .grid { stroke: #2b2f35 }
  .frame { stroke: #6b7077 } .baseline { fill: #6db4ee } .candidate { fill: #ff9a57 } .median { stroke: #16181b }
  .level { stroke: #f2f2f2 } .interval { stroke: #f2f2f2 } .estimate { fill: #f2f2f2 } .zero { stroke: #aaa }
 }
)css";

std::string escaped(std::string_view text) { return markup_text(printable(text, true)); }

std::vector<double> medians_of(const SideSamples& side) {
  std::vector<double> medians;
  for (const auto& invocation : side.invocations) medians.push_back(middle_of(invocation).value_or(0));
  return medians;
}

class Picture {
 public:
  Picture(const ComparisonRow& row, const RowSamples& samples) : row_(row), samples_(samples) {
    std::vector<double> values;
    for (const SideSamples* side : {&samples.baseline, &samples.candidate}) {
      for (const auto& invocation : side->invocations) {
        values.insert(values.end(), invocation.begin(), invocation.end());
      }
    }
    is_empty_ = values.empty();
    if (values.size() > 2) {
      std::sort(values.begin(), values.end());
      const auto cut = static_cast<std::ptrdiff_t>(kFarQuantile * static_cast<double>(values.size()));
      values = {values.begin() + cut, values.end() - cut};
    }
    axis_ = nice_axis(values);
  }

  std::string draw() {
    const std::string title = row_.benchmark + "  " + row_.metric.name;
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">{2}</title>\n"
        "<desc id=\"desc\">{3}</desc>\n<style>{4}</style>\n<rect class=\"back\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\"/>\n",
        kWidth, kHeight, escaped(title), escaped(summary() + ". " + row_.reason), kStyle);
    words(16, 28, "title", shortened(printable(title, true), 96, true));
    words(16, 48, "dim", summary());
    if (is_empty_) {
      words(kLeft, (kTop + kBottom) / 2, "dim", "no samples");
    } else {
      axis();
      const double half = (kMiddle - kLeft) / 2;
      side(samples_.baseline, "baseline", kLeft, kLeft + half);
      side(samples_.candidate, "candidate", kLeft + half, kMiddle);
    }
    ratio();
    return std::move(text_) + "</svg>\n";
  }

 private:
  double y_of(double value) const { return kBottom - (kBottom - kTop) * axis_.share(value); }
  void words(double x, double y, std::string_view style, std::string_view content, std::string_view more = "") {
    text_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", x, y, style, more, escaped(content));
  }
  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
                         y2, style);
  }

  std::string summary() const {
    std::string text(to_text(row_.verdict));
    if (row_.ratio) text += ", " + per_cent_text(*row_.ratio);
    if (row_.interval) text += " " + interval_text(*row_.interval) + " %";
    if (row_.metric.better != Better::undeclared)
      text += "; " + std::string(to_text(row_.metric.better)) + " is better";
    return text;
  }

  void axis() {
    for (const double tick : axis_.ticks) {
      line(kLeft, y_of(tick), kMiddle, y_of(tick), "grid");
      words(kLeft - 8, y_of(tick) + 4, "dim", axis_label(tick, axis_, row_.metric.unit), " text-anchor=\"end\"");
    }
    text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", kLeft, kTop,
                         kMiddle - kLeft, kBottom - kTop);
    line((kLeft + kMiddle) / 2, kTop, (kLeft + kMiddle) / 2, kBottom, "grid");
  }

  void side(const SideSamples& samples, const char* name, double left, double right) {
    const std::size_t count = samples.invocations.size();
    std::size_t total = 0;
    for (const auto& invocation : samples.invocations) total += invocation.size();
    const std::size_t step = std::max<std::size_t>(1, (total + kMostDots - 1) / kMostDots);
    std::size_t seen = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = left + (right - left) * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
      for (const double value : samples.invocations[i]) {
        if (seen++ % step != 0) continue;
        text_ +=
            fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"1.8\" class=\"dot {}\"/>\n", x, y_of(value), name);
      }
      const double median = middle_of(samples.invocations[i]).value_or(0);
      text_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"median {}\"><title>process {}: {}</title></circle>\n", x,
          y_of(median), name, i + 1, escaped(level_text(median, row_.metric.unit)));
    }
    const std::optional<double> level = middle_of(medians_of(samples));
    if (level) line(left + 6, y_of(*level), right - 6, y_of(*level), "level");
    words((left + right) / 2, kBottom + 20, std::string(name) + " strong", name, " text-anchor=\"middle\"");
    const std::string how_many = count == 0 ? "not measured"
                                            : std::to_string(count) + (count == 1 ? " process, " : " processes, ") +
                                                  level_text(level.value_or(0), row_.metric.unit);
    words((left + right) / 2, kBottom + 37, "dim", how_many, " text-anchor=\"middle\"");
  }

  // Logarithmic, symmetric around no change, wide enough for the interval and the margin.
  void ratio() {
    if (!row_.ratio || !(*row_.ratio > 0)) return;
    double most = std::max(std::log1p(row_.margin), std::abs(std::log(*row_.ratio)));
    if (row_.interval && row_.interval->low > 0) {
      most = std::max({most, std::abs(std::log(row_.interval->low)), std::abs(std::log(row_.interval->high))});
    }
    most *= 1.2;
    const double zero = (kTop + kBottom) / 2;
    const auto y = [&](double value) { return zero - (kBottom - kTop) / 2 * std::log(value) / most; };
    const auto band = [&](double part, const char* style) {
      text_ += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" class=\"{}\"/>\n", kRatioLeft,
                           y(1 + part), kRatioRight - kRatioLeft, y(1 / (1 + part)) - y(1 + part), style);
    };
    band(row_.margin, "margin");
    if (row_.minimum_effect > 0) band(std::min(row_.minimum_effect, row_.margin), "minimum");
    text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", kRatioLeft, kTop,
                         kRatioRight - kRatioLeft, kBottom - kTop);
    line(kRatioLeft, zero, kRatioRight, zero, "zero");
    words(kRatioLeft - 8, zero + 4, "dim", "0 %", " text-anchor=\"end\"");
    const double end = std::exp(most / 1.2);
    for (const double tick : {end, 1 / end}) {
      line(kRatioLeft, y(tick), kRatioRight, y(tick), "grid");
      words(kRatioLeft - 8, y(tick) + 4, "dim", per_cent_text(tick), " text-anchor=\"end\"");
    }
    const double x = (kRatioLeft + kRatioRight) / 2;
    if (row_.interval && row_.interval->low > 0) {
      line(x, y(row_.interval->low), x, y(row_.interval->high), "interval");
      for (const double limit : {row_.interval->low, row_.interval->high}) {
        line(x - 7, y(limit), x + 7, y(limit), "interval");
      }
    }
    text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"estimate\"/>\n", x, y(*row_.ratio));
    words(x + 14, y(*row_.ratio) + 4, "strong", per_cent_text(*row_.ratio));
    words(x, kBottom + 20, "strong", "candidate over baseline", " text-anchor=\"middle\"");
    words(x, kBottom + 37, "dim", "bands: minimum effect, margin", " text-anchor=\"middle\"");
  }

  const ComparisonRow& row_;
  const RowSamples& samples_;
  NiceAxis axis_;
  bool is_empty_ = true;
  std::string text_;
};

}  // namespace

std::string svg_distributions(const ComparisonRow& row, const RowSamples& samples) {
  return Picture(row, samples).draw();
}

}  // namespace steelyard
