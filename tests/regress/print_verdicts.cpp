// Usage: print_verdicts COMPARISONS SEED. Judges simulated pairs of runs and as many histories, sweeps and targets, and
// prints every number with all its bits, for steady_verdicts_test.cpp. The first line tells which variant of its
// functions the C library has chosen.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "regress/ab/permutations.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/change_points.hpp"
#include "regress/history/prediction.hpp"
#include "regress/scaling/scaling_fit.hpp"
#include "regress/targets/declared_target.hpp"
#include "regress/targets/judge_targets.hpp"
#include "tests/regress/simulated_runs.hpp"
#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard::regress {
namespace {

void print(const std::optional<double>& value) { value ? std::printf(" %a", *value) : std::printf(" -"); }
void print(const std::optional<Interval>& interval) {
  interval ? std::printf(" [%a %a]", interval->low, interval->high) : std::printf(" -");
}

void print(const ComparisonRow& row) {
  std::printf("%s %s", row.benchmark.c_str(), std::string(to_text(row.verdict)).c_str());
  for (const auto& value : {row.baseline, row.candidate, row.ratio, row.p, row.q, row.discovery_q, row.slot_effect,
                            row.minimum_detectable_effect, row.noise.within, row.noise.between, row.noise.rounds}) {
    print(value);
  }
  print(row.interval);
  print(row.equivalence_interval);
  for (const Look& look : row.looks) std::printf(" %d:%a:%a", look.rounds, look.p, look.share);
  std::printf(" %d", row.rounds_wanted.value_or(0));
}

// Which reason it is, and the figures of those that have some.
void print(const RowFacts& facts) {
  std::printf(" reason %zu", facts.reason.index());
  if (const auto* apart = std::get_if<why::Apart>(&facts.reason)) {
    std::printf(" %d %a %a", apart->cause ? static_cast<int>(*apart->cause) : -1, apart->errors.scatter,
                apart->errors.drift);
  }
  if (const auto* few = std::get_if<why::TooFewUnits>(&facts.reason)) std::printf(" %d", few->rounds_needed);
  if (facts.movement) std::printf(" movement %a %a", facts.movement->seen, facts.movement->common);
  std::printf("\n");
}

// The simulation itself takes the library's logarithms: measured values have few digits.
void round_values(Run& run) {
  for (Measurement& measurement : run.measurements) {
    for (InvocationSamples& samples : measurement.invocations) {
      for (double& value : samples.values) value = std::round(value * 100) / 100;
    }
  }
}

// Of all bits of many results (FNV-1a).
std::uint64_t library_checksum() {
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&hash](double value) { hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211U; };
  for (int i = 1; i < 100'000; ++i) {
    const double x = 1 + i * 1e-3;
    add(std::log(x));
    add(std::exp(-x / 50));
    add(std::pow(x, 0.3));
  }
  return hash;
}

void judge_many(int comparisons, std::uint64_t seed) {
  Simulation simulation(seed);
  for (int i = 0; i < comparisons; ++i) {
    SimulationOptions options;
    options.layout = static_cast<Layout>(i % 4);
    options.rounds = i % 3 == 0 ? 4 + i % 5 : 8 + i % 30;
    options.benchmarks = 1 + i % 8;
    options.changed_benchmarks = i % 2;
    options.ratio = 1 + 0.01 * (i % 7);
    options.noise.process = 0.002 * (1 + i % 20);
    options.noise.slot_effect = i % 5 == 0 ? 0.05 : 0;
    SimulatedPair pair = simulation.draw(options);
    round_values(pair.baseline);
    round_values(pair.candidate);
    const Judged judged = compare_runs(pair.baseline, pair.candidate, ComparisonPolicy{});
    const Comparison& comparison = judged.comparison;
    for (const SharedDrift& drift : comparison.drifts) std::printf("drift %a %a\n", drift.ratio, drift.deviation);
    for (std::size_t k = 0; k < comparison.rows.size(); ++k) {
      print(comparison.rows[k]);
      print(judged.facts[k]);
    }
  }
}

