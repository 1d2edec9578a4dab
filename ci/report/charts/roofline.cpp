// Roofs are named where they are; points bear the number or letter of their line in the list below, so that no two
// names can cover each other.
#include "ci/report/charts/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/charts/svg_picture.hpp"
#include "ci/report/target_text.hpp"
#include "regress/targets/find_ceiling.hpp"

namespace steelyard::ci {
namespace {

struct Range {
  double least = HUGE_VAL;
  double most = 0;
  void hold(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool is_empty() const { return most == 0; }
};

}  // namespace

RooflineFrame frame_of(const Roofline& roofline) {
  Range intensity;
  Range rate;
  for (const RooflinePoint& point : roofline.points) {
    intensity.hold(point.intensity);
    rate.hold(point.rate);
    // The bar of two wild processes may reach to nothing; it is cut at the frame.
    if (point.interval) rate.hold(std::max(point.interval->low, point.rate / 10));
  }
  for (const Ceiling& top : roofline.arithmetic) {
    rate.hold(top.value);
    for (const Ceiling& slope : roofline.bandwidth) intensity.hold(top.value / slope.value);
  }
  RooflineFrame frame;
  // Room on each side keeps marks off the frame and leaves a place for the names of the slopes, which all begin at the
  // left border.
  if (!intensity.is_empty()) {
    frame.intensity.low = intensity.least / 10;
    frame.intensity.high = intensity.most * 6;
  }
  for (const Ceiling& slope : roofline.bandwidth) rate.hold(slope.value * frame.intensity.low * 2);
  if (!rate.is_empty()) {
    frame.rate.low = rate.least / 3;
    frame.rate.high = rate.most * 3;
  }
  return frame;
}

namespace {

// "DRAM read 12.3 GB/s", "f32 120 Gflop/s, 2 threads".
std::string roof_label(const Ceiling& ceiling) {
  const bool is_arithmetic = ceiling.kind == CeilingKind::arithmetic;
  Ceiling alone = ceiling;
  alone.threads = 1;
  std::string rate = rate_text(ceiling.value, is_arithmetic ? "flops" : "bandwidth");
  // Integers are no floating-point operations.
  if (is_arithmetic && ceiling.dtype.starts_with('i')) rate.erase(rate.find("fl"), 2);
  return regress::name_of(alone) + ' ' + rate +
         (ceiling.threads > 1 ? ", " + std::to_string(ceiling.threads) + " threads" : "");
}

// In pixels.
constexpr double kRooflineWidth = 960;
constexpr PlotArea kRooflineArea{84, 74, 748, 470};
constexpr double kListTop = 540, kListStep = 18;
constexpr double kNameGap = 15;  // between names of tops
constexpr std::size_t kLongestRooflineName = 36;

constexpr const char* kRooflineStyle = R"css(
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

ShownNames names_of(const Roofline& roofline, const TerminalStyle& style, std::size_t columns) {
  std::vector<std::string> labels;
  for (const RooflinePoint& point : roofline.points) labels.push_back(point.label);
  return ShownNames(labels, style, columns);
}

struct Box {
  double left, top, right, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

class RooflinePicture {
 public:
  explicit RooflinePicture(const Roofline& roofline) : roofline_(roofline), frame_(frame_of(roofline)) {}

  std::string draw() {
    const double height =
        kListTop + kListStep * static_cast<double>(roofline_.points.size() + (roofline_.excluded.empty() ? 0 : 1)) + 8;
    svg_ = SvgPicture({kRooflineWidth, height, roofline_.title, "", kRooflineStyle});
    svg_.words(16, 28, "title", shortened(roofline_.title, 100, true));
    svg_.words(16, 48, "dim", shortened(roofline_.subtitle, 140, true));
    axes();
    for (const Ceiling& ceiling : roofline_.bandwidth) slope(ceiling);
    for (const Ceiling& ceiling : roofline_.arithmetic) top(ceiling);
    name_slopes();
    name_tops();
    points();
    list();
    return std::move(svg_).finish();
  }

 private:
  double x_of(double intensity) const { return kRooflineArea.x(frame_.intensity.share(intensity)); }
  double y_of(double rate) const { return kRooflineArea.y(frame_.rate.share(rate)); }

