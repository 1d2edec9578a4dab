// Times as traces of Chrome's format have them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "bench/profile/trace.hpp"

namespace steelyard::bench {

// Microseconds as a decimal number, to whole nanoseconds: by its digits, as a double has too few for times since 1970.
// No value: the time is beyond kMaxTraceTime.
inline std::optional<std::int64_t> ns_of_microseconds(std::string_view text) {
  const auto within = [](std::int64_t ns) {
    return ns >= -kMaxTraceTime && ns <= kMaxTraceTime ? std::optional(ns) : std::nullopt;
  };
  if (text.find_first_of("eE") != std::string_view::npos) {
    const double ns = std::strtod(std::string(text).c_str(), nullptr) * 1e3;
    return std::abs(ns) < 9e18 ? within(std::llround(ns)) : std::nullopt;
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string_view decimals = point < text.size() ? text.substr(point + 1) : std::string_view();
  const bool rounds_up = decimals.size() > 3 && decimals[3] >= '5';
  digits += std::string(decimals.substr(0, 3)) + std::string(3 - std::min<std::size_t>(3, decimals.size()), '0');
  std::int64_t ns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ns);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  const bool is_exact = !rounds_up || !within(ns);
  return within(is_exact ? ns : ns + (text.starts_with('-') ? -1 : 1));
}

}  // namespace steelyard::bench
