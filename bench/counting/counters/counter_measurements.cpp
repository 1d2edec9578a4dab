#include "bench/counting/counters/counter_measurements.hpp"

#include <algorithm>
#include <map>

#include "bench/counting/counters/cache_model.hpp"
#include "bench/counting/exactness.hpp"

namespace steelyard {
namespace {

// Whatever the values: what the predictor remembers goes back to the start of the process. Of 20 counts of one
// benchmark there were six different ones within 0.02 % (docs/guide/counters.md), and two can be equal.
constexpr std::string_view kNeverExact = "branch_mispredictions";

// One value says nothing of its exactness.
CountBasis basis_of(std::string_view metric, const std::vector<double>& values, const Measurement& instructions) {
  if (values.size() > 1) {
    CountBasis basis =
        basis_of_repeats({instructions.count_basis.scope, instructions.benchmark.threads.value_or(1), values});
    if (metric == kNeverExact && *basis.jitter < kLeastLearnedJitter) {
      basis.jitter = kLeastLearnedJitter;
      basis.jitter_from += "; the branch predictor's history is that of the whole process";
    }
    return basis;
  }
  CountBasis basis;
  basis.scope = instructions.count_basis.scope;
  return basis;
}

}  // namespace

void add_simulated(const BenchmarkCount& count, const CounterChoice& choice, const Measurement& instructions,
                   Run& run) {
  if (!choice.is_simulated() || instructions.invocations.empty() || count.iterations <= 0) return;
  std::map<std::string_view, std::vector<double>> values_of;
  std::vector<std::string_view> order;
  for (const std::vector<std::int64_t>& totals : count.net_totals) {
    for (const SimulatedCount& simulated : simulated_counts(count.profile.events, totals)) {
      std::vector<double>& values = values_of[simulated.metric];
      if (values.empty()) order.push_back(simulated.metric);
      values.push_back(static_cast<double>(simulated.count) / static_cast<double>(count.iterations));
    }
  }
  const InvocationSamples& samples = instructions.invocations.front();
  for (const std::string_view metric : order) {
    std::vector<double>& values = values_of[metric];
    if (std::any_of(values.begin(), values.end(), [](double value) { return value < 0; })) {
      run.failures.push_back({instructions.benchmark, std::string(metric), -1,
                              "twice the iterations had fewer of them; let every iteration do the same work"});
      continue;
    }
    Measurement measurement;
    measurement.benchmark = instructions.benchmark;
    measurement.metric = *well_known_metric(metric);
    const std::string caches = cache_key(choice);
    measurement.count_key = instructions.count_key + (caches.empty() ? "" : ";" + caches);
    measurement.count_basis = basis_of(metric, values, instructions);
    const std::vector<std::int64_t> iterations(values.size(), count.iterations);
    measurement.invocations.push_back({samples.invocation, std::move(values), iterations});
    run.measurements.push_back(std::move(measurement));
  }
}

void record_cache_model(const CounterChoice& choice, Run& run) {
  if (choice.cache) run.header.settings["counting.cache_model"] = cache_model_text();
  if (choice.branch) {
    run.header.settings["counting.branch_model"] = "Callgrind's: branches = Bc + Bi, branch_mispredictions = Bcm + Bim";
  }
}

}  // namespace steelyard
