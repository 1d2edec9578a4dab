#include "bench/model/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace steelyard {
namespace {

struct Scale {
  const char* suffix;
  double base_units;
};
constexpr std::array kDurationScales{Scale{"ns", 1},  Scale{"us", 1e3}, Scale{"ms", 1e6},
                                     Scale{"s", 1e9}, Scale{"m", 60e9}, Scale{"h", 3600e9}};

// Clocks count nanoseconds in 64-bit integers, which end after 292 years; nobody measures for more than a year.
constexpr double kLongest = 366 * 24 * 3600e9;

// Three significant digits, never in exponent form for 1 <= value < 1000.
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

}  // namespace

Result<Nanoseconds> parse_duration(std::string_view text, std::string_view where) {
  const auto refuse = [&](std::string fix) {
    return input_error(std::string(where), '"' + std::string(text) + '"', "a duration with its unit (ns us ms s m h)",
                       std::move(fix));
  };
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !std::isfinite(number)) return refuse("write for example \"2s\"");
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.empty()) return refuse("write \"" + std::string(text) + "s\" if seconds are meant");
  if (number < 0) return refuse("a duration cannot be negative");
  for (const Scale& scale : kDurationScales) {
    if (suffix != scale.suffix) continue;
    const double count = number * scale.base_units;
    if (count <= kLongest) return Nanoseconds(count);
    return input_error(std::string(where), '"' + std::string(text) + '"', "at most 366 days",
                       "write \"8784h\" or less");
  }
  return refuse("write for example \"2s\"");
}

std::string to_text(Nanoseconds duration) {
  const double ns = duration.count();
  const double size = std::abs(ns);
  if (size < 999.5) return three_digits(ns) + " ns";
  if (size < 999.5e3) return three_digits(ns / 1e3) + " us";
  if (size < 999.5e6) return three_digits(ns / 1e6) + " ms";
  return three_digits(ns / 1e9) + " s";
}

std::string to_text(Bytes amount) {
  const auto count = static_cast<double>(amount.count());
  const double size = std::abs(count);
  if (size < 1024) return std::to_string(amount.count()) + " B";
  if (size < 1024.0 * 1024) return three_digits(count / 1024) + " KiB";
  if (size < 1024.0 * 1024 * 1024) return three_digits(count / (1024.0 * 1024)) + " MiB";
  return three_digits(count / (1024.0 * 1024 * 1024)) + " GiB";
}

}  // namespace steelyard
