#include "ci/app/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

namespace steelyard {
namespace {

// Select Graphic Rendition codes (ECMA-48, 8.3.117), in the order of Tone.
constexpr std::array<std::string_view, 6> kToneCodes{"", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[1m"};

// The code point at `at` and its length in bytes; length 1 and kBroken where the bytes are no UTF-8.
constexpr std::uint32_t kBroken = 0xffffffff;
struct CodePoint {
  std::uint32_t value = kBroken;
  std::size_t bytes = 1;
};
CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || at + length > text.size()) return {};
  std::uint32_t value = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (byte(at + i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kLeastOfLength{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeastOfLength[length] || value > 0x10ffff || is_surrogate) return {};
  return {value, length};
}

bool is_harmful(std::uint32_t point) {
  const bool is_control = point < 0x20 || (point >= 0x7f && point < 0xa0);
  const bool turns_direction = (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
                               point == 0x200e || point == 0x200f || point == 0x2028 || point == 0x2029;
  return point == kBroken || is_control || turns_direction;
}

// Byte offset of the n-th code point, or the size of the text.
std::size_t offset_of(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  for (; n > 0 && at < text.size(); --n) at += code_point_at(text, at).bytes;
  return at;
}

}  // namespace

std::string paint(std::string_view text, Tone tone, bool color) {
  const std::string_view code = kToneCodes.at(static_cast<std::size_t>(tone));
  if (!color || code.empty() || text.empty()) return std::string(text);
  return std::string(code) + std::string(text) + "\x1b[0m";
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size(); at += code_point_at(text, at).bytes) ++columns;
  return columns;
}

std::string printable(std::string_view text, bool unicode) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (is_harmful(point.value) || (!unicode && point.value > 0x7e)) {
      result += '?';
    } else {
      result += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return result;
}

std::string padded(std::string_view text, std::size_t columns, Align align) {
  const std::size_t width = columns_of(text);
  const std::string space(columns > width ? columns - width : 0, ' ');
  return align == Align::left ? std::string(text) + space : space + std::string(text);
}

std::string without_device(std::string_view benchmark) {
  constexpr std::string_view kKey = "device=";
  const std::size_t suffix = benchmark.rfind(" [");
  if (suffix == std::string_view::npos || !benchmark.ends_with(']')) return std::string(benchmark);
  const std::size_t at = benchmark.find(kKey, suffix);
  if (at == std::string_view::npos || (benchmark[at - 1] != '[' && benchmark[at - 1] != ',')) {
    return std::string(benchmark);
  }
  // Behind a device stands the dtype or nothing (BenchmarkId::canonical).
  const std::size_t dtype = benchmark.find(",dtype=", at);
  const std::size_t end = dtype == std::string_view::npos ? benchmark.size() - 1 : dtype;
  const bool is_first = benchmark[at - 1] == '[';
  if (is_first && dtype == std::string_view::npos) return std::string(benchmark.substr(0, suffix));
  const std::size_t begin = is_first ? at : at - 1;
  return std::string(benchmark.substr(0, begin)) + std::string(benchmark.substr(is_first ? end + 1 : end));
}

std::string shortened(std::string_view text, std::size_t columns, bool unicode) {
  const std::size_t width = columns_of(text);
  if (width <= columns) return std::string(text);
  assert(columns >= 5);  // room for a character on both sides of the gap
  const std::string_view gap = unicode ? "\u2026" : "...";
  const std::size_t kept = columns - columns_of(gap);
  // The end tells a parameter apart from the next; the beginning names the benchmark. Both are kept alike.
  const std::size_t tail = kept / 2;
  return std::string(text.substr(0, offset_of(text, kept - tail))) + std::string(gap) +
         std::string(text.substr(offset_of(text, width - tail)));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string aligned_rows(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& aligns,
                         std::string_view indent) {
  std::vector<std::size_t> widths(aligns.size(), 0);
  for (const auto& row : rows) {
    assert(row.size() <= aligns.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent);
    bool is_first = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!is_first) line += "  ";
      line += padded(row[i], widths[i], aligns[i]);
      is_first = false;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace steelyard
