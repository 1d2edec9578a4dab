// Numbers as people read them: few digits, a unit that keeps them between 1 and 1000, a ratio as a signed percentage.
// Not for programs: JSON carries base units and every digit. Never depends on the locale.
//
//     level_text(1071.3, "ns")   -> "1.07 us"
//     per_cent_text(1.0721)      -> "+7.2 %"
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/model/comparison.hpp"

namespace steelyard {

std::string decimal_text(double value, int decimals);  // "-" where the value is not finite
std::string grouped_text(std::int64_t count);          // "1,234,567"
// By how much a cost changed: "+1,234", "-0.25", "0"; two decimals where it is not whole.
std::string cost_change_text(double change);

// A level in its metric's base unit ("ns", "count", "bytes", "bytes/s", "flop/s", "1/s", "1", or a user's own).
std::string level_text(double value, const std::string& unit);

// Two levels in one common scale, so that the eye compares digits: {"812", "871", "ns"}. An absent side is empty.
struct LevelPair {
  std::string baseline;
  std::string candidate;
  std::string unit;
};
LevelPair level_pair(std::optional<double> baseline, std::optional<double> candidate, const std::string& unit);

// "+7.2 %", "-0.04 %", "< 0.001 %" (of either sign), "0 %"; from ten times on "x 12.5".
std::string per_cent_text(double ratio);
// A part that was added or taken away: 0.072 -> "+7.2 %", 12.5 -> "+1250 %".
std::string signed_part_text(double part);
// In percent: "[+6.1, +8.3]".
std::string interval_text(const Interval& interval);
// A level such as 0.05 or 0.01: "5 %", "0.1 %".
std::string percent_text(double part);
// "0.012", "8e-08".
std::string chance_text(double p);

// "2026-07-31T09:24:06Z", UTC; what is left of the second is dropped.
std::string time_text(std::int64_t unix_ns);

}  // namespace steelyard