  void axes() {
    for (const double decade : frame_.intensity.decades()) {
      svg_.line(x_of(decade), kRooflineArea.top, x_of(decade), kRooflineArea.bottom, "grid");
      svg_.words(x_of(decade), kRooflineArea.bottom + 18, "dim",
                 decimal_text(decade, std::max(0, static_cast<int>(std::lround(-std::log10(decade))))), kCentred);
    }
    for (const double decade : frame_.rate.decades()) {
      svg_.line(kRooflineArea.left, y_of(decade), kRooflineArea.right, y_of(decade), "grid");
      svg_.words(kRooflineArea.left - 8, y_of(decade) + 4, "dim", tick_text(decade), kRightAligned);
    }
    svg_.frame(kRooflineArea);
    svg_.words((kRooflineArea.left + kRooflineArea.right) / 2, kRooflineArea.bottom + 40, "",
               "arithmetic intensity, flop per byte", kCentred);
    svg_.words(16, (kRooflineArea.top + kRooflineArea.bottom) / 2, "", "rate, flop/s",
               fmt::format(" text-anchor=\"middle\" transform=\"rotate(-90 16 {})\"",
                           (kRooflineArea.top + kRooflineArea.bottom) / 2)
                   .c_str());
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
    return highest > 0 ? highest : frame_.rate.high;
  }
  double fastest_of(int threads) const {
    double fastest = 0;
    for (const Ceiling& one : roofline_.bandwidth) {
      if (one.threads == threads) fastest = std::max(fastest, one.value);
    }
    return fastest;
  }

  void roof(double x1, double y1, double x2, double y2, const Ceiling& ceiling) {
    svg_.add(fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" class=\"{}\"><title>{}</title></path>\n", x1, y1, x2,
                         y2, style_of(ceiling), svg_text(roof_label(ceiling))));
  }
  void slope(const Ceiling& ceiling) {
    const double highest = highest_of(ceiling.threads);
    const double end = std::min(highest / ceiling.value, frame_.intensity.high);
    roof(kRooflineArea.left, y_of(ceiling.value * frame_.intensity.low), x_of(end), y_of(ceiling.value * end), ceiling);
  }
  void top(const Ceiling& ceiling) {
    const double fastest = fastest_of(ceiling.threads);
    const double begin = fastest > 0 ? std::max(ceiling.value / fastest, frame_.intensity.low) : frame_.intensity.low;
    roof(x_of(begin), y_of(ceiling.value), kRooflineArea.right, y_of(ceiling.value), ceiling);
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
      const double y_left = y_of(ceiling->value * frame_.intensity.low);
      along = last - y_left < kNameGap * std::hypot(1, rise) ? along + kNameLength / std::hypot(1, rise) : 0;
      last = y_left;
      const double x = kRooflineArea.left + 10 + along;
      const double y = y_left - (x - kRooflineArea.left) * rise - 5;
      svg_.words(x, y, "name-slope", roof_label(*ceiling),
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
      svg_.line(kRooflineArea.right, y, kRooflineArea.right + 10, name_y, "lead");
      svg_.words(kRooflineArea.right + 13, name_y + 4, "name-top", roof_label(*ceiling));
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
      svg_.add("<g>\n<title>" + svg_text(tooltip_of(point)) + "</title>\n");
      error_bar(point, x);
      number(std::to_string(i + 1), x, y, taken);
      svg_.add(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" class=\"point\"/>\n</g>\n", x, y));
    }
  }

  void error_bar(const RooflinePoint& point, double x) {
    if (!point.interval || !(point.interval->low > 0)) return;
    const double low = std::min(y_of(point.interval->low), kRooflineArea.bottom);
    const double high = std::max(y_of(point.interval->high), kRooflineArea.top);
    svg_.line(x, low, x, high, "bar");
    svg_.line(x - 4, low, x + 4, low, "bar");
    svg_.line(x - 4, high, x + 4, high, "bar");
  }

