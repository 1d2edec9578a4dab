#include "ci/report/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <span>

#include "bench/model/text.hpp"

namespace steelyard {
namespace {

struct Scale {
  const char* unit;
  double base_units;
};
constexpr std::array kDurations{Scale{"ns", 1}, Scale{"us", 1e3}, Scale{"ms", 1e6}, Scale{"s", 1e9}};
constexpr std::array kCounts{Scale{"", 1}, Scale{"k", 1e3}, Scale{"M", 1e6}, Scale{"G", 1e9}, Scale{"T", 1e12}};
constexpr std::array kBytes{Scale{"B", 1}, Scale{"KiB", 1024}, Scale{"MiB", 1048576}, Scale{"GiB", 1073741824}};
constexpr std::array kByteRates{Scale{"B/s", 1}, Scale{"kB/s", 1e3}, Scale{"MB/s", 1e6}, Scale{"GB/s", 1e9},
                                Scale{"TB/s", 1e12}};
constexpr std::array kFlopRates{Scale{"flop/s", 1}, Scale{"kflop/s", 1e3}, Scale{"Mflop/s", 1e6}, Scale{"Gflop/s", 1e9},
                                Scale{"Tflop/s", 1e12}};
constexpr std::array kOperationRates{Scale{"op/s", 1}, Scale{"kop/s", 1e3}, Scale{"Mop/s", 1e6}, Scale{"Gop/s", 1e9},
                                     Scale{"Top/s", 1e12}};
constexpr std::array kRates{Scale{"/s", 1}, Scale{"k/s", 1e3}, Scale{"M/s", 1e6}, Scale{"G/s", 1e9}};
constexpr std::array kPlain{Scale{"", 1}};

std::span<const Scale> scales_of(const std::string& unit) {
  if (unit == "ns") return kDurations;
  if (unit == "count") return kCounts;
  if (unit == "bytes") return kBytes;
  if (unit == "bytes/s") return kByteRates;
  if (unit == "flop/s") return kFlopRates;
  if (unit == "op/s") return kOperationRates;
  if (unit == "1/s") return kRates;
  return kPlain;
}

// The largest scale in which `size` is at least one; the rounding to three digits is taken into account, so 999.7 ns
// is 1.00 us.
const Scale& scale_for(double size, std::span<const Scale> scales) {
  const Scale* chosen = &scales.front();
  for (const Scale& scale : scales) {
    if (size >= scale.base_units * 0.9995) chosen = &scale;
  }
  return *chosen;
}

// Decimals that leave three significant digits.
int decimals_for(double size) {
  if (size == 0) return 0;
  if (size >= 99.95) return 0;
  if (size >= 9.995) return 1;
  if (size >= 0.1) return 2;
  return std::min(9, 2 - static_cast<int>(std::floor(std::log10(size))));
}

// Whole counts below this are printed with every digit, because a count is exact and 7,015 is no harder to read than
// 7.02 k.
constexpr double kGroupedBelow = 1e6;
bool is_small_whole(double value) { return std::abs(value) < kGroupedBelow && value == std::floor(value); }

bool is_exact_unit(const std::string& unit) { return unit == "count"; }

}  // namespace

std::string decimal_text(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  std::string result = decimals_text(value, std::clamp(decimals, 0, 9));
  // "-0.0" says nothing that "0.0" does not.
  if (result.find_first_not_of("-0.") == std::string::npos && result.front() == '-') result.erase(0, 1);
  return result;
}

std::string grouped_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string cost_change_text(double change) {
  const bool is_whole = std::floor(change) == change && std::abs(change) < 1e15;
  const std::string digits = is_whole ? grouped_text(static_cast<std::int64_t>(change)) : decimal_text(change, 2);
  return change > 0 ? "+" + digits : digits;
}

std::string level_text(double value, const std::string& unit) {
  const LevelPair pair = level_pair(value, std::nullopt, unit);
  return pair.unit.empty() ? pair.baseline : pair.baseline + " " + pair.unit;
}

LevelPair level_pair(std::optional<double> baseline, std::optional<double> candidate, const std::string& unit) {
  LevelPair pair;
  const auto usable = [](const std::optional<double>& value) { return value && std::isfinite(*value); };
  const bool has_baseline = usable(baseline);
  const bool has_candidate = usable(candidate);
  const auto write = [&](auto&& text_of) {
    if (has_baseline) pair.baseline = text_of(*baseline);
    if (has_candidate) pair.candidate = text_of(*candidate);
  };
  const bool small = (!has_baseline || is_small_whole(*baseline)) && (!has_candidate || is_small_whole(*candidate));
  if (is_exact_unit(unit) && small) {
    write([](double value) { return grouped_text(static_cast<std::int64_t>(value)); });
    return pair;
  }
  const double a = has_baseline ? std::abs(*baseline) : std::abs(candidate.value_or(0));
  const double b = has_candidate ? std::abs(*candidate) : a;
  const std::span<const Scale> scales = scales_of(unit);
  const Scale& scale = scale_for(std::max(a, b), scales);
  // One digit more for what is exact: its changes are often below a tenth of a percent.
  const double smaller = std::min(a, b) == 0 ? std::max(a, b) : std::min(a, b);
  const int decimals = decimals_for(smaller / scale.base_units) + (is_exact_unit(unit) ? 1 : 0);
  write([&](double value) { return decimal_text(value / scale.base_units, decimals); });
  pair.unit = scales.size() > 1 || unit == "1" ? scale.unit : unit;
  return pair;
}

std::string per_cent_text(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  // Past this a percentage is harder to read than a factor.
  constexpr double kFactorFrom = 10;
  if (ratio >= kFactorFrom) return "x " + decimal_text(ratio, ratio < 100 ? 1 : 0);
  return signed_part_text(ratio - 1);
}

std::string signed_part_text(double part) {
  if (!std::isfinite(part)) return "-";
  const double percent = part * 100;
  const double size = std::abs(percent);
  // A ratio of equal values may carry the rounding of one division.
  if (size < 1e-10) return "0 %";
  const std::string sign = percent < 0 ? "-" : "+";
  if (size < 0.0005) return "< 0.001 %";  // of a count it may be real, of a time it says nothing
  if (size < 0.005) return sign + decimal_text(size, 3) + " %";
  return sign + decimal_text(size, size < 0.095 ? 2 : size < 99.95 ? 1 : 0) + " %";
}

std::string interval_text(const Interval& interval) {
  const double low = (interval.low - 1) * 100;
  const double high = (interval.high - 1) * 100;
  const double size = std::max(std::abs(low), std::abs(high));
  const int decimals = size < 0.095 ? 2 : size < 99.95 ? 1 : 0;
  const auto signed_text = [&](double percent) {
    const std::string text = decimal_text(percent, decimals);
    return text.find_first_not_of("0.") == std::string::npos || text.front() == '-' ? text : "+" + text;
  };
  return "[" + signed_text(low) + ", " + signed_text(high) + "]";
}

std::string percent_text(double part) {
  std::string digits = decimal_text(part * 100, 3);
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits + " %";
}

std::string chance_text(double p) {
  if (!std::isfinite(p)) return "-";
  if (p >= 0.9995) return "1";
  if (p >= 0.001) return decimal_text(p, p < 0.0995 ? 3 : 2);
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), p, std::chars_format::scientific, 0);
  return std::string(text.data(), result.ptr);
}

std::string time_text(std::int64_t unix_ns) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::nanoseconds> instant{std::chrono::nanoseconds(unix_ns)};
  const auto day = floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::seconds>(instant - day));
  const auto two = [](auto number) {
    const std::string digits = std::to_string(number);
    return digits.size() < 2 ? "0" + digits : digits;
  };
  return std::to_string(static_cast<int>(date.year())) + "-" + two(static_cast<unsigned>(date.month())) + "-" +
         two(static_cast<unsigned>(date.day())) + "T" + two(clock.hours().count()) + ":" +
         two(clock.minutes().count()) + ":" + two(clock.seconds().count()) + "Z";
}

}  // namespace steelyard
