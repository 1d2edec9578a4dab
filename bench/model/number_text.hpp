// Numbers as people read them, in sentences and in tables: the one place that says how many digits a figure has, so
// that it reads the same wherever it stands. Not for programs: JSON carries base units and every digit. Locale-free:
// the same bytes everywhere.
//
//     change_text(1.0721)        -> "+7.21 %"
//     level_text(1071.3, "ns")   -> "1.07 us"
//
// A percentage has three significant digits and at most two behind the point.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/interval.hpp"

namespace steelyard {

// Changes. A ratio as a signed percentage: 1.0721 -> "+7.21 %", 0.9 -> "-10.0 %", 2.5 -> "+150 %". What two digits
// behind the point do not show is "+0.003 %", "< 0.001 %" (of either sign) or "0 %", from ten times on it is "x 12.5",
// and "-" where it is not finite. So it reads in cells and in sentences.
std::string change_text(double ratio);
// Without a factor, of a part that was added or taken away: 0.0721 -> "+7.21 %", 12.5 -> "+1250 %".
std::string part_cell(double part);
// A ratio as a percentage with at most two digits behind the point, however large or small: "+1149 %", "+0.00 %". For
// ends of intervals and single rounds; and for sentences that are kept, which a replay holds against older ones.
std::string plain_change_text(double ratio);
// Both ends of the interval of a change, in the form of the change: "-0.40 % to +1.20 %", and as a cell with the unit
// once, "[-0.40, +1.20] %"; of one that change_text() writes as a factor "x 9.80 to x 14.9", "[x 9.80, x 14.9]".
std::string range_text(const Interval& ratios, double ratio);
std::string range_cell(const Interval& ratios, double ratio);
// Whether change_text() writes it as a factor.
bool reads_as_factor(double ratio);
// In percent however large, for sentences that are kept.
std::string plain_range_text(const Interval& ratios);

// A share in per cent, unsigned: 0.01 -> "1 %", 0.0345 -> "3.45 %".
std::string share_text(double share);
// With the digits of its column: 0.5, 1 -> "50.0 %".
std::string share_text(double share, int decimals);
// As share_text(), three digits however small: "0.02 %", "2e-06 %".
std::string small_share_text(double share);
// Of a number that is written with three significant digits and no exponent, from .01 to 1000: 0 to 2.
int digits_after_point(double value);
// A p or q, adjusted or not: 0.0321 -> "0.032", 0.00004 -> "4e-05".
std::string p_value_text(double p);

// Counts. Thousands apart: 12447 -> "12,447"; up to two digits after the point where it is not whole.
std::string count_text(double value);
std::string with_commas(const std::string& number);  // before the point: "-1234567.5" -> "-1,234,567.5"
// Of any size: "1,234,567".
std::string grouped_text(std::integral auto count) { return with_commas(std::to_string(count)); }
// By how much a cost changed: "+1,234", "-0.25", "0"; two decimals where it is not whole.
std::string cost_change_text(double change);
// 1, "round" -> "1 round"; 12, "round" -> "12 rounds". With the words for many where an s does not make them:
// 2, "size is", "sizes are" -> "2 sizes are".
std::string plural_text(std::integral auto count, std::string_view one, std::string_view many = "") {
  return std::to_string(count).append(" ").append(count == 1 || many.empty() ? one : many) +
         (count == 1 || !many.empty() ? "" : "s");
}

// Levels. With its unit, three significant digits: "812 ns". Also "NaN", "infinity" and "-infinity".
std::string number_text(double value, std::string_view unit);
// In the scale that keeps it between 1 and 1000; of a metric's base unit ("ns", "count", "bytes", "bytes/s", "flop/s",
// "1/s", "1", or a user's own).
std::string level_text(double value, const std::string& unit);
// Two levels in one common scale, so that the eye compares digits: {"812", "871", "ns"}. An absent side is empty.
struct LevelPair {
  std::string baseline;
  std::string candidate;
  std::string unit;
};
LevelPair level_pair(std::optional<double> baseline, std::optional<double> candidate, const std::string& unit);
// What has no rule here; "-" where the value is not finite, and never "-0".
std::string decimal_text(double value, int decimals);

// The day in UTC: 1795305600 -> "2026-11-22". Times outside of 1970 to 9999 are told as the nearest day inside.
std::string date_text(std::int64_t at_unix_s);
// "2026-07-31T09:24:06Z", UTC; what is left of the second is dropped.
std::string time_text(std::int64_t unix_ns);

}  // namespace steelyard
