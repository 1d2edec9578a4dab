#include "bench/model/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

struct DurationScale {
  const char* suffix;
  double base_units;
};
constexpr std::array kDurationScales{DurationScale{"ns", 1},  DurationScale{"us", 1e3}, DurationScale{"ms", 1e6},
                                     DurationScale{"s", 1e9}, DurationScale{"m", 60e9}, DurationScale{"h", 3600e9}};

// Clocks count nanoseconds in 64-bit integers, which end after 292 years; nobody measures for more than a year.
constexpr double kLongest = 366 * 24 * 3600e9;

// Three significant digits, never in exponent form.
std::string plain_digits(double value) { return decimals_text(value, digits_after_point(value)); }

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
  if (suffix.empty() && number == 0) return refuse("write for example \"2s\"");
  if (suffix.empty()) return refuse("write \"" + std::string(text) + "s\" if seconds are meant");
  if (number < 0) return refuse("a duration cannot be negative");
  for (const DurationScale& scale : kDurationScales) {
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
  if (size < 999.5) return plain_digits(ns) + " ns";
  if (size < 999.5e3) return plain_digits(ns / 1e3) + " us";
  if (size < 999.5e6) return plain_digits(ns / 1e6) + " ms";
  return plain_digits(ns / 1e9) + " s";
}

std::string to_text(Bytes amount) {
  const auto count = static_cast<double>(amount.count());
  const double size = std::abs(count);
  if (size < 1024) return std::to_string(amount.count()) + " B";
  return level_text(count, "bytes");
}

}  // namespace steelyard
