#include "ci/config/toml_document.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <utility>

#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

std::optional<WrittenValue> written_value(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return WrittenValue{*text};
  if (const auto flag = node.value_exact<bool>()) return WrittenValue{*flag};
  if (const auto count = node.value_exact<std::int64_t>()) return WrittenValue{*count};
  if (const auto number = node.value_exact<double>()) return WrittenValue{*number};
  const toml::array* array = node.as_array();
  if (array == nullptr) return std::nullopt;
  std::vector<std::string> items;
  for (const toml::node& item : *array) {
    const auto text = item.value_exact<std::string>();
    if (!text) return std::nullopt;
    items.push_back(*text);
  }
  return WrittenValue{items};
}

void append_table(const toml::table& table, const std::string& section, int index, std::vector<TomlEntry>& entries) {
  entries.push_back({section, index, "", line_of(table), std::nullopt});
  for (const auto& [key, node] : table) {
    entries.push_back(
        {section, index, std::string(key.str()), static_cast<int>(key.source().begin.line), written_value(node)});
  }
}

std::vector<TomlEntry> flatten(const toml::table& document) {
  std::vector<TomlEntry> entries;
  for (const auto& [key, node] : document) {
    const std::string section(key.str());
    const toml::array* array = node.as_array();
    if (const toml::table* table = node.as_table()) {
      append_table(*table, section, -1, entries);
    } else if (array != nullptr && array->is_array_of_tables()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        append_table(*array->get(i)->as_table(), section, static_cast<int>(i), entries);
      }
    } else {
      entries.push_back({"", -1, section, static_cast<int>(key.source().begin.line), written_value(node)});
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const TomlEntry& a, const TomlEntry& b) { return a.line < b.line; });
  return entries;
}

// Where the string that begins at `at` with a quotation mark ends: behind the mark that closes it, else at the text's
// end. TOML 1.0.0, "String": three marks hold line breaks, and "..." takes escapes where '...' takes none.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char mark = text[at];
  const bool is_long = text.substr(at, 3) == std::string(3, mark);
  const std::string closing(is_long ? 3 : 1, mark);
  for (std::size_t i = at + closing.size(); i < text.size(); ++i) {
    if (mark == '"' && text[i] == '\\') {
      ++i;
    } else if (!is_long && text[i] == '\n') {
      return i;
    } else if (text.substr(i, closing.size()) == closing) {
      std::size_t end = i + closing.size();
      // Up to two marks before the three that close are the string's own.
      for (int own = 0; is_long && own < 2 && end < text.size() && text[end] == mark; ++own) ++end;
      return end;
    }
  }
  return text.size();
}

// What the library must not be given.
struct BadPlace {
  int line = 0;
  std::string found;
  std::string wanted;
};

// The first dotted key of more than kMaxKeyParts parts, or character that may stand in strings and comments alone: of
// these toml++ 3.3 asks questions whose answers it has ruled out. Any run of words, strings, blanks and dots is taken
// for a key: a value has at most one dot outside its strings.
std::optional<BadPlace> bad_place(std::string_view text) {
  int line = 1;
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      if (at > 0 && std::string_view(" \t\r\n=[,.{").find(text[at - 1]) == std::string_view::npos) {
        return BadPlace{line, "a quotation mark in the middle of a word",
                        "a string that begins after a blank or a sign"};
      }
      const std::size_t end = end_of_string(text, at);
      line += static_cast<int>(std::count(text.begin() + at, text.begin() + end, '\n'));
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '\n') ++line;
    const bool is_blank = c == '\n' || c == '\t' || c == '\r';
    if (!is_blank && (c < ' ' || c > '~')) {
      return BadPlace{line, "a character outside of strings and comments that is not printable ASCII", "keys of ASCII"};
    }
    if (c == '.' && ++dots >= kMaxKeyParts) {
      return BadPlace{line, "a key of more than " + std::to_string(kMaxKeyParts) + " parts",
                      "at most " + std::to_string(kMaxKeyParts)};
    }
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') dots = 0;
    ++at;
  }
  return std::nullopt;
}

