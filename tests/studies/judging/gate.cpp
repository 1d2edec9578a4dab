#include "tests/studies/judging/gate.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "bench/model/comparison.hpp"
#include "bench/model/quantile.hpp"
#include "regress/judge_looks.hpp"
#include "tests/studies/judging/rule.hpp"

namespace steelyard::judging {
namespace {

constexpr int kUsualRounds = 60;  // that every recording has
constexpr int kBlock = 12;        // rounds in a row of a window of more

// Values that lie around `center` as the logarithms of these do, stretched, on another level.
void stretch(std::vector<SideProcess>& baseline, std::vector<SideProcess>& candidate, double exponent, double level) {
  std::vector<double> values;
  for (const SideProcess& process : baseline) values.push_back(median(process.values));
  const double center = median(std::move(values));
  for (auto* side : {&baseline, &candidate}) {
    for (SideProcess& process : *side) {
      for (double& value : process.values) value = level * std::pow(value / center, exponent);
    }
  }
}

}  // namespace

Window draw_gate(const std::vector<const Recording*>& recordings, const GateOptions& options, Draw& draw) {
  Window gate;
  gate.layout = recordings.front()->layout;
  const int rounds = options.plan.empty() ? options.rounds : options.plan.max_rounds();
  Draw of_alone = draw.beside();
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
    const RecordedBenchmark& recorded = recording.benchmarks[static_cast<std::size_t>(kernel)];
    BenchmarkWindow benchmark = rounds > kUsualRounds ? resampled_benchmark(recorded, kBlock, slots, draw)
                                                      : concurrent_benchmark(recorded, first, slots);
    const double exponent = std::pow(options.max_stretch, 2 * draw.uniform() - 1);
    const double level = std::pow(10.0, 6 * draw.uniform());  // 1 ns to 1 ms
    stretch(benchmark.baseline, benchmark.candidate, exponent, level);
    if (options.alone != nullptr) {
      add_alone(*options.alone, benchmark.name, of_alone, benchmark);
      stretch(benchmark.baseline_alone, benchmark.candidate_alone, exponent, level);
    }
    benchmark.name = "benchmark_" + std::to_string(1000 + i);
    gate.benchmarks.push_back(std::move(benchmark));
  }
  return gate;
}

namespace {

Rule rule_of(const GateOptions& options, double false_alarm_rate, regress::LookJudge& judge) {
  return own_rule({false_alarm_rate, true, options.plan.empty() ? "" : regress::to_text(options.plan), options.rules,
                   &judge.memory()});
}

regress::LookJudge judge_of(const GateOptions& options) {
  ComparisonPolicy policy;
  policy.false_alarm_rate = options.false_alarm_rate;
  return {policy, options.benchmarks, options.rules};
}

// How many rounds each benchmark gets from the judge that the runner asks at each look.
std::vector<int> measured_rounds(const Window& gate, const GateOptions& options, regress::LookJudge& judge) {
  const std::size_t count = gate.benchmarks.size();
  if (options.plan.empty()) return std::vector<int>(count, options.rounds);
  std::vector<int> rounds(count, 0);
  std::vector<bool> decided(count, false);
  int reached = 0;
  std::int64_t left = static_cast<std::int64_t>(options.budget) * options.benchmarks;
  for (const regress::PlannedLook& look : options.plan.looks) {
    const std::int64_t undecided = std::count(decided.begin(), decided.end(), false);
    if (undecided == 0) break;
    // Whole pairs of rounds, as the runner measures them.
    const std::int64_t affordable = options.budget > 0 ? left / undecided / 2 * 2 : look.rounds;
    const int more = static_cast<int>(std::min<std::int64_t>(look.rounds - reached, affordable));
    left -= undecided * more;
    reached += more;
    Window seen{gate.layout, {}};
    for (std::size_t i = 0; i < count; ++i) {
      if (!decided[i]) rounds[i] = reached;
      seen.benchmarks.push_back(first_rounds(gate.benchmarks[i], rounds[i]));
    }
    if (reached < look.rounds || look.rounds == options.plan.max_rounds()) break;
    auto [baseline, candidate] = to_runs(seen);
    for (Run* run : {&baseline, &candidate})
      run->header.settings[std::string(kLooksSetting)] = regress::to_text(options.plan);
    const auto answers = judge.answers(baseline, candidate);
    for (std::size_t i = 0; i < count; ++i) {
      if (!decided[i]) decided[i] = answers.at(gate.benchmarks[i].name) != regress::LookAnswer::undecided;
    }
  }
  return rounds;
}

}  // namespace

GateOutcome simulate_gate(const std::vector<const Recording*>& recordings, const GateOptions& options, Draw& draw) {
  const Window gate = draw_gate(recordings, options, draw);
  regress::LookJudge judge = judge_of(options);
  const std::vector<int> rounds = measured_rounds(gate, options, judge);
  Window seen{gate.layout, {}};
  for (std::size_t i = 0; i < gate.benchmarks.size(); ++i) {
    seen.benchmarks.push_back(first_rounds(gate.benchmarks[i], rounds[i]));
  }
  const std::vector<Finding> findings = rule_of(options, options.false_alarm_rate, judge).judge(seen);

  GateOutcome outcome;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    outcome.mean_rounds += static_cast<double>(rounds[i]) / static_cast<double>(rounds.size());
    outcome.false_regressions += findings[i].verdict == Verdict::regression ? 1 : 0;
    outcome.false_improvements += findings[i].verdict == Verdict::improvement ? 1 : 0;
    outcome.shown_unchanged += findings[i].verdict == Verdict::unchanged ? 1 : 0;
  }
  const bool is_fixed = options.plan.empty();
  if (is_fixed && options.stricter_rate > 0 && outcome.false_regressions + outcome.false_improvements > 0) {
    for (const Finding& finding : rule_of(options, options.stricter_rate, judge).judge(seen)) {
      outcome.stricter_regressions += finding.verdict == Verdict::regression ? 1 : 0;
      outcome.stricter_improvements += finding.verdict == Verdict::improvement ? 1 : 0;
    }
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
    tally.with_stricter_regression += outcome.stricter_regressions > 0 ? 1 : 0;
    tally.with_stricter_change += outcome.stricter_regressions + outcome.stricter_improvements > 0 ? 1 : 0;
    tally.mean_rounds += outcome.mean_rounds / gates;
    tally.mean_shown_unchanged += static_cast<double>(outcome.shown_unchanged) / gates;
  }
  return tally;
}

LoneChangeTally simulate_lone_change(const std::vector<const Recording*>& recordings, const GateOptions& options,
                                     double ratio, int tries, std::uint64_t seed) {
  Draw draw(seed);
  LoneChangeTally tally;
  for (int i = 0; i < tries; ++i) {
    Window gate = draw_gate(recordings, options, draw);
    slow_down(gate.benchmarks.front(), ratio);
    regress::LookJudge judge = judge_of(options);
    const std::vector<int> rounds = measured_rounds(gate, options, judge);
    Window seen{gate.layout, {}};
    for (std::size_t j = 0; j < rounds.size(); ++j) {
      seen.benchmarks.push_back(first_rounds(gate.benchmarks[j], rounds[j]));
    }
    const std::vector<Finding> findings = rule_of(options, options.false_alarm_rate, judge).judge(seen);
    ++tally.tries;
    tally.found += findings.front().verdict == Verdict::regression ? 1 : 0;
    tally.false_alarms += std::any_of(findings.begin() + 1, findings.end(), calls_change) ? 1 : 0;
    tally.mean_rounds += static_cast<double>(rounds.front()) / tries;
  }
  return tally;
}

}  // namespace steelyard::judging
