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

}  // namespace

Result<std::vector<TomlEntry>> read_toml(std::string_view text, const std::string& name) {
  try {
    return flatten(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    return input_error(name + ':' + std::to_string(error.source().begin.line), std::string(error.description()), "",
                       "see https://toml.io for the form");
  }
}

}  // namespace steelyard::ci
