#include "tests/regress/history/occasions.hpp"

#include <cmath>
#include <numbers>

#include "bench/model/random.hpp"
#include "regress/history/prediction.hpp"

namespace steelyard::regress {

std::vector<OccasionNoise> occasion_noises() {
  using Kind = OccasionNoise::Kind;
  return {{"normal", Kind::normal},         {"AR(1) .5", Kind::normal, 0.5}, {"AR(1) .8", Kind::normal, 0.8},
          {"t, 3 degrees", Kind::heavy},    {"5 % spikes", Kind::spikes},    {"two modes", Kind::two_modes},
          {"slow random walk", Kind::walk}, {"rounded", Kind::rounded}};
}

double Occasions::uniform() { return (static_cast<double>(next_split_mix(state_) >> 11U) + 0.5) / 9007199254740992.0; }

double Occasions::normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

double Occasions::draw() {
  switch (noise_.kind) {
    case OccasionNoise::Kind::heavy: {
      double squares = 0;
      for (int i = 0; i < 3; ++i) squares += std::pow(normal(), 2);
      return normal() / std::sqrt(squares / 3) / std::sqrt(3.0);
    }
    case OccasionNoise::Kind::spikes:
      return uniform() < 0.05 ? 5 * std::abs(normal()) + 2 : normal();
    case OccasionNoise::Kind::two_modes:
      return (uniform() < 0.4 ? 3 : 0) + 0.5 * normal();
    case OccasionNoise::Kind::rounded:
      return std::round(normal());
    case OccasionNoise::Kind::normal:
    case OccasionNoise::Kind::walk:
      break;
  }
  return normal();
}

std::vector<double> Occasions::series(int count) {
  constexpr int kWarmUp = 20;
  constexpr double kStep = 0.2;
  std::vector<double> values;
  double level = 0;
  double walk = 0;
  for (int i = 0; i < count + kWarmUp; ++i) {
    const double phi = noise_.resemblance;
    level = phi * level + std::sqrt(1 - phi * phi) * draw();
    if (noise_.kind == OccasionNoise::Kind::walk) walk += kStep * normal();
    if (i >= kWarmUp) values.push_back(100 * std::exp(kOccasionSpread * (level + walk)));
  }
  return values;
}

OccasionRates simulate_occasions(const OccasionNoise& noise, int count, int repetitions, double ratio) {
  Occasions occasions(noise, static_cast<std::uint64_t>(count));
  OccasionRates rates;
  const double one = 1.0 / repetitions;
  for (int i = 0; i < repetitions; ++i) {
    const std::vector<double> values = occasions.series(count + 1);
    Series series;
    for (int k = 0; k < count; ++k) series.points.push_back({{values[static_cast<std::size_t>(k)]}, "", "", ""});
    PredictionQuestion question;
    question.candidate = {values.back() * ratio};
    const Prediction prediction = predict(series, {}, question);
    if (!prediction.p) continue;
    rates.at_5_percent += *prediction.p <= 0.05 ? one : 0;
    rates.at_1_percent += *prediction.p <= 0.01 ? one : 0;
    rates.at_1_permille += *prediction.p <= 0.001 ? one : 0;
    const bool covers =
        !prediction.interval || (prediction.interval->low <= ratio && ratio <= prediction.interval->high);
    rates.coverage += covers ? one : 0;
  }
  return rates;
}

}  // namespace steelyard::regress
