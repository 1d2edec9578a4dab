#include "bench/harness/table_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace steelyard {

std::size_t text_columns(std::string_view text) {
  // Every byte but those that continue a code point.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string left_aligned(std::string_view text, std::size_t columns) {
  const std::size_t width = text_columns(text);
  return std::string(text) + std::string(columns > width ? columns - width : 0, ' ');
}

std::string right_aligned(std::string_view text, std::size_t columns) {
  const std::size_t width = text_columns(text);
  return std::string(columns > width ? columns - width : 0, ' ') + std::string(text);
}

std::string centred(std::string_view text, std::size_t columns, char fill) {
  const std::size_t width = text_columns(text);
  if (width >= columns) return std::string(text);
  const std::size_t space = columns - width;
  const std::size_t left = space / 2 + (space % 2 == 1 && columns % 2 == 1 ? 1 : 0);
  return std::string(left, fill) + std::string(text) + std::string(space - left, fill);
}

std::string fixed_text(double value, int decimals) {
  std::array<char, 400> text{};  // the longest double has 309 digits before the point
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed,
                                         std::clamp(decimals, 0, 60));
  return code == std::errc() ? std::string(text.data(), end) : "-";
}

}  // namespace steelyard
