#include "bench/counting/counters/hardware_report.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace steelyard {
namespace {

constexpr std::size_t kMostPasses = 100'000;  // repetitions times threads: nobody has more
// Beyond it the counter ran for too little of the time to speak of the rest.
constexpr double kLeastShare = 1e-6;

template <class Number>
bool read_number(std::string_view& line, Number& number) {
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (code != std::errc()) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return true;
}

bool read_reading(std::string_view line, HardwarePass& pass) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || blank == 0) return false;
  const std::string metric(line.substr(0, blank));
  line.remove_prefix(blank);
  HardwareReading reading = {};
  if (!read_number(line, reading.value) || !read_number(line, reading.enabled_ns) ||
      !read_number(line, reading.running_ns) || !line.empty()) {
    return false;
  }
  return pass.readings.try_emplace(metric, reading).second;
}

}  // namespace

std::optional<std::vector<HardwarePass>> parse_hardware_report(std::string_view text) {
  constexpr std::string_view kPass = "pass";
  std::vector<HardwarePass> passes;
  bool is_inside = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!is_inside) {
      if (!line.starts_with(kPass) || passes.size() >= kMostPasses) return std::nullopt;
      line.remove_prefix(kPass.size());
      if (!read_number(line, passes.emplace_back().iterations) || !line.empty()) return std::nullopt;
      is_inside = true;
    } else if (line == "end") {
      is_inside = false;
    } else if (!read_reading(line, passes.back())) {
      return std::nullopt;
    }
  }
  if (is_inside) return std::nullopt;
  return passes;
}

std::optional<double> scaled(const HardwareReading& reading) {
  const auto value = static_cast<double>(reading.value);
  if (reading.enabled_ns == 0 || reading.running_ns >= reading.enabled_ns) return value;
  const double share = static_cast<double>(reading.running_ns) / static_cast<double>(reading.enabled_ns);
  if (share < kLeastShare) return std::nullopt;
  return value / share;
}

std::map<std::string, HardwareValue> per_iteration(const std::vector<HardwarePass>& passes) {
  std::int64_t most = 0;
  for (const HardwarePass& pass : passes) most = std::max(most, pass.iterations);
  struct Sum {
    double count = 0;
    double iterations = 0;
    double enabled = 0;
    double running = 0;
    bool is_whole = true;
  };
  std::map<std::string, Sum> sums;
  for (const HardwarePass& pass : passes) {
    if (most == 0 || pass.iterations != most) continue;
    for (const auto& [metric, reading] : pass.readings) {
      Sum& sum = sums[metric];
      const std::optional<double> count = scaled(reading);
      sum.is_whole = sum.is_whole && count;
      sum.count += count.value_or(0);
      sum.iterations += static_cast<double>(pass.iterations);
      sum.enabled += static_cast<double>(reading.enabled_ns);
      sum.running += static_cast<double>(std::min(reading.running_ns, reading.enabled_ns));
    }
  }
  std::map<std::string, HardwareValue> values;
  for (const auto& [metric, sum] : sums) {
    if (!sum.is_whole) continue;
    values[metric] = {sum.count / sum.iterations, sum.enabled > 0 ? sum.running / sum.enabled : 1};
  }
  return values;
}

}  // namespace steelyard
