#include "regress/ab/wording.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace steelyard {
namespace {

std::string written(double value, std::chars_format format, int precision) {
  std::array<char, 400> buffer{};  // the longest double in fixed notation has 309 digits before the point
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  return code == std::errc() ? std::string(buffer.data(), end) : std::string("?");
}

// Three significant digits of a percentage that is usually between 0.01 and 1000.
int digits_after_point(double percent) {
  const double size = std::fabs(percent);
  if (size >= 99.95) return 0;
  return size >= 9.995 ? 1 : 2;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string fixed_text(double value, int digits) { return written(value, std::chars_format::fixed, digits); }

std::string change_text(double ratio) {
  const double percent = 100 * (ratio - 1);
  const std::string number = fixed_text(percent, digits_after_point(percent));
  std::string text;
  if (number.front() != '-') text += '+';
  text += number;
  return text + " %";
}

std::string range_text(const Interval& ratios) { return change_text(ratios.low) + " to " + change_text(ratios.high); }

std::string share_text(double share) {
  const double percent = 100 * share;
  return without_trailing_zeros(fixed_text(percent, digits_after_point(percent))) + " %";
}

std::string count_text(double value) {
  const std::string number = without_trailing_zeros(fixed_text(value, 2));
  const std::size_t first = number.front() == '-' ? 1 : 0;
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string text;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (i > first && i < point && (point - i) % 3 == 0) text += ',';
    text += number[i];
  }
  return text;
}

std::string probability_text(double p) {
  return p >= 0.001 ? without_trailing_zeros(fixed_text(p, p >= 0.1 ? 2 : 3))
                    : written(p, std::chars_format::general, 1);
}

std::string number_text(double value, std::string_view unit) {
  std::string text;
  if (std::isnan(value)) {
    text = "NaN";
  } else if (std::isinf(value)) {
    text = value > 0 ? "infinity" : "-infinity";
  } else {
    text = written(value, std::chars_format::general, 3);
  }
  return unit.empty() ? text : text + ' ' + std::string(unit);
}

// Days become a date by eras of 400 years that begin in March, so that a leap day ends its year (H. Hinnant,
// chrono-Compatible Low-Level Date Algorithms, civil_from_days): what judges includes no clock.
std::string date_text(std::int64_t at_unix_s) {
  constexpr std::int64_t kLast = 253'402'300'799;
  constexpr std::int64_t kDaysOfEra = 146'097;
  const std::int64_t days = std::clamp<std::int64_t>(at_unix_s, 0, kLast) / 86'400 + 719'468;  // since 0000-03-01
  const std::int64_t of_era = days % kDaysOfEra;
  const std::int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t from_march = (5 * of_year + 2) / 153;
  const std::int64_t day = of_year - (153 * from_march + 2) / 5 + 1;
  const std::int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
  const std::int64_t year = days / kDaysOfEra * 400 + year_of_era + (month <= 2 ? 1 : 0);
  const auto two = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return std::to_string(year) + '-' + two(month) + '-' + two(day);
}

std::string plural_text(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace steelyard
