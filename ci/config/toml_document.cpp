#include "ci/config/toml_document.hpp"

#include <toml++/toml.h>
#include <algorithm>

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
      return i + closing.size();
    }
  }
  return text.size();
}

// The line of the first dotted key of more than kMaxKeyParts parts; 0: none. Any run of words, strings, blanks and dots
// is taken for one: a value has at most one dot outside its strings.
int line_of_deep_key(std::string_view text) {
  int line = 1;
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
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
    if (c == '.' && ++dots >= kMaxKeyParts) return line;
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') dots = 0;
    ++at;
  }
  return 0;
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
  if (const int line = line_of_deep_key(text); line > 0) {
    return input_error(name + ':' + std::to_string(line),
                       "a key of more than " + std::to_string(kMaxKeyParts) + " parts",
                       "at most " + std::to_string(kMaxKeyParts));
  }
  try {
    std::vector<TomlEntry> entries = flatten(toml::parse(text, name));
    STEELYARD_CHECK(check_keys(entries, name));
    return entries;
  } catch (const toml::parse_error& error) {
    return input_error(name + ':' + std::to_string(error.source().begin.line), std::string(error.description()), "",
                       "see https://toml.io for the form");
  }
}

}  // namespace steelyard::ci