  // Beside its point where there is room, else further out with a line to it.
  void number(const std::string& digits, double x, double y, std::vector<Box>& taken) {
    const double half = 4.2 * static_cast<double>(digits.size());
    for (const double distance : {14.0, 24.0, 36.0, 50.0, 66.0}) {
      for (const double turn : {-0.125, 0.125, -0.375, 0.375, 0.0, 0.5, -0.25, 0.25}) {
        const double cx = x + distance * std::cos(turn * 2 * std::numbers::pi);
        const double cy = y + distance * std::sin(turn * 2 * std::numbers::pi);
        const Box box{cx - half, cy - 7, cx + half, cy + 7};
        const bool inside = box.left > kRooflineArea.left && box.right < kRooflineArea.right &&
                            box.top > kRooflineArea.top && box.bottom < kRooflineArea.bottom;
        const bool is_free =
            std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return box.meets(other); });
        if (!inside || !is_free) continue;
        taken.push_back(box);
        if (distance > 14) svg_.line(x, y, cx - (cx - x) * 6 / distance, cy - (cy - y) * 6 / distance, "lead");
        svg_.words(cx, cy + 4, "number", digits, kCentred);
        return;
      }
    }
    svg_.words(x + 7, y - 7, "number", digits);
  }

  // "2.01 Gflop/s (1.87 to 2.09)".
  static std::string rate_of(const RooflinePoint& point) {
    const std::string rate = rate_text(point.rate, "flops");
    if (!point.interval) return rate;
    // In the unit of the rate, as rate_text chooses it.
    double unit = 1;
    while (point.rate / unit >= 999.5 && unit < 1e15) unit *= 1000;
    return rate + " (" + significant_text(point.interval->low / unit, 3) + " to " +
           significant_text(point.interval->high / unit, 3) + ')';
  }
  static std::string intensity_of(const RooflinePoint& point) {
    const bool is_large = point.intensity >= 999.5;
    return (is_large ? decimals_text(point.intensity, 0) : significant_text(point.intensity, 3)) + " flop/byte";
  }

  static std::string tooltip_of(const RooflinePoint& point) {
    return point.label + ": " + rate_of(point) + ", " + intensity_of(point) +
           (point.note.empty() ? "" : ", " + point.note);
  }

  void list() {
    double y = kListTop;
    const ShownNames shown = names_of(roofline_, {}, kLongestRooflineName);
    for (std::size_t i = 0; i < roofline_.points.size(); ++i, y += kListStep) {
      const RooflinePoint& point = roofline_.points[i];
      svg_.words(40, y, "number", std::to_string(i + 1), kRightAligned);
      svg_.words(50, y, "", shown.of(point.label));
      svg_.words(330, y, "", rate_of(point));
      svg_.words(530, y, "", intensity_of(point));
      svg_.words(645, y, "", shortened(point.note, 50, true));
    }
    if (roofline_.excluded.empty()) return;
    const std::string names =
        joined_text(roofline_.excluded, ", ", [](const std::string& name) { return printable(name, true); });
    svg_.words(50, y, "dim", shortened("not drawn, flops and bandwidth are not both reported: " + names, 130, true));
  }

  const Roofline& roofline_;
  RooflineFrame frame_;
  SvgPicture svg_;
};

struct RoofGlyphs {
  const char *top, *slope, *axis, *tick, *corner, *ground, *ground_tick, *several;
};
constexpr RoofGlyphs kUnicodeRoof{"\u2500", "\u00b7", "\u2502", "\u2524", "\u2514", "\u2500", "\u2534", "*"};
constexpr RoofGlyphs kAsciiRoof{"-", ".", "|", "+", "+", "-", "+", "*"};

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr int kLines = 20;
constexpr std::size_t kAxisColumns = 8;  // "100 G " and the axis

// "100 G", "1 T": a power of ten of flop/s.
std::string short_rate(double rate) {
  constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t scale = 0;
  for (; scale + 1 < kPrefixes.size() && rate >= 999; ++scale) rate /= 1000;
  return decimal_text(rate, rate < 0.95 ? 2 : 0) + (scale > 0 ? std::string(" ") + kPrefixes.at(scale) : "");
}

std::string intensity_text(double intensity) {
  return decimal_text(intensity, intensity < 0.095 ? 3 : intensity < 0.95 ? 2 : intensity < 9.5 ? 1 : 0);
}

class RooflineCanvas {
 public:
  RooflineCanvas(const RooflineFrame& frame, int columns, const RoofGlyphs& glyphs)
      : frame_(frame),
        columns_(columns),
        glyphs_(glyphs),
        cells_(kLines, std::vector<std::string>(static_cast<std::size_t>(columns), " ")) {}

