#include "ci/report/charts/svg_picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <utility>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

constexpr double kMinSpan = 0.02;  // of the level: noise must not look like a mountain range
constexpr double kRoom = 0.06;     // above and below, of the span
constexpr double kTicks = 5;

}  // namespace

double NiceAxis::share(double value) const {
  // Halved first: the span of the largest doubles is no double.
  const double span = high / 2 - low / 2;
  return span > 0 ? std::clamp((value / 2 - low / 2) / span, 0.0, 1.0) : 0.5;
}

NiceAxis nice_axis(const std::vector<double>& values) {
  NiceAxis axis;
  if (!values.empty()) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double middle = *least / 2 + *most / 2;
    const double half = std::max({(*most / 2 - *least / 2), std::abs(middle) * kMinSpan / 2, 1e-300});
    axis.low = middle - half * (1 + 2 * kRoom);
    axis.high = middle + half * (1 + 2 * kRoom);
    if (!std::isfinite(axis.low) || !std::isfinite(axis.high)) {
      axis.low = *least;
      axis.high = *most;
    }
    if (*least >= 0) axis.low = std::max(axis.low, 0.0);
  }
  const double rough = (axis.high / kTicks - axis.low / kTicks);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (rough <= step) break;
  }
  if (!(step > 0) || !std::isfinite(step)) return axis;
  const double first = std::ceil(axis.low / step);
  for (double i = 0; i < 12; ++i) {
    const double tick = (first + i) * step;
    if (tick > axis.high) break;
    axis.ticks.push_back(tick == 0 ? 0 : tick);  // no minus zero
  }
  return axis;
}

std::string axis_label(double tick, const NiceAxis& axis, const std::string& unit) {
  const double other = axis.ticks.size() > 1 ? axis.ticks[axis.ticks[0] == tick ? 1 : 0] : tick;
  const LevelPair pair = level_pair(tick, other, unit);
  return pair.unit.empty() ? pair.baseline : pair.baseline + " " + pair.unit;
}

double LogAxis::share(double value) const { return std::log(value / low) / std::log(high / low); }

double LogAxis::at(double share) const { return low * std::pow(high / low, share); }

std::vector<double> LogAxis::decades() const {
  std::vector<double> decades;
  for (int power = static_cast<int>(std::ceil(std::log10(low) - 1e-9)); std::pow(10.0, power) <= high * (1 + 1e-9);
       ++power) {
    decades.push_back(std::pow(10.0, power));
  }
  return decades;
}

std::string svg_text(std::string_view text) { return markup_text(printable(text, true)); }

SvgPicture::SvgPicture(const SvgHead& head) {
  const std::string kind = *head.kind == '\0' ? "" : fmt::format("class=\"{}\" ", head.kind);
  if (head.form == SvgForm::inlined) {
    const double height = head.height - head.top;
    text_ = fmt::format(
        "<svg {0}viewBox=\"0 {1:.0f} {2:.0f} {3:.0f}\" role=\"img\" aria-label=\"{4}\">\n"
        "<rect class=\"back\" y=\"{1:.0f}\" width=\"{2:.0f}\" height=\"{3:.0f}\"/>\n",
        kind, head.top, head.width, height,
        svg_text(head.description.empty() ? head.title : head.title + ": " + head.description));
    return;
  }
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" {2}viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" ",
      head.width, head.height, kind);
  if (head.description.empty()) {
    text_ += fmt::format("aria-label=\"{}\">\n", svg_text(head.title));
  } else {
    text_ +=
        fmt::format("aria-labelledby=\"title desc\">\n<title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n",
                    svg_text(head.title), svg_text(head.description));
  }
  text_ += fmt::format("<style>{2}</style>\n<rect class=\"back\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n", head.width,
                       head.height, head.style);
}

void SvgPicture::words(double x, double y, std::string_view style, std::string_view content, std::string_view more) {
  text_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", x, y, style, more, svg_text(content));
}

void SvgPicture::line(double x1, double y1, double x2, double y2, std::string_view style) {
  text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                       style);
}

void SvgPicture::frame(const PlotArea& area) {
  text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", area.left, area.top,
                       area.right - area.left, area.bottom - area.top);
}

void SvgPicture::value_axis(const NiceAxis& axis, const PlotArea& area, const std::string& unit) {
  for (const double tick : axis.ticks) {
    const double y = area.y(axis.share(tick));
    line(area.left, y, area.right, y, "grid");
    words(area.left - 8, y + 4, "dim", axis_label(tick, axis, unit), kRightAligned);
  }
  frame(area);
}

std::string SvgPicture::finish() && { return std::move(text_) + "</svg>\n"; }

}  // namespace steelyard::ci
