// The roofline as a picture that needs nothing beside itself. Roofs are named where they are, points bear the number of
// their line in the list, so that no two names can cover each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "bench/harness/markup_text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/roofline.hpp"
#include "regress/targets/target_wording.hpp"

namespace steelyard {
namespace {

// The plot's area in the picture, and what stands around it, in pixels.
constexpr double kWidth = 960;
constexpr double kLeft = 84, kRight = 748, kTop = 74, kBottom = 470;
constexpr double kListTop = 540, kListStep = 18;
constexpr double kNameGap = 15;  // between names of tops
constexpr std::size_t kLongestName = 36;

constexpr const char* kStyle = R"css(
 text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #222 }
 .back { fill: #fff } .title { font-size: 16px; font-weight: 600 } .dim { fill: #666 }
 .grid { stroke: #e3e3e3; stroke-width: 1 } .frame { fill: none; stroke: #999 }
 .top { stroke: #a8480f; stroke-width: 1.6; fill: none } .name-top { fill: #a8480f }
 .slope { stroke: #17629f; stroke-width: 1.6; fill: none } .name-slope { fill: #17629f }
 .more { stroke-dasharray: 6 3 } .lead { stroke: #999; stroke-width: .8 }
 .point { fill: #222; stroke: #fff; stroke-width: 1 } .bar { stroke: #222; stroke-width: 1.2 }
 .number { font-weight: 600 }
 @media (prefers-color-scheme: dark) {
  text { fill: #e6e6e6 } .back { fill: #16181b } .dim { fill: #a0a0a0 } .grid { stroke: #2c3036 }
  .frame { stroke: #6b7077 } .top { stroke: #f0975a } .name-top { fill: #f0975a } .slope { stroke: #6db4ee }
  .name-slope { fill: #6db4ee } .point { fill: #f2f2f2; stroke: #16181b } .bar { stroke: #f2f2f2 }
 }
)css";

std::string escaped(std::string_view text) { return markup_text(printable(text, true)); }

struct Box {
  double left, top, right, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

class Drawing {
 public:
  explicit Drawing(const Roofline& roofline) : roofline_(roofline), frame_(frame_of(roofline)) {}

  std::string draw() {
    const double height =
        kListTop + kListStep * static_cast<double>(roofline_.points.size() + (roofline_.left_out.empty() ? 0 : 1)) + 8;
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n<style>{3}</style>\n"
        "<rect class=\"back\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n",
        kWidth, height, escaped(roofline_.title), kStyle);
    words(16, 28, "title", shortened(roofline_.title, 100, true));
    words(16, 48, "dim", shortened(roofline_.subtitle, 140, true));
    axes();
    for (const Ceiling& ceiling : roofline_.bandwidth) slope(ceiling);
    for (const Ceiling& ceiling : roofline_.arithmetic) top(ceiling);
    name_slopes();
    name_tops();
    points();
    list();
    return std::move(text_) + "</svg>\n";
  }

 private:
  double x_of(double intensity) const {
    return kLeft + (kRight - kLeft) * std::log(intensity / frame_.least_intensity) /
                       std::log(frame_.most_intensity / frame_.least_intensity);
  }
  double y_of(double rate) const {
    return kBottom -
           (kBottom - kTop) * std::log(rate / frame_.least_rate) / std::log(frame_.most_rate / frame_.least_rate);
  }

  void words(double x, double y, const char* style, std::string_view content, const char* more = "") {
    text_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", x, y, style, more, escaped(content));
  }
  void line(double x1, double y1, double x2, double y2, const std::string& style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
                         y2, style);
  }

  void axes() {
    for (const double decade : decades_between(frame_.least_intensity, frame_.most_intensity)) {
      line(x_of(decade), kTop, x_of(decade), kBottom, "grid");
      words(x_of(decade), kBottom + 18, "dim",
            decimal_text(decade, std::max(0, static_cast<int>(std::lround(-std::log10(decade))))),
            " text-anchor=\"middle\"");
    }
    for (const double decade : decades_between(frame_.least_rate, frame_.most_rate)) {
      line(kLeft, y_of(decade), kRight, y_of(decade), "grid");
      words(kLeft - 8, y_of(decade) + 4, "dim", tick_text(decade), " text-anchor=\"end\"");
    }
    text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", kLeft, kTop,
                         kRight - kLeft, kBottom - kTop);
    words((kLeft + kRight) / 2, kBottom + 40, "", "arithmetic intensity, flop per byte", " text-anchor=\"middle\"");
    words(16, (kTop + kBottom) / 2, "", "rate, flop/s",
          fmt::format(" text-anchor=\"middle\" transform=\"rotate(-90 16 {})\"", (kTop + kBottom) / 2).c_str());
  }

  static std::string tick_text(double rate) {
    std::string text = rate_text(rate, "flops");
    // A power of ten: "100 Gflop/s" is all that "100. Gflop/s" says.
    const std::size_t point = text.find('.');
    if (point != std::string::npos) text.erase(point, text.find(' ') - point);
    return text.substr(0, text.find("flop"));
  }

  // Ceilings of other threads than the first are dashed.
  std::string style_of(const Ceiling& ceiling) const {
    const std::string style = ceiling.kind == CeilingKind::arithmetic ? "top" : "slope";
    const int first = !roofline_.bandwidth.empty()    ? roofline_.bandwidth.front().threads
                      : !roofline_.arithmetic.empty() ? roofline_.arithmetic.front().threads
                                                      : 1;
    return ceiling.threads == first ? style : style + " more";
  }

  double highest_of(int threads) const {
    double highest = 0;
    for (const Ceiling& one : roofline_.arithmetic) {
      if (one.threads == threads) highest = std::max(highest, one.value);
    }
    return highest > 0 ? highest : frame_.most_rate;
  }
  double fastest_of(int threads) const {
    double fastest = 0;
    for (const Ceiling& one : roofline_.bandwidth) {
      if (one.threads == threads) fastest = std::max(fastest, one.value);
    }
    return fastest;
  }

  void roof(double x1, double y1, double x2, double y2, const Ceiling& ceiling) {
    text_ += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" class=\"{}\"><title>{}</title></path>\n", x1, y1, x2,
                         y2, style_of(ceiling), escaped(roof_label(ceiling)));
  }
  void slope(const Ceiling& ceiling) {
    const double highest = highest_of(ceiling.threads);
    const double end = std::min(highest / ceiling.value, frame_.most_intensity);
    roof(kLeft, y_of(ceiling.value * frame_.least_intensity), x_of(end), y_of(ceiling.value * end), ceiling);
  }
  void top(const Ceiling& ceiling) {
    const double fastest = fastest_of(ceiling.threads);
    const double begin =
        fastest > 0 ? std::max(ceiling.value / fastest, frame_.least_intensity) : frame_.least_intensity;
    roof(x_of(begin), y_of(ceiling.value), kRight, y_of(ceiling.value), ceiling);
  }

  // Above their slope, turned with it. One that would come too near the last is moved along.
  void name_slopes() {
    std::vector<const Ceiling*> slopes;
    for (const Ceiling& ceiling : roofline_.bandwidth) slopes.push_back(&ceiling);
    std::stable_sort(slopes.begin(), slopes.end(), [](auto* a, auto* b) { return a->value < b->value; });
    const double rise = (y_of(1) - y_of(10)) / (x_of(10) - x_of(1));
    const double angle = std::atan(rise) * 180 / std::numbers::pi;
    double last = HUGE_VAL;
    double along = 0;
    constexpr double kNameLength = 180;
    for (const Ceiling* ceiling : slopes) {
      const double y_left = y_of(ceiling->value * frame_.least_intensity);
      along = last - y_left < kNameGap * std::hypot(1, rise) ? along + kNameLength / std::hypot(1, rise) : 0;
      last = y_left;
      const double x = kLeft + 10 + along;
      const double y = y_left - (x - kLeft) * rise - 5;
      words(x, y, "name-slope", roof_label(*ceiling),
            fmt::format(" transform=\"rotate({:.1f} {:.1f} {:.1f})\"", -angle, x, y).c_str());
    }
  }

  // To the right of the frame, pushed apart downwards, with a line to their top.
  void name_tops() {
    std::vector<const Ceiling*> tops;
    for (const Ceiling& ceiling : roofline_.arithmetic) tops.push_back(&ceiling);
    std::stable_sort(tops.begin(), tops.end(), [](auto* a, auto* b) { return a->value > b->value; });
    double last = -HUGE_VAL;
    for (const Ceiling* ceiling : tops) {
      const double y = y_of(ceiling->value);
      const double name_y = std::max(y, last + kNameGap);
      last = name_y;
      line(kRight, y, kRight + 10, name_y, "lead");
      words(kRight + 13, name_y + 4, "name-top", roof_label(*ceiling));
    }
  }

  void points() {
    std::vector<Box> taken;
    for (const RooflinePoint& point : roofline_.points) {
      const double x = x_of(point.intensity);
      const double y = y_of(point.rate);
      taken.push_back({x - 5, y - 5, x + 5, y + 5});
    }
    for (std::size_t i = 0; i < roofline_.points.size(); ++i) {
      const RooflinePoint& point = roofline_.points[i];
      const double x = x_of(point.intensity);
      const double y = y_of(point.rate);
      text_ += "<g>\n<title>" + escaped(tooltip_of(point)) + "</title>\n";
      error_bar(point, x);
      number(std::to_string(i + 1), x, y, taken);
      text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" class=\"point\"/>\n</g>\n", x, y);
    }
  }

  void error_bar(const RooflinePoint& point, double x) {
    if (!point.interval || !(point.interval->low > 0)) return;
    const double low = std::min(y_of(point.interval->low), kBottom);
    const double high = std::max(y_of(point.interval->high), kTop);
    line(x, low, x, high, "bar");
    line(x - 4, low, x + 4, low, "bar");
    line(x - 4, high, x + 4, high, "bar");
  }

  // Beside its point where there is room, else further out with a line to it.
  void number(const std::string& digits, double x, double y, std::vector<Box>& taken) {
    const double half = 4.2 * static_cast<double>(digits.size());
    for (const double distance : {14.0, 24.0, 36.0, 50.0, 66.0}) {
      for (const double turn : {-0.125, 0.125, -0.375, 0.375, 0.0, 0.5, -0.25, 0.25}) {
        const double cx = x + distance * std::cos(turn * 2 * std::numbers::pi);
        const double cy = y + distance * std::sin(turn * 2 * std::numbers::pi);
        const Box box{cx - half, cy - 7, cx + half, cy + 7};
        const bool inside = box.left > kLeft && box.right < kRight && box.top > kTop && box.bottom < kBottom;
        const bool is_free =
            std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return box.meets(other); });
        if (!inside || !is_free) continue;
        taken.push_back(box);
        if (distance > 14) line(x, y, cx - (cx - x) * 6 / distance, cy - (cy - y) * 6 / distance, "lead");
        words(cx, cy + 4, "number", digits, " text-anchor=\"middle\"");
        return;
      }
    }
    words(x + 7, y - 7, "number", digits);
  }

  // "2.01 Gflop/s (1.87 to 2.09)".
  static std::string rate_of(const RooflinePoint& point) {
    const std::string rate = rate_text(point.rate, "flops");
    if (!point.interval) return rate;
    // In the unit of the rate, as rate_text chooses it.
    double unit = 1;
    while (point.rate / unit >= 999.5 && unit < 1e15) unit *= 1000;
    return rate + fmt::format(" ({:.3g} to {:.3g})", point.interval->low / unit, point.interval->high / unit);
  }
  static std::string intensity_of(const RooflinePoint& point) {
    return point.intensity >= 999.5 ? fmt::format("{:.0f} flop/byte", point.intensity)
                                    : fmt::format("{:.3g} flop/byte", point.intensity);
  }

  static std::string tooltip_of(const RooflinePoint& point) {
    return point.label + ": " + rate_of(point) + ", " + intensity_of(point) +
           (point.note.empty() ? "" : ", " + point.note);
  }

  void list() {
    double y = kListTop;
    for (std::size_t i = 0; i < roofline_.points.size(); ++i, y += kListStep) {
      const RooflinePoint& point = roofline_.points[i];
      words(40, y, "number", std::to_string(i + 1), " text-anchor=\"end\"");
      words(50, y, "", shortened(printable(point.label, true), kLongestName, true));
      words(330, y, "", rate_of(point));
      words(530, y, "", intensity_of(point));
      words(645, y, "", shortened(point.note, 50, true));
    }
    if (roofline_.left_out.empty()) return;
    std::string names;
    for (const std::string& name : roofline_.left_out) names += (names.empty() ? "" : ", ") + printable(name, true);
    words(50, y, "dim", shortened("not drawn, flops and bandwidth are not both reported: " + names, 130, true));
  }

  const Roofline& roofline_;
  RooflineFrame frame_;
  std::string text_;
};

}  // namespace

std::string svg_roofline(const Roofline& roofline) { return Drawing(roofline).draw(); }

}  // namespace steelyard
