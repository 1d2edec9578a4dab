#include "bench/harness/table_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/harness/task_measurement.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

std::vector<ScaleUnit> scales_of(const std::string& base) {
  if (base == "bytes") return {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
  if (base == "bytes/s") return {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
  if (base == "flop/s") return {{"flop/s", 1}, {"kflop/s", 1e3}, {"Mflop/s", 1e6}, {"Gflop/s", 1e9}, {"Tflop/s", 1e12}};
  if (base == "1/s") return {{"/s", 1}, {"k/s", 1e3}, {"M/s", 1e6}, {"G/s", 1e9}};
  return {{base == "1" || base == "count" ? "" : base, 1}};
}

}  // namespace

ScaleUnit scale_unit(const std::string& base, double smallest) {
  if (base == "s" || base == "ns") {
    const double base_seconds = base == "s" ? 1 : 1e-9;
    const TimeUnit unit = time_unit(smallest * base_seconds);
    return {std::string(unit.name), unit.seconds / base_seconds};
  }
  ScaleUnit chosen;
  for (const ScaleUnit& scale : scales_of(base)) {
    if (scale.size <= smallest || chosen.name.empty()) chosen = scale;
  }
  return chosen;
}

int decimals_that_tell_apart(std::span<const double> values, std::span<const ValuePair> different) {
  constexpr int kWantedDigits = 3;
  constexpr int kMostDigits = 17;  // no double has more to say
  double smallest = std::numeric_limits<double>::infinity();
  bool are_whole = true;
  for (const double value : values) {
    if (value != 0) smallest = std::min(smallest, std::abs(value));
    are_whole = are_whole && value == std::floor(value) && std::abs(value) < 1e15;
  }
  if (std::isinf(smallest) || are_whole) return 0;
  const int leading = static_cast<int>(std::floor(std::log10(smallest))) + 1;
  int decimals = std::max(0, kWantedDigits - leading);
  const auto are_alike = [&](const ValuePair& pair) {
    return decimals_text(values[pair.first], decimals) == decimals_text(values[pair.second], decimals);
  };
  while (decimals + leading < kMostDigits && std::any_of(different.begin(), different.end(), are_alike)) ++decimals;
  return decimals;
}

}  // namespace steelyard
