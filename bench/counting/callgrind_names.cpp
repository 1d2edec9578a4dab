#include "bench/counting/callgrind_names.hpp"

#include <string>

#include "bench/counting/callgrind_numbers.hpp"

namespace steelyard {

CallgrindNames::CallgrindNames() { index_of(""); }

Result<std::uint32_t> CallgrindNames::resolve(std::string_view text) {
  const std::size_t close = text.starts_with('(') ? text.find(')') : std::string_view::npos;
  std::uint64_t number = 0;
  // "(below main)" is a name: only digits between the parentheses make a number.
  if (close == std::string_view::npos || !read_decimal(text.substr(1, close - 1), number)) return index_of(text);

  const std::string_view name = without_leading_blanks(text.substr(close + 1));
  const auto known = index_by_number_.find(number);
  if (name.empty()) {
    if (known != index_by_number_.end()) return known->second;
    return input_error("", "a reference to name (" + std::to_string(number) + ")", "one that was defined before");
  }
  const std::uint32_t index = index_of(name);
  if (known != index_by_number_.end() && known->second != index) {
    return input_error("", "name (" + std::to_string(number) + ") defined anew as \"" + std::string(name) + "\"",
                       "\"" + std::string(names_[known->second]) + "\" as before");
  }
  index_by_number_.emplace(number, index);
  return index;
}

std::uint32_t CallgrindNames::index_of(std::string_view name) {
  const auto [entry, is_new] = index_by_name_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return entry->second;
}

}  // namespace steelyard
