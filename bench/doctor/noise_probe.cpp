#include "bench/doctor/noise_probe.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "bench/environment/cgroup_limits.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/quantile.hpp"

namespace steelyard::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Long beside a reading of the clock, short beside a slice of the scheduler.
constexpr double kSliceNanoseconds = 100e3;

double nanoseconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

// A chain in which each step waits for the one before, so that nothing but the clock of the core sets its pace.
void spin(std::int64_t steps) {
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));
  }
}

// In batches, of which the median counts: an interruption would spoil a mean.
ClockReading read_clock() {
  constexpr int kBatches = 101;
  constexpr int kReadings = 200;
  ClockReading reading;
  std::array<double, kBatches> costs{};
  for (double& cost : costs) {
    const Clock::time_point start = Clock::now();
    Clock::time_point before = start;
    for (int i = 0; i < kReadings; ++i) {
      const Clock::time_point now = Clock::now();
      const double step = nanoseconds_between(before, now);
      if (step > 0 && (reading.step_ns == 0 || step < reading.step_ns)) reading.step_ns = step;
      before = now;
    }
    cost = nanoseconds_between(start, before) / kReadings;
  }
  std::nth_element(costs.begin(), costs.begin() + kBatches / 2, costs.end());
  reading.read_ns = costs[kBatches / 2];
  return reading;
}

// Steps that fill a slice; the fastest of several tries, so that an interruption does not shorten it.
std::int64_t steps_of_a_slice() {
  constexpr std::int64_t kSteps = 10000;
  constexpr int kTries = 10;
  double fastest = 0;
  for (int i = 0; i < kTries; ++i) {
    const Clock::time_point start = Clock::now();
    spin(kSteps);
    const double took = nanoseconds_between(start, Clock::now());
    if (took > 0 && (fastest == 0 || took < fastest)) fastest = took;
  }
  if (fastest == 0) return kSteps;
  return std::max<std::int64_t>(1, std::llround(kSliceNanoseconds / fastest * static_cast<double>(kSteps)));
}

std::int64_t involuntary_switches_now() {
  rusage usage = {};
  return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? std::int64_t{usage.ru_nivcsw} : 0;
}

}  // namespace

SliceSummary summarize_slices(std::vector<double> slices_ns) {
  std::sort(slices_ns.begin(), slices_ns.end());
  SliceSummary summary;
  summary.slices = static_cast<std::int64_t>(slices_ns.size());
  summary.median_ns = quantile_of_sorted(slices_ns, 0.5);
  double total = 0;
  double above = 0;
  for (const double slice : slices_ns) {
    total += slice;
    above += std::max(0.0, slice - summary.median_ns);
  }
  summary.spread = (quantile_of_sorted(slices_ns, 0.9) - quantile_of_sorted(slices_ns, 0.1)) / summary.median_ns;
  summary.lost = above / total;
  summary.longest = slices_ns.back() / summary.median_ns;
  return summary;
}

ProbeResult probe_noise(Nanoseconds duration) {
  const double wanted_ns = std::clamp(duration.count(), 1e6, 60e9);
  ProbeResult result;
  result.clock = read_clock();
  const std::int64_t steps = steps_of_a_slice();
  const auto throttled_before = read_cgroup_throttling();
  const auto time_before = read_processor_time();
  const std::int64_t switches_before = involuntary_switches_now();
  std::vector<double> slices;
  slices.reserve(static_cast<std::size_t>(wanted_ns / kSliceNanoseconds * 2) + 1);
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  do {
    spin(steps);
    const Clock::time_point now = Clock::now();
    slices.push_back(std::max(1.0, nanoseconds_between(before, now)));
    before = now;
  } while (nanoseconds_between(start, before) < wanted_ns);
  result.seconds = nanoseconds_between(start, before) / 1e9;
  result.involuntary_switches = involuntary_switches_now() - switches_before;
  const auto time_after = read_processor_time();
  const auto throttled_after = read_cgroup_throttling();
  if (time_before && time_after) result.steal = steal_share(*time_before, *time_after);
  if (throttled_before && throttled_after) {
    result.throttled_periods = std::max<std::int64_t>(0, throttled_after->throttled - throttled_before->throttled);
  }
  result.slices = summarize_slices(std::move(slices));
  return result;
}

}  // namespace steelyard::bench