  int column_of(double intensity) const { return place(intensity, frame_.intensity, columns_); }
  int line_of(double rate) const { return kLines - 1 - place(rate, frame_.rate, kLines); }
  double intensity_at(int column) const { return frame_.intensity.at((column + 0.5) / columns_); }
  void put(int line, int column, const std::string& mark) {
    if (line < 0 || line >= kLines || column < 0 || column >= columns_) return;
    cells_[static_cast<std::size_t>(line)][static_cast<std::size_t>(column)] = mark;
  }
  const std::string& at(int line, int column) const {
    return cells_[static_cast<std::size_t>(line)][static_cast<std::size_t>(column)];
  }

  void draw_top(const Ceiling& ceiling, double fastest) {
    for (int column = 0; column < columns_; ++column) {
      if (intensity_at(column) * fastest >= ceiling.value) put(line_of(ceiling.value), column, glyphs_.top);
    }
  }
  // Up to the highest top, or to the frame.
  void draw_slope(const Ceiling& ceiling, double highest) {
    for (int column = 0; column < columns_; ++column) {
      const double rate = intensity_at(column) * ceiling.value;
      if (rate > highest) break;
      const int line = line_of(rate);
      if (line >= 0 && line < kLines) put(line, column, glyphs_.slope);
    }
  }
  std::string line(int number) const {
    std::string text;
    for (const std::string& cell : cells_[static_cast<std::size_t>(number)]) text += cell;
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

 private:
  static int place(double value, const LogAxis& axis, int count) {
    return static_cast<int>(std::floor(axis.share(value) * count));
  }

  RooflineFrame frame_;
  int columns_;
  RoofGlyphs glyphs_;
  std::vector<std::vector<std::string>> cells_;
};

std::string letter_of(std::size_t index) {
  return index < kLetters.size() ? std::string(1, kLetters[index]) : std::string("+");
}

void draw_points(RooflineCanvas& canvas, const std::vector<RooflinePoint>& points, const RoofGlyphs& glyphs) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const int line = canvas.line_of(points[i].rate);
    const int column = canvas.column_of(points[i].intensity);
    if (line < 0 || line >= kLines) continue;
    const std::string& there = canvas.at(line, column);
    const bool is_taken = there == glyphs.several || (there.size() == 1 && kLetters.find(there) != kLetters.npos);
    canvas.put(line, column, is_taken ? glyphs.several : letter_of(i));
  }
}

// Every ceiling once: its mark on the canvas is its height, so that the list says which is which.
void label_roofs(std::string& text, const Roofline& roofline, const TerminalStyle& style, const RoofGlyphs& glyphs) {
  std::vector<const Ceiling*> tops;
  for (const Ceiling& ceiling : roofline.arithmetic) tops.push_back(&ceiling);
  std::vector<const Ceiling*> slopes;
  for (const Ceiling& ceiling : roofline.bandwidth) slopes.push_back(&ceiling);
  const auto higher = [](const Ceiling* a, const Ceiling* b) { return a->value > b->value; };
  std::stable_sort(tops.begin(), tops.end(), higher);
  std::stable_sort(slopes.begin(), slopes.end(), higher);
  const auto list = [&](const char* mark, const char* order, const std::vector<const Ceiling*>& ceilings) {
    if (ceilings.empty()) return;
    std::string words = std::string(mark) + ' ' + order + ": ";
    for (const Ceiling* ceiling : ceilings) words += (ceiling == ceilings.front() ? "" : "; ") + roof_label(*ceiling);
    for (const std::string& line : wrapped(words, style.columns())) {
      text += paint(line, Tone::dim, style.color) + '\n';
    }
  };
  list(glyphs.top, "from the top", tops);
  list(glyphs.slope, "from the left", slopes);
}

