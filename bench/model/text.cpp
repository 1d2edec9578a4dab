#include "bench/model/text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <map>
#include <set>

namespace steelyard {
namespace {

bool is_harmful(std::uint32_t point) {
  const bool is_control = point < 0x20 || (point >= 0x7f && point < 0xa0);
  const bool turns_direction = (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
                               point == 0x61c || point == 0x200e || point == 0x200f || point == 0x2028 ||
                               point == 0x2029;
  return point == kBrokenCodePoint || is_control || turns_direction;
}

bool is_inside_code_point(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

// Byte offset of the n-th code point, or the size of the text.
std::size_t offset_of(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  for (; n > 0 && at < text.size(); --n) at += code_point_at(text, at).bytes;
  return at;
}

}  // namespace

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
  constexpr std::array<std::uint32_t, 5> kMinOfLength{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kMinOfLength[length] || value > 0x10ffff || is_surrogate) return {};
  return {value, length};
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

std::string printable_line(std::string_view text, bool unicode) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  }
  return printable(line, unicode);
}

std::string padded(std::string_view text, std::size_t columns, Align align) {
  const std::size_t width = columns_of(text);
  const std::string space(columns > width ? columns - width : 0, ' ');
  return align == Align::left ? std::string(text) + space : space + std::string(text);
}

std::string centred(std::string_view text, std::size_t columns, char fill) {
  const std::size_t width = columns_of(text);
  if (width >= columns) return std::string(text);
  const std::size_t space = columns - width;
  const std::size_t left = space / 2 + (space % 2 == 1 && columns % 2 == 1 ? 1 : 0);
  return std::string(left, fill) + std::string(text) + std::string(space - left, fill);
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

namespace {

// Letters, digits and what joins them: "dim:64", "std::map", "0.5".
bool is_of_a_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || byte >= 0x80;
  return is_letter || c == '_' || c == ':' || c == '.' || c == '-';
}

// How many bytes at the beginning and at the end all names share; together no more than the shortest has.
struct Shared {
  std::size_t head = 0;
  std::size_t tail = 0;
};
Shared shared_by(const std::vector<std::string_view>& names) {
  const std::string_view first = names.front();
  Shared shared{first.size(), first.size()};
  std::size_t shortest = first.size();
  for (const std::string_view name : names) {
    shortest = std::min(shortest, name.size());
    shared.head = std::min(shared.head, shortest);
    shared.tail = std::min(shared.tail, shortest);
    while (name.substr(0, shared.head) != first.substr(0, shared.head)) --shared.head;
    while (name.substr(name.size() - shared.tail) != first.substr(first.size() - shared.tail)) --shared.tail;
  }
  shared.tail = std::min(shared.tail, shortest - shared.head);
  while (is_inside_code_point(first, shared.head)) --shared.head;
  while (shared.tail > 0 && is_inside_code_point(first, first.size() - shared.tail)) --shared.tail;
  return shared;
}

// The same, with the words in which they differ whole: "map" and "unordered_map", not "" and "unordered_".
Shared to_whole_words(Shared shared, std::string_view first) {
  while (shared.head > 0 && is_of_a_word(first[shared.head - 1])) --shared.head;
  while (shared.tail > 0 && is_of_a_word(first[first.size() - shared.tail])) --shared.tail;
  return shared;
}

// Different names whose plain cuts are one text, each cut around what tells it from the others. Empty: there is no
// room.
std::vector<std::string> cut_around(const std::vector<std::string_view>& names, Shared shared, std::size_t columns,
                                    bool unicode) {
  constexpr std::size_t kMinPart = 5;
  const std::string gap = unicode ? "\u2026" : "...";
  const std::size_t gaps = 2 * columns_of(gap);
  if (columns < gaps + 2 + kMinPart) return {};
  std::vector<std::string> differing;
  for (const std::string_view name : names) {
    differing.emplace_back(name.substr(shared.head, name.size() - shared.head - shared.tail));
  }
  // Of what all share, beginning and end have a third of the columns where what differs leaves no more.
  const std::size_t ends = std::max<std::size_t>(2, (columns - gaps) / 3);
  const std::size_t room = std::max(kMinPart, columns - gaps - ends);
  std::vector<std::string> shown;
  for (std::string& part : shortened_apart(differing, room, unicode)) {
    if (columns_of(part) > room) return {};
    const std::string_view name = names[shown.size()];
    const std::string_view head = name.substr(0, shared.head);
    const std::string_view tail = name.substr(name.size() - shared.tail);
    const std::size_t left = columns - gaps - columns_of(part);
    const std::size_t of_tail = std::min(columns_of(tail), std::max(left / 2, left - std::min(left, columns_of(head))));
    const std::size_t of_head = std::min(columns_of(head), left - of_tail);
    std::string text(head.substr(0, offset_of(head, of_head)));
    if (of_head < columns_of(head)) text += gap;
    text += part;
    if (of_tail < columns_of(tail)) text += gap;
    shown.push_back(text + std::string(tail.substr(offset_of(tail, columns_of(tail) - of_tail))));
  }
  return shown;
}

// Cut names by name; each in its group of those that a plain cut makes equal.
std::map<std::string_view, std::string> cut_in_groups(const std::set<std::string_view>& names, std::size_t columns,
                                                      bool unicode) {
  std::map<std::string, std::vector<std::string_view>> alike;
  for (const std::string_view name : names) alike[shortened(name, columns, unicode)].push_back(name);
  std::map<std::string_view, std::string> cut;
  for (const auto& [plain, group] : alike) {
    std::vector<std::string> shown;
    if (group.size() > 1) {
      const Shared shared = shared_by(group);
      shown = cut_around(group, to_whole_words(shared, group.front()), columns, unicode);
      if (shown.empty()) shown = cut_around(group, shared, columns, unicode);
    }
    for (std::size_t i = 0; i < group.size(); ++i) cut[group[i]] = shown.empty() ? plain : shown[i];
  }
  return cut;
}

}  // namespace

std::vector<std::string> shortened_apart(const std::vector<std::string>& names, std::size_t columns, bool unicode) {
  std::map<std::string_view, std::string> cut = cut_in_groups({names.begin(), names.end()}, columns, unicode);
  std::map<std::string, std::size_t> uses;
  for (const auto& [name, text] : cut) ++uses[text];
  for (auto& [name, text] : cut) {
    if (uses[text] > 1) text = name;
  }
  std::vector<std::string> shown;
  shown.reserve(names.size());
  for (const std::string& name : names) shown.push_back(cut.at(name));
  return shown;
}

std::string cut_at_bytes(std::string_view text, std::size_t most, std::string_view ending) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && is_inside_code_point(text, most)) --most;
  return std::string(text.substr(0, most)) + std::string(ending);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns, Wrapping wrapping) {
  std::vector<std::string> lines;
  std::string line;
  bool has_word = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty() && !wrapping.keeps_blanks) continue;
    if (has_word && columns_of(line) + 1 + columns_of(word) > columns) {
      lines.push_back(std::move(line));
      line.assign(wrapping.indent, ' ');
    } else if (has_word) {
      line += ' ';
    }
    while (wrapping.breaks_words) {
      assert(columns > wrapping.indent);
      const std::size_t fits = offset_of(word, columns - columns_of(line));
      if (fits == word.size()) break;
      lines.push_back(line.append(word.substr(0, fits)));
      line.assign(wrapping.indent, ' ');
      word.remove_prefix(fits);
    }
    line += word;
    has_word = true;
  }
  if (has_word) lines.push_back(std::move(line));
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

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

