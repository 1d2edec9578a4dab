// Numbers as the sentences of a verdict show them. Locale-free: the same bytes everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/model/interval.hpp"

namespace steelyard {

// Fixed digits after the point: 0.0126, 3 -> "0.013".
std::string fixed_text(double value, int digits);
// A ratio as a change in per cent, signed: 1.0721 -> "+7.21 %", 0.9 -> "-10.0 %", 2.5 -> "+150 %".
std::string change_text(double ratio);
// Both ends of an interval of ratios: "-0.40 % to +1.20 %".
std::string range_text(const Interval& ratios);
// A share in per cent, unsigned: 0.01 -> "1 %", 0.0345 -> "3.45 %".
std::string share_text(double share);
// Thousands apart: 12447 -> "12,447"; up to two digits after the point where it is not whole.
std::string count_text(double value);
// p and q: 0.0321 -> "0.032", 0.00004 -> "4e-05".
std::string probability_text(double p);
// With its unit, three significant digits: "812 ns". Also "NaN", "infinity" and "-infinity".
std::string number_text(double value, std::string_view unit);
// The day in UTC: 1795305600 -> "2026-11-22". Times outside of 1970 to 9999 are told as the nearest day inside.
std::string date_text(std::int64_t at_unix_s);
// 1, "round" -> "1 round"; 12, "round" -> "12 rounds".
std::string plural_text(std::int64_t count, std::string_view noun);

}  // namespace steelyard
