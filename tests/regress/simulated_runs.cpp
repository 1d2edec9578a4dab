#include "tests/regress/simulated_runs.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace steelyard::regress {
namespace {
constexpr double kLevelNs = 1000;

Measurement real_time(int index) {
  Measurement measurement;
  measurement.benchmark.name = "BM_" + std::to_string(index);
  measurement.metric = {std::string(kRealTime), "ns", Better::lower, MetricKind::noisy};
  return measurement;
}
}  // namespace

double Simulation::uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

double Simulation::normal() {
  for (;;) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double s = x * x + y * y;
    if (s > 0 && s < 1) return x * std::sqrt(-2 * std::log(s) / s);
  }
}

double Simulation::heavy_tailed() {
  double squares = 0;
  for (int i = 0; i < 3; ++i) squares += std::pow(normal(), 2);
  return normal() / std::sqrt(squares / 3) / std::sqrt(3.0);
}

std::vector<double> Simulation::draw_samples(double log_level, const SimulationOptions& options) {
  const NoiseModel& noise = options.noise;
  log_level += noise.process * heavy_tailed();
  if (uniform() < noise.burst_chance) log_level += noise.burst * uniform();
  std::vector<double> values;
  for (int i = 0; i < options.samples; ++i) {
    values.push_back(kLevelNs * std::exp(log_level + noise.sample * std::fabs(heavy_tailed())));
  }
  return values;
}

void Simulation::add_benchmark(int index, const SimulationOptions& options, double shared_drift, SimulatedPair& pair) {
  Measurement baseline = real_time(index);
  Measurement candidate = real_time(index);
  const NoiseModel& noise = options.noise;
  const double effect = index < options.changed_benchmarks ? std::log(options.ratio) : 0;
  const bool concurrent = is_concurrent(options.layout);
  const double occasion = concurrent ? 0 : shared_drift + options.occasion_drift * normal();
  double drift = noise.drift * normal();
  const auto move = [&] {
    drift = noise.drift_correlation * drift +
            std::sqrt(1 - noise.drift_correlation * noise.drift_correlation) * noise.drift * normal();
  };
  // Sequential: the drift walks on through all of the baseline, then through all of the candidate.
  for (int round = 0; round < options.rounds; ++round) {
    move();
    const auto at = static_cast<std::uint32_t>(round);
    const bool second = pair.candidate.invocations[at].slot == 1;
    const double slot = concurrent ? noise.slot_effect : 0;
    baseline.invocations.push_back({at, draw_samples(drift + (second ? 0 : slot), options), {}});
    if (!concurrent) continue;
    candidate.invocations.push_back({at, draw_samples(drift + effect + (second ? slot : 0), options), {}});
  }
  for (int round = 0; !concurrent && round < options.rounds; ++round) {
    move();
    candidate.invocations.push_back(
        {static_cast<std::uint32_t>(round), draw_samples(drift + effect + occasion, options), {}});
  }
  pair.baseline.measurements.push_back(std::move(baseline));
  pair.candidate.measurements.push_back(std::move(candidate));
}

SimulatedPair Simulation::draw(const SimulationOptions& options) {
  SimulatedPair pair;
  bool candidate_first = false;
  for (Run* run : {&pair.baseline, &pair.candidate}) {
    run->header.layout = options.layout;
    if (options.layout != Layout::separate) run->header.session = "simulated";
  }
  for (int round = 0; round < options.rounds; ++round) {
    candidate_first = round % 2 == 0 ? uniform() < 0.5 : !candidate_first;
    Invocation invocation;
    invocation.round = round;
    invocation.slot = candidate_first ? 1 : 0;
    pair.baseline.invocations.push_back(invocation);
    invocation.slot = candidate_first ? 0 : 1;
    pair.candidate.invocations.push_back(invocation);
  }
  const double shared_drift = options.shared_drift * normal();
  for (int i = 0; i < options.benchmarks; ++i) add_benchmark(i, options, shared_drift, pair);
  return pair;
}

}  // namespace steelyard::regress
