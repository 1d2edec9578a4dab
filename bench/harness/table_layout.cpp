#include "bench/harness/table_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace steelyard {
namespace {

// Bytes of the code point that `text` begins with; 0 where it is no UTF-8. Overlong forms pass: they are only printed.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (lead > 0xf4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  return length;
}

// C1 controls, direction marks and overrides, line and paragraph separators.
bool turns_or_controls(std::string_view sequence) {
  if (sequence.size() == 2) return sequence[0] == '\xc2' && static_cast<unsigned char>(sequence[1]) < 0xa0;
  if (sequence.size() != 3 || sequence[0] != '\xe2') return false;
  const auto last = static_cast<unsigned char>(sequence[2]);
  if (sequence[1] == '\x80') return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  return sequence[1] == '\x81' && last >= 0xa6 && last <= 0xa9;
}

}  // namespace

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

std::string printable_line(std::string_view text, bool unicode) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text.substr(at));
    const std::string_view sequence = text.substr(at, std::max<std::size_t>(length, 1));
    at += sequence.size();
    const char first = sequence.front();
    if (first == '\n' || first == '\t' || first == '\r') {
      line += ' ';
    } else if (length == 0 || first == '\x7f' || (first >= 0 && first < ' ') || turns_or_controls(sequence) ||
               (length > 1 && !unicode)) {
      line += '?';
    } else {
      line += sequence;
    }
  }
  return line;
}

std::string wrapped_text(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string result;
  std::string line;
  bool has_word = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (has_word && text_columns(line) + 1 + text_columns(word) > columns) {
      result += line + "\n";
      line.assign(indent, ' ');
      has_word = false;
    } else if (has_word) {
      line += ' ';
    }
    line += word;
    has_word = true;
    at = end + 1;
  }
  return result + line + "\n";
}

std::string decimals_text(double value, int decimals) {
  std::array<char, 400> text{};  // the longest double has 309 digits before the point
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed,
                                         std::clamp(decimals, 0, 60));
  return code == std::errc() ? std::string(text.data(), end) : "-";
}

std::string shortest_text(double value) {
  std::array<char, 40> text{};
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() ? std::string(text.data(), end) : "-";
}

}  // namespace steelyard
