#include "ci/report/interval_bar.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>
#include <vector>

namespace steelyard {
namespace {

struct Glyphs {
  std::string_view zero, band, span, point, beyond_low, beyond_high;
};
constexpr Glyphs kUnicode{"\u2502", "\u250a", "\u2501", "\u25cf", "\u25c2", "\u25b8"};
constexpr Glyphs kAscii{"|", ":", "=", "o", "<", ">"};

// Where the scale turns from linear to logarithmic: half the usual minimum effect, so that a band of 1 % is visible.
constexpr double kLinearUpTo = 0.005;

// -1 at 1 / kBarEnd, 0 at no change, 1 at kBarEnd.
double position(double ratio) {
  const double change = std::log(ratio);
  const double size = std::log1p(std::abs(change) / kLinearUpTo) / std::log1p(std::log(kBarEnd) / kLinearUpTo);
  return change < 0 ? -size : size;
}

int cell_of(double ratio, int half) {
  if (!(ratio > 0)) return -1;
  return half + static_cast<int>(std::lround(std::clamp(position(ratio), -2.0, 2.0) * half));
}

}  // namespace

std::string interval_bar(const Interval& interval, double estimate, double minimum_effect, const BarShape& shape) {
  assert(shape.columns >= 7 && shape.columns % 2 == 1);
  const Glyphs& glyphs = shape.unicode ? kUnicode : kAscii;
  const int half = shape.columns / 2;
  std::vector<std::string_view> cells(static_cast<std::size_t>(shape.columns), " ");
  const auto put = [&](int cell, std::string_view glyph) {
    if (cell >= 0 && cell < shape.columns) cells[static_cast<std::size_t>(cell)] = glyph;
  };
  put(cell_of(1 - minimum_effect, half), glyphs.band);
  put(cell_of(1 + minimum_effect, half), glyphs.band);
  put(half, glyphs.zero);
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high) || !std::isfinite(estimate)) {
    std::string empty;
    for (const std::string_view cell : cells) empty += cell;
    return empty;
  }
  const int low = cell_of(interval.low, half);
  const int high = cell_of(interval.high, half);
  for (int cell = std::max(low, 0); cell <= std::min(high, shape.columns - 1); ++cell) put(cell, glyphs.span);
  put(cell_of(estimate, half), glyphs.point);
  if (low < 0) put(0, glyphs.beyond_low);
  if (high >= shape.columns) put(shape.columns - 1, glyphs.beyond_high);
  std::string text;
  for (const std::string_view cell : cells) text += cell;
  return text;
}

std::string interval_bar_axis(const BarShape& shape) {
  // Narrow bars have room for the middle only.
  const auto half = static_cast<std::size_t>(shape.columns / 2);
  if (shape.columns < 11) return std::string(half, ' ') + "0";
  const std::string left = "-20%";
  const std::string right = "+25%";
  return left + std::string(half - left.size(), ' ') + "0" + std::string(half - right.size(), ' ') + right;
}

}  // namespace steelyard