// The library is given ASCII alone, whatever it takes for a string: of a character beyond that in the middle of a value
// it asks what it has declared unreachable. Each byte of one stands there as a sign and two digits, as does the sign
// itself, and is put back into what was read.
constexpr char kSign = '~';
constexpr std::string_view kDigits = "0123456789abcdef";

Result<std::string> as_ascii(std::string_view text, const std::string& name) {
  int line = 1;
  const auto refusal = [&](const char* found, const char* wanted) {
    return input_error(name + ':' + std::to_string(line), found, wanted, "see https://toml.io for the form");
  };
  std::string ascii;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (point.value == kBrokenCodePoint) return refusal("bytes that are no UTF-8", "a file in UTF-8");
    const bool is_control =
        (point.value < ' ' && std::string_view("\t\r\n").find(text[at]) == std::string_view::npos) ||
        point.value == 0x7f;
    if (is_control) return refusal("a control character", "none but tabs and ends of lines: others as \\u0001");
    if (point.value == '\n') ++line;
    for (const char c : text.substr(at, point.bytes)) {
      if (point.value < 0x80 && c != kSign) {
        ascii += c;
        continue;
      }
      const auto byte = static_cast<unsigned char>(c);
      ascii += {kSign, kDigits[byte >> 4], kDigits[byte & 15]};
    }
    at += point.bytes;
    for (const std::string_view escaped : {"\\u007e", "\\u007E", "\\U0000007e", "\\U0000007E"}) {
      if (ascii.ends_with(escaped)) return refusal("an escaped ~", "it as it is");
    }
  }
  return ascii;
}

std::string from_ascii(std::string_view ascii) {
  std::string text;
  for (std::size_t at = 0; at < ascii.size(); ++at) {
    unsigned byte = 0;
    const char* const digits = ascii.data() + at + 1;
    const bool is_signed =
        ascii[at] == kSign && ascii.size() - at > 2 && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    text += is_signed ? static_cast<char>(byte) : ascii[at];
    if (is_signed) at += 2;
  }
  return text;
}

void put_back(TomlEntry& entry) {
  entry.section = from_ascii(entry.section);
  entry.name = from_ascii(entry.name);
  if (!entry.value) return;
  if (auto* const text = std::get_if<std::string>(&entry.value->content)) *text = from_ascii(*text);
  if (auto* const items = std::get_if<std::vector<std::string>>(&entry.value->content)) {
    for (std::string& item : *items) item = from_ascii(item);
  }
}

Result<void> check_keys(const std::vector<TomlEntry>& entries, const std::string& name) {
  for (const TomlEntry& entry : entries) {
    const std::size_t bytes = std::max(entry.section.size(), entry.name.size());
    if (bytes > kMaxKeyBytes) {
      return input_error(name + ':' + std::to_string(entry.line), "a key of " + std::to_string(bytes) + " bytes",
                         "at most " + std::to_string(kMaxKeyBytes));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<TomlEntry>> read_toml(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (std::optional<BadPlace> bad = bad_place(text)) {
    return input_error(name + ':' + std::to_string(bad->line), std::move(bad->found), std::move(bad->wanted));
  }
  STEELYARD_TRY(const std::string ascii, as_ascii(text, name));
  try {
    std::vector<TomlEntry> entries = flatten(toml::parse(ascii, name));
    std::for_each(entries.begin(), entries.end(), put_back);
    STEELYARD_CHECK(check_keys(entries, name));
    return entries;
  } catch (const toml::parse_error& error) {
    return input_error(name + ':' + std::to_string(error.source().begin.line), from_ascii(error.description()), "",
                       "see https://toml.io for the form");
  }
}

}  // namespace steelyard::ci
