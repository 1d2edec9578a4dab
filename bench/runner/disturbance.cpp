#include "bench/runner/disturbance.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "bench/model/quantile.hpp"
#include "bench/runner/core_times.hpp"

namespace steelyard {
namespace {

struct DisturbanceIndicator {
  std::string_view cause;  // for people
  double floor = 0;        // below it nothing is worth a word
  // Absent where the system did not tell.
  std::optional<double> (*read)(const Invocation& invocation);
};

constexpr std::size_t kLeastToBeUsual = 4;
constexpr double kDeviations = 6;
constexpr double kMadOfNormal = 1.4826;  // makes the median absolute deviation a standard deviation of normal noise

std::optional<double> share_of_time(std::optional<std::int64_t> amount_ns, const Invocation& invocation) {
  if (!amount_ns || invocation.duration_ns <= 0) return std::nullopt;
  // Both ends of the counting may be off by a tick.
  const auto sure = static_cast<double>(*amount_ns - 2 * tick_ns());
  return std::max(sure, 0.0) / static_cast<double>(invocation.duration_ns);
}

std::optional<double> steal_share(const Invocation& invocation) {
  return share_of_time(invocation.conditions.steal_ns, invocation);
}

std::optional<double> other_share(const Invocation& invocation) {
  return share_of_time(invocation.conditions.other_busy_ns, invocation);
}

std::optional<double> involuntary_switches_per_second(const Invocation& invocation) {
  if (!invocation.conditions.involuntary_switches || invocation.duration_ns <= 0) return std::nullopt;
  return static_cast<double>(*invocation.conditions.involuntary_switches) /
         (static_cast<double>(invocation.duration_ns) * 1e-9);
}

std::optional<double> major_faults(const Invocation& invocation) {
  if (!invocation.conditions.major_faults) return std::nullopt;
  return static_cast<double>(*invocation.conditions.major_faults);
}

std::optional<double> moves_of_a_pinned_process(const Invocation& invocation) {
  if (!invocation.conditions.migrations || invocation.core < 0) return std::nullopt;
  return static_cast<double>(*invocation.conditions.migrations);
}

std::optional<double> clock_drift(const Invocation& invocation) {
  const auto& [before, after] = std::pair(invocation.conditions.mhz_before, invocation.conditions.mhz_after);
  if (!before || !after || *before <= 0) return std::nullopt;
  return std::abs(*after / *before - 1);
}

// In the order in which causes are named. The floors, with their reasons:
// - steal time above 1 % of the process's time, beyond the two ticks that the kernel's counter may be off: the size of
//   the effects that people ask about;
// - other work on its core above 2 %, with the same allowance for the counter;
// - more than 50 involuntary switches a second: a quiet core shows the kernel's own few;
// - a page read from a disk; a pinned process that moved more than once (pinning itself moves it);
// - its core's clock 2 % faster or slower after than before.
constexpr std::array<DisturbanceIndicator, kDisturbanceIndicators> kIndicators{{
    {"steal time", 0.01, steal_share},
    {"other work on its core", 0.02, other_share},
    {"involuntary switches", 50, involuntary_switches_per_second},
    {"pages read from disk", 0, major_faults},
    {"moves to another core", 1, moves_of_a_pinned_process},
    {"a drifting clock", 0.02, clock_drift},
}};

}  // namespace

UsualConditions usual_conditions(std::span<const Invocation> invocations) {
  UsualConditions usual;
  for (std::size_t i = 0; i < kIndicators.size(); ++i) {
    std::vector<double> values;
    for (const Invocation& invocation : invocations) {
      if (const auto value = kIndicators[i].read(invocation)) values.push_back(*value);
    }
    if (values.size() < kLeastToBeUsual) continue;
    const double middle = median(values);
    for (double& value : values) value = std::abs(value - middle);
    usual.limits[i] = middle + kDeviations * kMadOfNormal * median(std::move(values));
  }
  return usual;
}

std::vector<std::string> disturbed_by(const Invocation& invocation, const UsualConditions& usual) {
  std::vector<std::string> causes;
  for (std::size_t i = 0; i < kIndicators.size(); ++i) {
    const auto value = kIndicators[i].read(invocation);
    if (value && *value > kIndicators[i].floor && *value > usual.limits[i]) {
      causes.emplace_back(kIndicators[i].cause);
    }
  }
  return causes;
}

}  // namespace steelyard
