#include "bench/counting/callgrind_numbers.hpp"

#include <charconv>
#include <limits>

namespace steelyard {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool read_in_base(std::string_view text, int base, std::uint64_t& number) {
  if (text.empty()) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string_view without_leading_blanks(std::string_view text) {
  std::size_t start = 0;
  while (start < text.size() && is_blank(text[start])) ++start;
  return text.substr(start);
}

std::string_view take_word(std::string_view& line) {
  line = without_leading_blanks(line);
  std::size_t end = 0;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool read_decimal(std::string_view text, std::uint64_t& number) { return read_in_base(text, 10, number); }

bool read_number(std::string_view text, std::uint64_t& number) {
  if (text.starts_with("0x")) return read_in_base(text.substr(2), 16, number);
  return read_in_base(text, 10, number);
}

bool read_cost(std::string_view text, std::int64_t& cost) {
  std::uint64_t number = 0;
  if (!read_number(text, number) || number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return false;
  cost = static_cast<std::int64_t>(number);
  return true;
}

bool read_position(std::string_view text, std::uint64_t base, std::uint64_t& position) {
  if (text == "*") return position = base, true;
  if (!text.starts_with('+') && !text.starts_with('-')) return read_number(text, position);
  std::uint64_t step = 0;
  if (!read_number(text.substr(1), step)) return false;
  if (text.front() == '+') return !__builtin_add_overflow(base, step, &position);
  return !__builtin_sub_overflow(base, step, &position);
}

Result<void> read_costs(std::string_view text, std::size_t maximum, std::vector<std::int64_t>& costs) {
  costs.clear();
  for (std::string_view word; !(word = take_word(text)).empty();) {
    if (costs.size() == maximum) {
      return input_error("", quoted(word), "at most " + std::to_string(maximum) + " costs, one per event");
    }
    if (!read_cost(word, costs.emplace_back())) return input_error("", quoted(word), "a cost of at most 63 bits");
  }
  return {};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMaximumBytes = 80;
  std::string shown = "\"";
  for (const char c : text.substr(0, kMaximumBytes)) shown += c >= ' ' && c < '\x7f' ? c : '?';
  return shown + (text.size() > kMaximumBytes ? "...\"" : "\"");
}

bool add_cost(std::int64_t& a, std::int64_t b) { return !__builtin_add_overflow(a, b, &a); }

}  // namespace steelyard
