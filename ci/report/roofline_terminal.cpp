// The roofline in characters: slopes and tops as lines, benchmarks as letters, what they mean in a list below.
#include <algorithm>
#include <array>
#include <cmath>

#include "ci/app/terminal_text.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/roofline.hpp"
#include "regress/targets/target_wording.hpp"

namespace steelyard {
namespace {

struct Glyphs {
  const char *top, *slope, *axis, *tick, *corner, *ground, *ground_tick, *several;
};
constexpr Glyphs kUnicode{"\u2500", "\u00b7", "\u2502", "\u2524", "\u2514", "\u2500", "\u2534", "*"};
constexpr Glyphs kAscii{"-", ".", "|", "+", "+", "-", "+", "*"};

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

class Canvas {
 public:
  Canvas(const RooflineFrame& frame, int columns, const Glyphs& glyphs)
      : frame_(frame),
        columns_(columns),
        glyphs_(glyphs),
        cells_(kLines, std::vector<std::string>(static_cast<std::size_t>(columns), " ")) {}

  int column_of(double intensity) const {
    return place(intensity, frame_.least_intensity, frame_.most_intensity, columns_);
  }
  int line_of(double rate) const { return kLines - 1 - place(rate, frame_.least_rate, frame_.most_rate, kLines); }
  double intensity_at(int column) const {
    const double part = (column + 0.5) / columns_;
    return frame_.least_intensity * std::pow(frame_.most_intensity / frame_.least_intensity, part);
  }
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
  static int place(double value, double least, double most, int count) {
    return static_cast<int>(std::floor(std::log(value / least) / std::log(most / least) * count));
  }

  RooflineFrame frame_;
  int columns_;
  Glyphs glyphs_;
  std::vector<std::vector<std::string>> cells_;
};

std::string letter_of(std::size_t index) {
  return index < kLetters.size() ? std::string(1, kLetters[index]) : std::string("+");
}

void draw_points(Canvas& canvas, const std::vector<RooflinePoint>& points, const Glyphs& glyphs) {
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
void label_roofs(std::string& text, const Roofline& roofline, const TerminalStyle& style, const Glyphs& glyphs) {
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
    for (const std::string& line : wrapped(words, static_cast<std::size_t>(std::max(style.width, 40)))) {
      text += paint(line, Tone::dim, style.color) + '\n';
    }
  };
  list(glyphs.top, "from the top", tops);
  list(glyphs.slope, "from the left", slopes);
}

void list_points(std::string& text, const Roofline& roofline, const TerminalStyle& style) {
  const std::size_t width = static_cast<std::size_t>(std::max(style.width, 40));
  std::vector<std::vector<std::string>> rows{{"", "", "flop/byte", "rate", ""}};
  for (std::size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    const std::size_t most_name = std::max<std::size_t>(width > 74 ? width - 74 : 0, 16);
    rows.push_back({letter_of(i), shortened(printable(point.label, style.unicode), most_name, style.unicode),
                    intensity_text(point.intensity), rate_text(point.rate, "flops"), point.note});
  }
  text += aligned_rows(rows, {Align::left, Align::left, Align::right, Align::right, Align::left}, "");
  if (roofline.left_out.empty()) return;
  std::string words = "not drawn, flops and bandwidth are not both reported: ";
  for (const std::string& name : roofline.left_out) {
    words += (&name == roofline.left_out.data() ? "" : ", ") + printable(name, style.unicode);
  }
  for (const std::string& line : wrapped(words, width)) text += paint(line, Tone::dim, style.color) + '\n';
}

std::string axis_below(const Canvas& canvas, const RooflineFrame& frame, int columns, const Glyphs& glyphs) {
  std::string line;
  std::vector<int> ticks;
  const std::vector<double> decades = decades_between(frame.least_intensity, frame.most_intensity);
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

std::string terminal_roofline(const Roofline& roofline, const TerminalStyle& style) {
  const Glyphs& glyphs = style.unicode ? kUnicode : kAscii;
  const RooflineFrame frame = frame_of(roofline);
  const int columns = std::clamp(style.width, 48, 120) - static_cast<int>(kAxisColumns) - 12;
  Canvas canvas(frame, columns, glyphs);
  double fastest = 0;
  double highest = frame.most_rate;
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
  for (const double decade : decades_between(frame.least_rate, frame.most_rate)) {
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

}  // namespace steelyard
