#include "bench/runner/conditions_watch.hpp"

#include <algorithm>

#include "bench/environment/core_clock.hpp"

namespace steelyard {
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
    conditions.user_ns = whole_ns(child.user_time);
    conditions.system_ns = whole_ns(child.system_time);
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

}  // namespace steelyard
