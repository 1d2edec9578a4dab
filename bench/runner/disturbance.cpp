#include "bench/runner/disturbance.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "bench/environment/core_clock.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/parse_number.hpp"
#include "bench/model/quantile.hpp"

namespace steelyard::bench {
namespace {

// The next word of the line, and the line without it.
std::string_view next_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

std::int64_t tick_ns() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? 1'000'000'000 / ticks : 10'000'000;
}

std::optional<CoreTimes> core_times_in(std::string_view stat, int core, std::int64_t tick_ns) {
  constexpr std::int64_t kMaxTicks = std::int64_t{1} << 56;  // of which some can be added
  const std::string wanted = core < 0 ? "cpu" : "cpu" + std::to_string(core);
  for (std::string_view line : lines_of(stat)) {
    if (next_word(line) != wanted) continue;
    // user nice system idle iowait irq softirq steal
    std::array<std::int64_t, 8> ticks{};
    for (std::int64_t& count : ticks) {
      const auto number = parse_number(next_word(line));
      if (!number || *number < 0 || *number > kMaxTicks) return std::nullopt;
      count = *number;
    }
    const std::int64_t busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / tick_ns;
    if (busy > most || ticks[7] > most) return std::nullopt;
    return CoreTimes{busy * tick_ns, ticks[7] * tick_ns};
  }
  return std::nullopt;
}

std::optional<CoreTimes> read_core_times(int core, const std::filesystem::path& root) {
  const auto stat = read_system_file(root / "proc/stat");
  return stat ? core_times_in(*stat, core, tick_ns()) : std::nullopt;
}

std::optional<std::int64_t> migrations_in(std::string_view sched) {
  while (!sched.empty()) {
    std::string_view line = sched.substr(0, sched.find('\n'));
    sched.remove_prefix(std::min(line.size() + 1, sched.size()));
    if (next_word(line) != "se.nr_migrations") continue;
    if (next_word(line) != ":") return std::nullopt;
    const auto count = parse_as<std::int64_t>(next_word(line));
    return count && *count >= 0 ? count : std::nullopt;
  }
  return std::nullopt;
}

namespace {

struct DisturbanceIndicator {
  std::string_view cause;  // for people
  double floor = 0;        // below it nothing is worth a word
  // Absent where the system did not tell.
  std::optional<double> (*read)(const Invocation& invocation);
};

constexpr std::size_t kMinToBeUsual = 4;
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
    if (values.size() < kMinToBeUsual) continue;
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

namespace {

std::int64_t whole_ns(Nanoseconds duration) { return static_cast<std::int64_t>(duration.count()); }

}  // namespace

// The clocks first, so that their own work is not in the times of the core.
ConditionsWatch::ConditionsWatch(std::vector<std::optional<int>> cores) : cores_(std::move(cores)) {
  before_.resize(cores_.size());
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (cores_[i]) before_[i].mhz = core_clock_mhz(*cores_[i]);
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) before_[i].times = read_core_times(cores_[i].value_or(-1));
}

// The times first, for the same reason.
ConditionsWatch::Reading ConditionsWatch::read_after(std::optional<int> core) {
  Reading reading;
  reading.times = read_core_times(core.value_or(-1));
  return reading;
}

std::vector<InvocationConditions> ConditionsWatch::finish(const std::vector<Result<ChildResult>>& children) {
  std::vector<Reading> after;
  for (const std::optional<int>& core : cores_) after.push_back(read_after(core));
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (cores_[i]) after[i].mhz = core_clock_mhz(*cores_[i]);
  }
  std::vector<InvocationConditions> result(cores_.size());
  for (std::size_t i = 0; i < cores_.size() && i < children.size(); ++i) {
    if (!children[i]) continue;
    const ChildResult& child = *children[i];
    InvocationConditions& conditions = result[i];
    conditions.voluntary_switches = child.voluntary_switches;
    conditions.involuntary_switches = child.involuntary_switches;
    conditions.migrations = child.migrations;
    conditions.minor_faults = child.minor_faults;
    conditions.major_faults = child.major_faults;
    ProcessUse all = child.uses.empty() ? child.use : ProcessUse();
    for (const ProcessUse& use : child.uses) {
      all.user_time += use.user_time;
      all.system_time += use.system_time;
    }
    conditions.user_ns = whole_ns(all.user_time);
    conditions.system_ns = whole_ns(all.system_time);
    if (before_[i].times && after[i].times) {
      const std::int64_t busy = after[i].times->busy_ns - before_[i].times->busy_ns;
      conditions.steal_ns = std::max<std::int64_t>(after[i].times->steal_ns - before_[i].times->steal_ns, 0);
      const std::int64_t own = *conditions.user_ns + *conditions.system_ns;
      if (cores_[i] && child.core >= 0) conditions.other_busy_ns = std::max<std::int64_t>(busy - own, 0);
    }
    if (child.core < 0) continue;  // the pinning was refused: it was not on that core
    conditions.mhz_before = before_[i].mhz;
    conditions.mhz_after = after[i].mhz;
  }
  return result;
}

}  // namespace steelyard::bench
