// A text that is a number and nothing else, of no locale: no blanks, no "+", nothing behind it. Not for numbers with a
// unit, nor for what begins with one.
//
//     parse_as<int>("12")  -> 12;  parse_as<int>("12 ms"), parse_as<int>("")  -> absent
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace steelyard {

// Absent too where the number does not fit. Of floating-point types also "inf" and "nan".
template <class Number>
std::optional<Number> parse_as(std::string_view text) {
  Number number{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace steelyard