bool is_decimal(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

bool is_full_commit_hash(std::string_view text) { return (text.size() == 40 || text.size() == 64) && is_hex(text); }

std::string shown_sha(std::string_view sha) {
  constexpr std::size_t kShownDigits = 9;
  return std::string(sha.substr(0, kShownDigits));
}

std::string shown_id(std::string_view id) {
  constexpr std::size_t kDigitsOfSha = 40;
  const bool is_number = id.size() < kDigitsOfSha && is_decimal(id);
  return is_hex(id) && !is_number ? shown_sha(id) : std::string(id);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks(" \t\r\n\0", 5);
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string hex_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string base64_text(std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8U | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[bits >> (18U - 6U * i) & 63U] : '=';
  }
  return text;
}

std::string decimals_text(double value, int decimals) {
  std::array<char, 400> text{};  // the longest double has 309 digits before the point
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed,
                                         std::clamp(decimals, 0, 60));
  return code == std::errc() ? std::string(text.data(), end) : "-";
}

std::string significant_text(double value, int digits) {
  std::array<char, 80> text{};
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general,
                                         std::clamp(digits, 1, 60));
  return code == std::errc() ? std::string(text.data(), end) : "-";
}

std::string shortest_text(double value) {
  std::array<char, 40> text{};
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() ? std::string(text.data(), end) : "-";
}

namespace {

// "=HYPERLINK(...)", "@SUM(...)", "-2+cmd|...": what a spreadsheet would work out. Not "-3.5", nor "+12.0 %".
bool is_formula(std::string_view field) {
  if (field.starts_with('=') || field.starts_with('@')) return true;
  const bool has_sign = field.starts_with('+') || field.starts_with('-');
  return has_sign && field.find_first_not_of("0123456789.eE+-% ") != std::string_view::npos;
}

}  // namespace

std::string csv_record(const std::vector<std::string>& fields) {
  std::string record;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string line = printable_line(fields[i], true);
    const std::string text = is_formula(line) ? '\'' + line : line;
    if (i > 0) record += ',';
    if (text.find_first_of(",\"") == std::string::npos) {
      record += text;
      continue;
    }
    record += '"';
    for (const char c : text) record += c == '"' ? std::string("\"\"") : std::string(1, c);
    record += '"';
  }
  return record + "\r\n";
}

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const char c = text[at];
    if (point.value == kBrokenCodePoint) {
      quoted += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (point.value < 0x20 || point.value == 0x7f) {
      quoted += "\\u00" + hex_text({&c, 1});
    } else {
      quoted += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return quoted + '"';
}

std::string json_list(const std::vector<std::string>& texts) {
  return '[' + joined_text(texts, ", ", json_quoted) + ']';
}

std::string markup_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace steelyard
