#include "bench/model/number_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <span>

#include "bench/model/text.hpp"

namespace steelyard {
namespace {

std::string three_digits(double value) { return significant_text(value, 3); }

std::string signed_percent(double percent) {
  const std::string number = decimals_text(percent, digits_after_point(percent));
  return number.front() == '-' ? number : '+' + number;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

struct Scale {
  const char* unit;
  double base_units;
};
constexpr std::array kDurations{Scale{"ns", 1}, Scale{"us", 1e3}, Scale{"ms", 1e6}, Scale{"s", 1e9}};
constexpr std::array kCounts{Scale{"", 1}, Scale{"k", 1e3}, Scale{"M", 1e6}, Scale{"G", 1e9}, Scale{"T", 1e12}};
constexpr std::array kBytes{Scale{"B", 1}, Scale{"KiB", 1024}, Scale{"MiB", 1048576}, Scale{"GiB", 1073741824},
                            Scale{"TiB", 1099511627776}};
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
  if (size >= 0.09995) return 2;
  return std::min(9, 2 - static_cast<int>(std::floor(std::log10(size))));
}

// Whole counts below this are printed with every digit, because a count is exact and 7,015 is no harder to read than
// 7.02 k.
constexpr double kGroupedBelow = 1e6;
bool is_small_whole(double value) { return std::abs(value) < kGroupedBelow && value == std::floor(value); }

bool is_exact_unit(const std::string& unit) { return unit == "count"; }

std::string factor_text(double ratio) {
  return std::isfinite(100 * ratio) ? "x " + decimal_text(ratio, decimals_for(std::abs(ratio))) : "-";
}

}  // namespace

int digits_after_point(double value) {
  const double size = std::fabs(value);
  if (size >= 99.95) return 0;
  return size >= 9.995 ? 1 : 2;
}

bool reads_as_factor(double ratio) {
  // Past this a percentage is harder to read than a factor.
  constexpr double kFactorFrom = 10;
  return std::isfinite(ratio) && ratio >= kFactorFrom;
}

std::string change_text(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  return reads_as_factor(ratio) ? factor_text(ratio) : part_cell(ratio - 1);
}

std::string plain_change_text(double ratio) { return signed_percent(100 * (ratio - 1)) + " %"; }

std::string part_cell(double part) {
  if (!std::isfinite(part)) return "-";
  const double percent = part * 100;
  const double size = std::abs(percent);
  // A ratio of equal values may carry the rounding of one division.
  if (size < 1e-10) return "0 %";
  if (size < 0.0005) return "< 0.001 %";  // of a count it may be real, of a time it says nothing
  if (size < 0.005) return (percent < 0 ? "-" : "+") + decimal_text(size, 3) + " %";
  return signed_percent(percent) + " %";
}

std::string plain_range_text(const Interval& ratios) {
  return plain_change_text(ratios.low) + " to " + plain_change_text(ratios.high);
}

std::string range_text(const Interval& ratios, double ratio) {
  if (!reads_as_factor(ratio)) return plain_range_text(ratios);
  return factor_text(ratios.low) + " to " + factor_text(ratios.high);
}

std::string range_cell(const Interval& ratios, double ratio) {
  const bool is_factor = reads_as_factor(ratio);
  const auto end_text = [is_factor](double end) -> std::string {
    if (is_factor) return factor_text(end);
    const double percent = 100 * (end - 1);
    if (!std::isfinite(percent)) return "-";
    const std::string text = signed_percent(percent);
    return text.find_first_not_of("+-0.") == std::string::npos ? text.substr(1) : text;
  };
  return '[' + end_text(ratios.low) + ", " + end_text(ratios.high) + (is_factor ? "]" : "] %");
}

std::string share_text(double share) {
  const double percent = 100 * share;
  return without_trailing_zeros(decimals_text(percent, digits_after_point(percent))) + " %";
}

std::string share_text(double share, int decimals) { return decimal_text(100 * share, decimals) + " %"; }

std::string small_share_text(double share) {
  const double percent = 100 * share;
  return percent == 0 || percent >= 0.01 ? share_text(share) : three_digits(percent) + " %";
}

std::string p_value_text(double p) {
  if (!std::isfinite(p)) return "-";
  if (p >= 0.001) return without_trailing_zeros(decimals_text(p, p >= 0.1 ? 2 : 3));
  return significant_text(p, 1);
}

std::string with_commas(const std::string& number) {
  const std::size_t first = number.front() == '-' ? 1 : 0;
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string text;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (i > first && i < point && (point - i) % 3 == 0) text += ',';
    text += number[i];
  }
  return text;
}

std::string count_text(double value) { return with_commas(without_trailing_zeros(decimals_text(value, 2))); }

std::string cost_change_text(double change) {
  const bool is_whole = std::floor(change) == change && std::abs(change) < 1e15;
  const std::string digits = is_whole ? grouped_text(static_cast<std::int64_t>(change)) : decimal_text(change, 2);
  return change > 0 ? "+" + digits : digits;
}

std::string number_text(double value, std::string_view unit) {
  std::string text;
  if (std::isnan(value)) {
    text = "NaN";
  } else if (std::isinf(value)) {
    text = value > 0 ? "infinity" : "-infinity";
  } else {
    text = three_digits(value);
  }
  return unit.empty() ? text : text + ' ' + std::string(unit);
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

std::string decimal_text(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  std::string result = decimals_text(value, std::clamp(decimals, 0, 9));
  // "-0.0" says nothing that "0.0" does not.
  if (result.find_first_not_of("-0.") == std::string::npos && result.front() == '-') result.erase(0, 1);
  return result;
}

namespace {

std::string two_digits(unsigned number) { return (number < 10 ? "0" : "") + std::to_string(number); }

std::string day_text(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  return std::to_string(static_cast<int>(date.year())) + "-" + two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day()));
}

}  // namespace

std::string date_text(std::int64_t at_unix_s) {
  constexpr std::int64_t kLast = 253'402'300'799;
  const std::chrono::sys_seconds instant{std::chrono::seconds(std::clamp<std::int64_t>(at_unix_s, 0, kLast))};
  return day_text(std::chrono::floor<std::chrono::days>(instant));
}

std::string time_text(std::int64_t unix_ns) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::nanoseconds> instant{std::chrono::nanoseconds(unix_ns)};
  const auto day = floor<std::chrono::days>(instant);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::seconds>(instant - day));
  const auto two = [](auto count) { return two_digits(static_cast<unsigned>(count.count())); };
  return day_text(day) + "T" + two(clock.hours()) + ":" + two(clock.minutes()) + ":" + two(clock.seconds()) + "Z";
}

}  // namespace steelyard
