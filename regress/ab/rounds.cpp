#include "regress/ab/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/model/quantile.hpp"
#include "regress/ab/steady_digits.hpp"
#include "bench/model/number_text.hpp"

namespace steelyard {
namespace {

constexpr std::int32_t kMostRounds = 1'000'000;  // as many as an imported file may name

// One invocation per round, samples of the same round together.
std::map<std::int32_t, LogInvocation> by_round(std::span<const LogInvocation> invocations) {
  std::map<std::int32_t, LogInvocation> rounds;
  for (const LogInvocation& invocation : invocations) {
    const auto [at, is_new] = rounds.try_emplace(invocation.round, invocation);
    if (is_new) continue;
    LogInvocation& merged = at->second;
    merged.logs.insert(merged.logs.end(), invocation.logs.begin(), invocation.logs.end());
    merged.level = median(merged.logs);
  }
  return rounds;
}

}  // namespace

std::variant<std::vector<LogInvocation>, Defect> log_invocations(const Run& run,
                                                                 std::span<const Measurement* const> measurements) {
  std::vector<LogInvocation> result;
  for (const Measurement* measurement : measurements) {
    for (const InvocationSamples& samples : measurement->invocations) {
      if (samples.invocation >= run.invocations.size()) {
        return Defect{"its samples name invocation " + std::to_string(samples.invocation) + " of " +
                      std::to_string(run.invocations.size())};
      }
      const Invocation& invocation = run.invocations[samples.invocation];
      if (invocation.round < 0 || invocation.round >= kMostRounds) {
        return Defect{"its invocation " + std::to_string(samples.invocation) + " is of round " +
                      std::to_string(invocation.round) + ", wanted 0 to " + std::to_string(kMostRounds - 1)};
      }
      LogInvocation logs{invocation.round, invocation.slot, {}, 0};
      logs.logs.reserve(samples.values.size());
      for (const double value : samples.values) {
        if (!std::isfinite(value) || value <= 0) {
          return Defect{"round " + std::to_string(invocation.round + 1) + " has the value " +
                        number_text(value, measurement->metric.unit) + ", which has no logarithm"};
        }
        logs.logs.push_back(steady_log(value));
      }
      if (logs.logs.empty()) continue;
      logs.level = median(logs.logs);
      result.push_back(std::move(logs));
    }
  }
  if (result.empty()) return Defect{"it has no samples"};
  std::stable_sort(result.begin(), result.end(),
                   [](const LogInvocation& a, const LogInvocation& b) { return a.round < b.round; });
  return result;
}

PairedRounds pair_rounds(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate) {
  auto baseline_rounds = by_round(baseline);
  auto candidate_rounds = by_round(candidate);
  PairedRounds paired;
  for (auto& [round, invocation] : baseline_rounds) {
    const auto other = candidate_rounds.find(round);
    if (other != candidate_rounds.end()) paired.rounds.push_back({std::move(invocation), std::move(other->second)});
  }
  paired.dropped = static_cast<int>(baseline_rounds.size() + candidate_rounds.size() - 2 * paired.rounds.size());
  return paired;
}

Layout mutual_layout(const RunHeader& baseline, const RunHeader& candidate) {
  // The enumerators stand in order of falling trust.
  const Layout claimed = std::max(baseline.layout, candidate.layout);
  if (baseline.session == candidate.session) {
    // Files that claim a concurrent layout without a session are taken at their word; nothing pairs their rounds.
    return claimed;
  }
  return Layout::separate;
}

}  // namespace steelyard
