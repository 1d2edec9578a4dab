#include "bench/self/judging/gate.hpp"

#include <cassert>
#include <cmath>

#include "bench/model/comparison.hpp"
#include "bench/model/quantile.hpp"
#include "bench/self/judging/rule.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard::judging {
namespace {

// Values that lie around `center` as the logarithms of these do, stretched, on another level.
void stretch(BenchmarkWindow& benchmark, double exponent, double level) {
  std::vector<double> values;
  for (const SideProcess& process : benchmark.baseline) values.push_back(median(process.values));
  const double center = median(std::move(values));
  for (auto* side : {&benchmark.baseline, &benchmark.candidate}) {
    for (SideProcess& process : *side) {
      for (double& value : process.values) value = level * std::pow(value / center, exponent);
    }
  }
}

Window draw_gate(const std::vector<const Recording*>& recordings, const GateOptions& options, Draw& draw) {
  Window gate;
  gate.layout = recordings.front()->layout;
  const int rounds = options.looks.back();
  // For gates whose benchmarks share everything. The order of draws is part of what a seed means.
  const Recording* shared = recordings[static_cast<std::size_t>(draw.below(static_cast<int>(recordings.size())))];
  const int shared_first = draw.below(shared->rounds());
  const std::vector<int> shared_slots = balanced_slots(rounds, draw);
  for (int i = 0; i < options.benchmarks; ++i) {
    const Recording& recording =
        options.correlated ? *shared
                           : *recordings[static_cast<std::size_t>(draw.below(static_cast<int>(recordings.size())))];
    assert(recording.layout == gate.layout);
    const int kernels = static_cast<int>(recording.benchmarks.size());
    const int kernel = options.correlated ? i % kernels : draw.below(kernels);
    const int first = options.correlated ? shared_first : draw.below(recording.rounds());
    const std::vector<int> slots = options.correlated ? shared_slots : balanced_slots(rounds, draw);
    BenchmarkWindow benchmark =
        concurrent_benchmark(recording.benchmarks[static_cast<std::size_t>(kernel)], first, slots);
    const double exponent = std::pow(options.most_stretch, 2 * draw.uniform() - 1);
    const double level = std::pow(10.0, 6 * draw.uniform());  // 1 ns to 1 ms
    stretch(benchmark, exponent, level);
    benchmark.name = "benchmark_" + std::to_string(1000 + i);
    gate.benchmarks.push_back(std::move(benchmark));
  }
  return gate;
}

bool is_decided(const Finding& finding) { return calls_change(finding) || finding.verdict == Verdict::unchanged; }

BenchmarkWindow first_rounds(const BenchmarkWindow& benchmark, int rounds) {
  BenchmarkWindow part{benchmark.name, {}, {}, benchmark.ratio};
  part.baseline.assign(benchmark.baseline.begin(), benchmark.baseline.begin() + rounds);
  part.candidate.assign(benchmark.candidate.begin(), benchmark.candidate.begin() + rounds);
  return part;
}

}  // namespace

GateOutcome simulate_gate(const std::vector<const Recording*>& recordings, const GateOptions& options, Draw& draw) {
  Window gate = draw_gate(recordings, options, draw);
  const auto lone = static_cast<std::size_t>(draw.below(options.benchmarks));
  if (options.lone_change != 1) slow_down(gate.benchmarks[lone], options.lone_change);

  const Rule rule = own_rule({options.false_alarm_rate, true, options.looks_setting});
  std::vector<int> rounds(gate.benchmarks.size(), 0);
  std::vector<bool> decided(gate.benchmarks.size(), false);
  std::vector<Finding> findings;
  for (const int look : options.looks) {
    Window seen{gate.layout, {}};
    for (std::size_t i = 0; i < gate.benchmarks.size(); ++i) {
      if (!decided[i]) rounds[i] = look;
      seen.benchmarks.push_back(first_rounds(gate.benchmarks[i], rounds[i]));
    }
    findings = rule.judge(seen);
    for (std::size_t i = 0; i < findings.size(); ++i) decided[i] = decided[i] || is_decided(findings[i]);
  }

  GateOutcome outcome;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    outcome.mean_rounds += static_cast<double>(rounds[i]) / static_cast<double>(rounds.size());
    if (gate.benchmarks[i].ratio != 1) {
      outcome.found = findings[i].verdict == Verdict::regression;
      continue;
    }
    outcome.false_regressions += findings[i].verdict == Verdict::regression ? 1 : 0;
    outcome.false_improvements += findings[i].verdict == Verdict::improvement ? 1 : 0;
    outcome.shown_unchanged += findings[i].verdict == Verdict::unchanged ? 1 : 0;
  }
  return outcome;
}

GateTally simulate_gates(const std::vector<const Recording*>& recordings, const GateOptions& options, int gates,
                         std::uint64_t seed) {
  Draw draw(seed);
  GateTally tally;
  for (int i = 0; i < gates; ++i) {
    const GateOutcome outcome = simulate_gate(recordings, options, draw);
    ++tally.gates;
    tally.with_false_regression += outcome.false_regressions > 0 ? 1 : 0;
    tally.with_false_change += outcome.false_regressions + outcome.false_improvements > 0 ? 1 : 0;
    tally.found += outcome.found ? 1 : 0;
    tally.mean_rounds += outcome.mean_rounds / gates;
    tally.mean_shown_unchanged += static_cast<double>(outcome.shown_unchanged) / gates;
  }
  return tally;
}

}  // namespace steelyard::judging
