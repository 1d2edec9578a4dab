#include "bench/counting/reader/callgrind_numbers.hpp"

#include <limits>

namespace steelyard::bench {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr std::uint64_t kLargestCost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};

// The value of one digit; at least `base` for what is none.
unsigned digit_value(char c, unsigned base) {
  const auto decimal = static_cast<unsigned char>(c - '0');
  if (base == 10 || decimal < 10) return decimal;
  const auto letter = static_cast<unsigned char>((c | 0x20) - 'a');
  return letter < 6 ? letter + 10u : base;
}

// At least one digit, up to the first that is none. std::from_chars took half of the reader's time here.
bool take_digits_in_base(std::string_view& text, unsigned base, std::uint64_t& number) {
  // As many digits as fit for certain: 10^18 and 16^15 are below 2^64.
  const std::size_t sure = base == 10 ? 18 : 15;
  std::uint64_t value = 0;
  std::size_t length = 0;
  for (unsigned digit = 0; length < text.size(); ++length) {
    if ((digit = digit_value(text[length], base)) >= base) break;
    if (length < sure) {
      value = value * base + digit;
    } else if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value)) {
      return false;
    }
  }
  text.remove_prefix(length);
  number = value;
  return length > 0;
}

bool take_digits(std::string_view& text, std::uint64_t& number) {
  if (!text.starts_with("0x")) return take_digits_in_base(text, 10, number);
  text.remove_prefix(2);
  return take_digits_in_base(text, 16, number);
}

bool is_at_end_of_word(std::string_view text) { return text.empty() || is_blank(text.front()); }

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

bool read_decimal(std::string_view text, std::uint64_t& number) {
  return take_digits_in_base(text, 10, number) && text.empty();
}

bool read_number(std::string_view text, std::uint64_t& number) { return take_digits(text, number) && text.empty(); }

bool read_cost(std::string_view text, std::int64_t& cost) {
  std::uint64_t number = 0;
  if (!read_number(text, number) || number > kLargestCost) return false;
  cost = static_cast<std::int64_t>(number);
  return true;
}

bool take_position(std::string_view& line, std::uint64_t base, std::uint64_t& position) {
  line = without_leading_blanks(line);
  std::string_view rest = line;
  const char first = rest.empty() ? '\0' : rest.front();
  std::uint64_t number = 0;
  if (first == '+' || first == '-' || first == '*') rest.remove_prefix(1);
  if (first != '*' && !take_digits(rest, number)) return false;
  if (!is_at_end_of_word(rest)) return false;
  if (first == '*') {
    position = base;
  } else if (first == '+') {
    if (__builtin_add_overflow(base, number, &position)) return false;
  } else if (first == '-') {
    if (__builtin_sub_overflow(base, number, &position)) return false;
  } else {
    position = number;
  }
  line = rest;
  return true;
}

bool take_cost(std::string_view& line, std::int64_t& cost) {
  line = without_leading_blanks(line);
  std::string_view rest = line;
  std::uint64_t number = 0;
  if (!take_digits(rest, number) || !is_at_end_of_word(rest) || number > kLargestCost) return false;
  cost = static_cast<std::int64_t>(number);
  line = rest;
  return true;
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

}  // namespace steelyard::bench
