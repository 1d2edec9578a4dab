#include "tests/statistics/histories/histories.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/model/quantile.hpp"
#include "tests/studies/judging/recording.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMinApart = 10;

// Standard deviation without what is further off than four robust ones.
double robust_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (double value : values) distances.push_back(std::fabs(value - middle));
  const double most = 4 * 1.4826 * median(distances);
  double squares = 0;
  for (double distance : distances) squares += std::pow(std::min(distance, most), 2);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::vector<double> stretch_of(const std::vector<double>& trace, std::size_t n, Dice& dice) {
  const std::size_t from = dice.below(trace.size() - n + 1);
  std::vector<double> values(trace.begin() + static_cast<std::ptrdiff_t>(from),
                             trace.begin() + static_cast<std::ptrdiff_t>(from + n));
  if (dice.uniform() < 0.5) std::ranges::reverse(values);
  return values;
}

std::vector<InjectedStep> draw_steps(std::size_t n, Dice& dice) {
  std::vector<InjectedStep> steps;
  const std::size_t wanted = 1 + dice.below(std::min<std::size_t>(4, n / 25));
  for (std::size_t tries = 0; steps.size() < wanted && tries < 100; ++tries) {
    const std::size_t begin = kMinApart + dice.below(n - 2 * kMinApart + 1);
    const bool close = std::ranges::any_of(steps, [&](const InjectedStep& step) {
      return std::max(step.begin, begin) - std::min(step.begin, begin) < kMinApart;
    });
    if (!close) steps.push_back({begin, dice.uniform(1, 8)});
  }
  std::ranges::sort(steps, {}, &InjectedStep::begin);
  return steps;
}

}  // namespace

const char* to_text(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::normal:
      return "normal";
    case NoiseKind::resembling:
      return "resembling";
    case NoiseKind::heavy_tailed:
      return "heavy_tailed";
    case NoiseKind::spiky:
      return "spiky";
    case NoiseKind::two_modes:
      return "two_modes";
    case NoiseKind::drifting:
      return "drifting";
    case NoiseKind::coarse:
      return "coarse";
    case NoiseKind::skewed:
      return "skewed";
  }
  return "";
}

double Dice::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

// G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates, 1958.
double Dice::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::vector<double> made_up_noise(NoiseKind kind, std::size_t n, Dice& dice) {
  std::vector<double> values(n);
  const double phi = dice.uniform(0.2, 0.7);
  const double share = dice.uniform(0.1, 0.4);
  double last = dice.normal();
  double drift = 0;
  for (double& value : values) {
    const double z = dice.normal();
    value = z;
    if (kind == NoiseKind::resembling) value = last = phi * last + std::sqrt(1 - phi * phi) * z;
    if (kind == NoiseKind::heavy_tailed) {  // Student's t with 3 degrees, deviation 1
      double squares = 0;
      for (int k = 0; k < 3; ++k) squares += std::pow(dice.normal(), 2);
      value = z / std::sqrt(squares);
    }
    if (kind == NoiseKind::spiky && dice.uniform() < 0.04) value += dice.uniform(5, 25);
    if (kind == NoiseKind::two_modes)
      value = 0.4 * z + (dice.uniform() < share ? 0.9 / std::sqrt(share * (1 - share)) : 0);
    if (kind == NoiseKind::drifting) value = 0.9 * z + (drift += 0.04 * dice.normal());
    if (kind == NoiseKind::coarse) value = 2 * std::round(z / 2 + 0.2);
    if (kind == NoiseKind::skewed) value = (std::exp(0.8 * z) - std::exp(0.32)) / 1.3;
  }
  return values;
}

const char* to_text(DriftKind drift) {
  switch (drift) {
    case DriftKind::slow:
      return "slow";
    case DriftKind::slow_and_white:
      return "slow and white";
    case DriftKind::walk:
      return "walk";
    case DriftKind::pink:
      return "pink";
  }
  return "";
}

std::vector<double> drifting_noise(DriftKind drift, std::size_t n, Dice& dice) {
  constexpr std::size_t kSpeeds = 6;
  const double fading = dice.uniform(0.8, 0.98);
  const double slow_share = dice.uniform(0.3, 0.8);
  const double stride = dice.uniform(0.05, 0.4);
  std::vector<double> speeds(drift == DriftKind::pink ? kSpeeds : 1);
  for (double& speed : speeds) speed = dice.normal();
  double walked = 0;
  std::vector<double> values(n);
  for (double& value : values) {
    double sum = 0;
    for (std::size_t k = 0; k < speeds.size(); ++k) {
      const double f = drift != DriftKind::pink ? fading
                       : k == 0                 ? 0
                                                : 1 - std::pow(2.0, -1.0 - static_cast<double>(k));
      speeds[k] = f * speeds[k] + std::sqrt(1 - f * f) * dice.normal();
      sum += speeds[k];
    }
    walked += stride * dice.normal();
    value = sum;
    if (drift == DriftKind::slow_and_white)
      value = std::sqrt(slow_share) * sum + std::sqrt(1 - slow_share) * dice.normal();
    if (drift == DriftKind::walk) value = walked + dice.normal();
  }
  double mean = 0;
  for (double value : values) mean += value / static_cast<double>(n);
  double variance = 0;
  for (double value : values) variance += (value - mean) * (value - mean) / static_cast<double>(n);
  for (double& value : values) value = (value - mean) / std::sqrt(variance);
  return values;
}