void list_points(std::string& text, const Roofline& roofline, const TerminalStyle& style) {
  const std::size_t width = style.columns();
  constexpr std::size_t kOthers = 74;
  const std::size_t max_name = std::max<std::size_t>(width > kOthers ? width - kOthers : 0, 16);
  const ShownNames names = names_of(roofline, style, max_name);
  std::vector<std::vector<std::string>> rows{{"", "", "flop/byte", "rate", ""}};
  for (std::size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    rows.push_back({letter_of(i), names.of(point.label), intensity_text(point.intensity),
                    rate_text(point.rate, "flops"), point.note});
  }
  text += aligned_rows(rows, {Align::left, Align::left, Align::right, Align::right, Align::left}, "");
  if (roofline.excluded.empty()) return;
  const std::string words =
      "not drawn, flops and bandwidth are not both reported: " +
      joined_text(roofline.excluded, ", ", [&](const std::string& name) { return printable(name, style.unicode); });
  for (const std::string& line : wrapped(words, width)) text += paint(line, Tone::dim, style.color) + '\n';
}

std::string axis_below(const RooflineCanvas& canvas, const RooflineFrame& frame, int columns,
                       const RoofGlyphs& glyphs) {
  std::string line;
  std::vector<int> ticks;
  const std::vector<double> decades = frame.intensity.decades();
  for (const double decade : decades) ticks.push_back(canvas.column_of(decade));
  for (int column = 0; column < columns; ++column) {
    line += std::find(ticks.begin(), ticks.end(), column) == ticks.end() ? glyphs.ground : glyphs.ground_tick;
  }
  std::string numbers(static_cast<std::size_t>(columns) + 8, ' ');
  for (std::size_t i = 0; i < decades.size(); ++i) {
    std::string number = decades[i] < 1
                             ? decimal_text(decades[i], static_cast<int>(std::lround(-std::log10(decades[i]))))
                             : decimal_text(decades[i], 0);
    const int start = std::max(0, ticks[i] - static_cast<int>(number.size()) / 2);
    numbers.replace(static_cast<std::size_t>(start), number.size(), number);
  }
  numbers.erase(numbers.find_last_not_of(' ') + 1);
  return std::string(kAxisColumns - 1, ' ') + glyphs.corner + line + '\n' + std::string(kAxisColumns, ' ') + numbers +
         "  flop/byte\n";
}

}  // namespace

std::string svg_roofline(const Roofline& roofline) { return RooflinePicture(roofline).draw(); }

std::string terminal_roofline(const Roofline& roofline, const TerminalStyle& style) {
  const RoofGlyphs& glyphs = style.unicode ? kUnicodeRoof : kAsciiRoof;
  const RooflineFrame frame = frame_of(roofline);
  const int columns = std::clamp(style.width, 48, 120) - static_cast<int>(kAxisColumns) - 12;
  RooflineCanvas canvas(frame, columns, glyphs);
  double fastest = 0;
  double highest = frame.rate.high;
  for (const Ceiling& slope : roofline.bandwidth) fastest = std::max(fastest, slope.value);
  if (!roofline.arithmetic.empty()) {
    highest = 0;
    for (const Ceiling& top : roofline.arithmetic) highest = std::max(highest, top.value);
  }
  for (const Ceiling& slope : roofline.bandwidth) canvas.draw_slope(slope, highest);
  for (const Ceiling& top : roofline.arithmetic) canvas.draw_top(top, fastest > 0 ? fastest : HUGE_VAL);
  draw_points(canvas, roofline.points, glyphs);

  std::string text = paint(printable(roofline.title, style.unicode), Tone::strong, style.color) + '\n';
  if (!roofline.subtitle.empty()) {
    text += paint(printable(roofline.subtitle, style.unicode), Tone::dim, style.color) + '\n';
  }
  text += "\n flop/s\n";
  std::vector<std::string> ticks(kLines);
  for (const double decade : frame.rate.decades()) {
    const int line = canvas.line_of(decade);
    if (line >= 0 && line < kLines) ticks[static_cast<std::size_t>(line)] = short_rate(decade);
  }
  for (int line = 0; line < kLines; ++line) {
    const std::string& tick = ticks[static_cast<std::size_t>(line)];
    text += padded(tick, kAxisColumns - 2, Align::right) + ' ' + (tick.empty() ? glyphs.axis : glyphs.tick) +
            canvas.line(line) + '\n';
  }
  text += axis_below(canvas, frame, columns, glyphs);
  label_roofs(text, roofline, style, glyphs);
  text += '\n';
  list_points(text, roofline, style);
  return text;
}

}  // namespace steelyard::ci
