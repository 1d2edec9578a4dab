#include "bench/counting/callgrind_names.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "bench/counting/callgrind_numbers.hpp"

namespace steelyard {
namespace {

// Of a name beside its text: the view, its slot in the table, its number, and room for these to grow.
constexpr std::size_t kBytesPerName = 80;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::uint32_t kUndefined = IndexTable::kNone;
// Numbers below this have a place of four bytes each, however few of them there are: Callgrind numbers without gaps,
// but in another order than it writes. A profile of cc1plus with chains of four callers has some three million.
constexpr std::uint64_t kNearNumbers = std::uint64_t{1} << 23;

bool has_digits_alone(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

CallgrindNames::CallgrindNames() { index_of(""); }

Result<std::uint32_t> CallgrindNames::resolve(std::string_view text) {
  const std::size_t close = text.starts_with('(') ? text.find(')') : std::string_view::npos;
  std::uint64_t number = 0;
  // "(below main)" is a name: only digits between the parentheses make a number.
  if (close == std::string_view::npos || !has_digits_alone(text.substr(1, close - 1))) return index_of(text);
  if (!read_decimal(text.substr(1, close - 1), number)) {
    return input_error("", "name number " + quoted(text.substr(0, close + 1)), "a number of at most 64 bits");
  }
  const std::string_view name = without_leading_blanks(text.substr(close + 1));
  const std::uint32_t known = index_of_number(number);
  if (name.empty()) {
    if (known != kUndefined) return known;
    return input_error("", "a reference to name (" + std::to_string(number) + ")", "one that was defined before");
  }
  const std::uint32_t index = index_of(name);
  if (known != kUndefined && known != index) {
    return input_error("", "name (" + std::to_string(number) + ") defined anew as " + quoted(name),
                       quoted(names_[known]) + " as before");
  }
  if (known == kUndefined) define(number, index);
  return index;
}

std::uint32_t CallgrindNames::index_of(std::string_view name) {
  const std::uint32_t hash = spread_hash(std::hash<std::string_view>()(name));
  const std::uint32_t found = index_by_name_.find(hash, [&](std::uint32_t index) { return names_[index] == name; });
  if (found != IndexTable::kNone) return found;
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.push_back(keep(name));
  index_by_name_.insert(hash, index);
  bytes_ += kBytesPerName + name.size();
  return index;
}

std::string_view CallgrindNames::keep(std::string_view name) {
  if (name.size() > left_) {
    left_ = std::max(kBlockBytes, name.size());
    free_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
  }
  const std::string_view kept(free_, name.size());
  std::copy(name.begin(), name.end(), free_);
  free_ += name.size();
  left_ -= name.size();
  return kept;
}

std::uint32_t CallgrindNames::index_of_number(std::uint64_t number) const {
  if (number < index_by_number_.size()) return index_by_number_[static_cast<std::size_t>(number)];
  const auto far = index_by_far_number_.find(number);
  return far != index_by_far_number_.end() ? far->second : kUndefined;
}

void CallgrindNames::define(std::uint64_t number, std::uint32_t index) {
  if (number >= kNearNumbers) {
    index_by_far_number_.emplace(number, index);
    bytes_ += kBytesPerName;
    return;
  }
  if (number >= index_by_number_.size()) {
    const std::size_t before = index_by_number_.size();
    index_by_number_.resize(static_cast<std::size_t>(number) + 1, kUndefined);
    bytes_ += (index_by_number_.size() - before) * sizeof(std::uint32_t);
  }
  index_by_number_[static_cast<std::size_t>(number)] = index;
}

}  // namespace steelyard
