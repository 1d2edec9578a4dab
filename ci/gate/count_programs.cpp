#include "ci/gate/count_programs.hpp"

#include <algorithm>
#include <chrono>

#include "bench/runner/round_plan.hpp"
#include "ci/gate/unmeasured.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

// Callgrind runs a program about 50 times slower (Valgrind manual, "Callgrind"), but takes few iterations of it; what
// dominates is its start. Twice the native limit has room for both.
constexpr double kTimeoutFactor = 2;
// A short timing budget is no reason to go without counts, which need seconds.
constexpr Nanoseconds kLeastBudget = seconds(60);

bool has(const CountSide& side, const std::string& benchmark) {
  return std::find(side.benchmarks.begin(), side.benchmarks.end(), benchmark) != side.benchmarks.end();
}

// Both sides of a benchmark one after the other; the benchmarks of all programs shuffled.
std::vector<CountOrder> orders_of(const std::vector<CountPair>& pairs, std::uint64_t seed) {
  struct Item {
    const CountPair* pair;
    const std::string* benchmark;
  };
  std::vector<Item> items;
  for (const CountPair& pair : pairs) {
    for (const std::string& name : pair.baseline.benchmarks) items.push_back({&pair, &name});
    for (const std::string& name : pair.candidate.benchmarks) {
      if (!has(pair.baseline, name)) items.push_back({&pair, &name});
    }
  }
  std::vector<CountOrder> orders;
  for (const std::size_t i : shuffled_benchmarks(items.size(), seed, 0)) {
    for (const CountSide* side : {&items[i].pair->baseline, &items[i].pair->candidate}) {
      if (has(*side, *items[i].benchmark)) orders.push_back({side->program, *items[i].benchmark, side->run});
    }
  }
  return orders;
}

}  // namespace

Result<bool> counting_wanted(const MeasuringSettings& settings, const PolicySettings& policy,
                             std::vector<std::string>& warnings) {
  if (settings.counts == CountChoice::never) return false;
  const bool judged = policy.metrics.empty() ||
                      std::find(policy.metrics.begin(), policy.metrics.end(), kInstructions) != policy.metrics.end();
  if (settings.counts == CountChoice::automatic && !judged) return false;
  const std::optional<std::string> unavailable = counting_unavailable(CountOptions{});
  if (!unavailable) return true;
  if (settings.counts == CountChoice::always) return input_error("--counts", *unavailable);
  warnings.push_back("instructions were not counted: " + *unavailable);
  return false;
}

void count_programs(const std::vector<CountPair>& pairs, const CountLimits& limits, ProgressLine& progress) {
  const std::vector<CountOrder> orders = orders_of(pairs, limits.seed);
  if (orders.empty()) return;
  const auto begun = Clock::now();
  CountOptions options;
  options.timeout = limits.timeout * kTimeoutFactor;
  options.budget = Nanoseconds(std::max(limits.budget.count(), kLeastBudget.count()));
  options.cancelled = limits.cancelled;
  options.progress = [&](const CountProgress& now) {
    const double share = static_cast<double>(now.done) / static_cast<double>(now.total);
    const double spent = std::chrono::duration<double, std::nano>(Clock::now() - begun).count();
    const double most = std::max(0.0, options.budget.count() - spent);
    const Nanoseconds left(share > 0 ? std::min(most, spent * (1 - share) / share) : 0);
    progress.show("counting " + now.benchmark, share, left);
  };
  const Result<void> counted = count_instructions(orders, options);
  if (counted) return;
  for (const CountOrder& order : orders) {
    fail_benchmarks(*order.program, {order.benchmark}, {std::string(kInstructions), counted.error().text()},
                    *order.run);
  }
}

}  // namespace steelyard
