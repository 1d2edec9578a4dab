#include "bench/ceilings/ceiling_item.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "bench/environment/core_clock.hpp"

namespace steelyard {
namespace {

constexpr std::int64_t kMostPasses = std::int64_t{1} << 40;
constexpr std::int64_t kWarmUpPart = 8;

TeamTiming run(const CeilingItem& item, std::int64_t passes) {
  return item.team->run([&](int thread) { item.work(thread, passes); });
}

// Of a few tries, since a thread that shared its core for a moment would leave too few passes for good; one where it is
// short of what is sought anyway. What threads worked and not what passed: where others run too, a thread waits for its
// core a thousand times longer than a pass takes.
Nanoseconds least_worked(const CeilingItem& item, std::int64_t passes, Nanoseconds sought, Nanoseconds& spent) {
  constexpr int kTries = 3;
  Nanoseconds least;
  for (int i = 0; i < kTries && (i == 0 || (least >= sought * 0.25 && least < sought * 4)); ++i) {
    const TeamTiming timing = run(item, passes);
    spent += timing.elapsed;
    least = i == 0 ? timing.worked : std::min(least, timing.worked);
  }
  return least;
}

// Mean over the team's cores; absent where a clock cannot be read.
std::optional<double> team_clock_hz(WorkerTeam& team) {
  std::vector<std::optional<double>> mhz(static_cast<std::size_t>(team.size()));
  team.run([&](int thread) { mhz[static_cast<std::size_t>(thread)] = clock_mhz_here(); });
  double sum = 0;
  for (const std::optional<double>& one : mhz) {
    if (!one) return std::nullopt;
    sum += *one * 1e6;
  }
  return sum / static_cast<double>(mhz.size());
}

}  // namespace

void calibrate(CeilingItem& item, Nanoseconds repetition) {
  // Work that sleeps, or a system that does not count what a thread works.
  constexpr Nanoseconds kLongest = seconds(5);
  std::int64_t passes = 1;
  Nanoseconds spent;
  Nanoseconds worked = least_worked(item, passes, repetition, spent);
  while (worked < repetition * 0.25 && passes < kMostPasses && spent < kLongest) {
    passes *= 2;
    worked = least_worked(item, passes, repetition, spent);
  }
  const double wanted = std::round(static_cast<double>(passes) * std::min(repetition / worked, 4.0));
  item.passes = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
}

double repeat(CeilingItem& item) {
  const bool reads_clock = item.ceiling.kind == CeilingKind::arithmetic;
  if (item.is_warmed_up) run(item, std::max<std::int64_t>(1, item.passes / kWarmUpPart));
  const std::optional<double> before = reads_clock ? team_clock_hz(*item.team) : std::nullopt;
  const TeamTiming timing = run(item, item.passes);
  const std::optional<double> after = before ? team_clock_hz(*item.team) : std::nullopt;
  if (after) item.ceiling.clock_samples.push_back((*before + *after) / 2);
  const double amount = item.amount_per_pass * static_cast<double>(item.passes);
  item.ceiling.samples.push_back(amount / in_seconds(timing.elapsed));
  return timing.on_core;
}

}  // namespace steelyard