namespace {

std::vector<double> recorded_noise(const std::vector<double>& trace, std::size_t n, Dice& dice) {
  std::vector<double> noise = stretch_of(trace, n, dice);
  const double middle = median(noise);
  const double deviation = robust_deviation(noise);
  for (double& value : noise) value = deviation > 0 ? (value - middle) / deviation : 0;
  return noise;
}

// The noise as a part of a value of its own unit, with steps where `changed`.
History history_of(std::string name, const std::vector<double>& noise, double spread, bool changed, Dice& dice) {
  History history{.name = std::move(name), .values = {}, .steps = {}};
  if (changed) history.steps = draw_steps(noise.size(), dice);
  double level = 0;
  std::size_t next = 0;
  const double unit = std::exp(dice.uniform(0, 12));
  for (std::size_t k = 0; k < noise.size(); ++k) {
    if (next < history.steps.size() && history.steps[next].begin == k)
      level += history.steps[next++].in_noise * (dice.uniform() < 0.6 ? 1 : -1);
    history.values.push_back(unit * std::exp(spread * (level + noise[k])));
  }
  return history;
}

std::size_t draw_length(Dice& dice) { return 40 + dice.below(261); }
double draw_spread(Dice& dice) { return 0.004 * std::exp(dice.uniform(0, 2.5)); }  // 0.4 % to 5 %

History recorded_history(std::span<const std::vector<double>> traces, std::size_t n, double spread, bool changed,
                         Dice& dice) {
  const std::size_t which = dice.below(traces.size());
  const std::vector<double> noise = recorded_noise(traces[which], std::min(n, traces[which].size()), dice);
  return history_of("recorded " + std::to_string(which), noise, spread, changed, dice);
}

}  // namespace

std::vector<History> make_histories(std::size_t count, bool changed, std::uint64_t seed,
                                    std::span<const std::vector<double>> traces) {
  Dice dice(seed);
  std::vector<History> histories;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = draw_length(dice);
    const double spread = draw_spread(dice);
    if (!traces.empty() && i % 2 == 1) {
      histories.push_back(recorded_history(traces, n, spread, changed, dice));
      continue;
    }
    const NoiseKind kind = kNoiseKinds[(i / 2) % std::size(kNoiseKinds)];
    histories.push_back(history_of(to_text(kind), made_up_noise(kind, n, dice), spread, changed, dice));
  }
  return histories;
}

std::vector<History> make_white_histories(std::size_t count, bool changed, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<History> histories;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = draw_length(dice);
    const double spread = draw_spread(dice);
    histories.push_back(history_of("white", made_up_noise(NoiseKind::normal, n, dice), spread, changed, dice));
  }
  return histories;
}

std::vector<History> make_drifting_histories(DriftKind drift, std::size_t count, bool changed, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<History> histories;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = draw_length(dice);
    const double spread = draw_spread(dice);
    histories.push_back(history_of(to_text(drift), drifting_noise(drift, n, dice), spread, changed, dice));
  }
  return histories;
}

std::vector<History> make_recorded_histories(std::size_t count, bool changed, std::uint64_t seed,
                                             std::span<const std::vector<double>> traces) {
  Dice dice(seed);
  std::vector<History> histories;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = draw_length(dice);
    const double spread = draw_spread(dice);
    histories.push_back(recorded_history(traces, n, spread, changed, dice));
  }
  return histories;
}

Result<std::vector<std::vector<double>>> read_traces(const std::string& folder) {
  STEELYARD_TRY(const judging::Recording recording, judging::read_recording(folder));
  std::vector<std::vector<double>> traces;
  for (const judging::RecordedBenchmark& benchmark : recording.benchmarks) {
    std::vector<double>& trace = traces.emplace_back();
    for (const judging::RecordedRound& round : benchmark.rounds)
      for (const judging::RecordedProcess& process : round) trace.push_back(median(process.values));
  }
  return traces;
}

}  // namespace steelyard
