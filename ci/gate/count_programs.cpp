#include "ci/gate/count_programs.hpp"

#include <algorithm>
#include <chrono>

#include "ci/gate/unmeasured.hpp"

namespace steelyard {
namespace {

using Clock = std::chrono::steady_clock;

// Callgrind runs a program about 50 times slower (Valgrind manual, "Callgrind"), but takes few iterations of it; what
// dominates is its start. Twice the native limit has room for both.
constexpr double kTimeoutFactor = 2;
// A short timing budget is no reason to go without counts, which need seconds.
constexpr Nanoseconds kLeastBudget = seconds(60);

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

void count_programs(const std::vector<CountJob>& jobs, const CountLimits& limits, ProgressLine& progress) {
  const auto begun = Clock::now();
  const double budget = std::max(limits.budget.count(), kLeastBudget.count());
  std::size_t all = 0;
  for (const CountJob& job : jobs) all += job.benchmarks.size();
  std::size_t done = 0;
  for (const CountJob& job : jobs) {
    if (limits.cancelled != nullptr && limits.cancelled->load()) return;
    if (job.benchmarks.empty()) continue;
    const auto spent = [&] { return std::chrono::duration<double, std::nano>(Clock::now() - begun).count(); };
    CountOptions options;
    options.timeout = limits.timeout * kTimeoutFactor;
    // What is left, shared by what is still to be counted: no side is left without because another took it all.
    options.budget = Nanoseconds(std::max(0.0, budget - spent()) * static_cast<double>(job.benchmarks.size()) /
                                 static_cast<double>(all - done));
    options.cancelled = limits.cancelled;
    options.progress = [&](const CountProgress& now) {
      const double share = static_cast<double>(done + static_cast<std::size_t>(now.done)) / static_cast<double>(all);
      const Nanoseconds left(share > 0 ? spent() * (1 - share) / share : 0);
      progress.show("counting " + now.benchmark, share, left);
    };
    const Result<void> counted = count_instructions(*job.program, job.benchmarks, options, *job.run);
    if (!counted) {
      fail_benchmarks(*job.program, job.benchmarks, {std::string(kInstructions), counted.error().text()}, *job.run);
    }
    done += job.benchmarks.size();
  }
}

}  // namespace steelyard