// From 0 to 1; the same bits everywhere, as those of the library's distributions need not be.
double uniform(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1p-53; }

// Steps under noise of three kinds: independent, wandering, and with values that go below zero.
void judge_histories(int histories, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  for (int i = 0; i < histories; ++i) {
    Series series;
    double wander = 0;
    for (int k = 0; k < 80; ++k) {
      const double noise = uniform(engine);
      wander += i % 3 == 1 ? noise - 0.5 : 0;
      const double level = i % 3 == 2 ? (k < 50 ? -1 : 3) : k < 50 ? 100 : 106;
      series.points.push_back({.values = {level + noise + wander}, .commit = {}, .machine = {}, .run = {}});
    }
    const std::vector<ChangePoint> changes = find_changes(series);
    for (const ChangePoint& change : changes) {
      std::printf("change %zu %zu-%zu %a %a %a", change.index, change.first, change.last, change.before, change.after,
                  change.p);
      print(change.ratio);
      std::printf("\n");
    }
    PredictionQuestion question;
    question.candidate = {104};
    const Prediction prediction = predict(series, changes, question);
    std::printf("prediction %zu %a", prediction.values, prediction.error);
    print(prediction.level);
    print(prediction.p);
    print(prediction.interval);
    std::printf("\n");
  }
}

void print(const ScalingFit& fit) {
  std::printf("sweep %a %a %d %s", fit.exponent, fit.coefficient, fit.is_curved ? 1 : 0,
              std::string(to_text(judge_claim(fit, {1}))).c_str());
  print(fit.interval);
  for (const auto& value : {fit.r_squared, fit.exponent_at_smallest, fit.exponent_at_largest}) print(value);
  std::printf("\n");
}

// A cost that is about linear, over an overhead that bends it in every other sweep; by rounds, and by inputs.
void judge_sweeps(int sweeps, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  for (int i = 0; i < sweeps; ++i) {
    ScalingData data{{10, 30, 100, 300, 1000, 3000}, {}};
    data.rounds.resize(static_cast<std::size_t>(2 + i % 5));
    for (std::vector<double>& levels : data.rounds) {
      for (const double size : data.sizes) levels.push_back((i % 2 * 50 + size) * (1 + 0.1 * uniform(engine)));
    }
    print(fit_scaling(data).value());
    print(fit_inputs(data.sizes, data.rounds.front()).value());
  }
}

// Rates about the target and off it, of so few invocations that Student's t has them, and of more.
void judge_rates(int targets, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const Target target = parse_target("0.5 of bandwidth", "print_verdicts").value();
  for (int i = 0; i < targets; ++i) {
    BenchmarkRates rates;
    for (int k = 0; k < 2 + i % 8; ++k) rates.bandwidth.push_back((5.5 + 0.1 * (i % 9) + 0.2 * uniform(engine)) * 1e9);
    const TargetRow row = judge_target(rates, target, {}, sample::ceilings());
    std::printf("target %d", static_cast<int>(row.verdict));
    for (const auto& value : {row.achieved, row.utilization}) print(value);
    print(row.achieved_interval);
    print(row.utilization_interval);
    std::printf("\n");
  }
}

}  // namespace
}  // namespace steelyard::regress

int main(int count, char** words) {
  if (count != 3) return 3;
  std::printf("library %016llx\n", static_cast<unsigned long long>(steelyard::regress::library_checksum()));
  steelyard::regress::judge_many(std::atoi(words[1]), std::strtoull(words[2], nullptr, 10));
  steelyard::regress::judge_histories(std::atoi(words[1]), std::strtoull(words[2], nullptr, 10));
  steelyard::regress::judge_sweeps(std::atoi(words[1]), std::strtoull(words[2], nullptr, 10));
  steelyard::regress::judge_rates(std::atoi(words[1]), std::strtoull(words[2], nullptr, 10));
  return 0;
}
