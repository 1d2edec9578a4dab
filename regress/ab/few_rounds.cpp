#include "regress/ab/few_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/model/quantile.hpp"

namespace steelyard {
namespace {

constexpr double kCutAway = 0.1;  // of the samples of an invocation, at each end
// The spread inside processes that is added to a round's own, in medians over the rounds: what the samples show is only
// part of what makes rounds differ. At 0.5 the weights trust it too much (8 % alarms at .05), at
// 1.5 alarms are 2 to 5 %.
constexpr double kCommonSpread = 1.5;

double quartile_range(std::span<const double> logs) {
  std::vector<double> sorted(logs.begin(), logs.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25);
}

std::vector<double> weights_of(std::span<const PairedRound> rounds) {
  std::vector<double> squares;
  std::vector<double> spreads;
  for (const PairedRound& round : rounds) {
    const double baseline = quartile_range(round.baseline.logs);
    const double candidate = quartile_range(round.candidate.logs);
    squares.push_back(baseline * baseline + candidate * candidate);
    spreads.push_back(std::sqrt(squares.back()));
  }
  const double common = kCommonSpread * median(spreads);
  // Most rounds without any spread: a coarse clock, or one sample each. Nothing tells rounds apart then.
  if (!(common > 0)) return std::vector<double>(rounds.size(), 1.0);
  std::vector<double> weights;
  for (const double square : squares) weights.push_back(1 / (common * common + square));
  return weights;
}

}  // namespace

double middle_mean(std::span<const double> logs) {
  std::vector<double> sorted(logs.begin(), logs.end());
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(sorted.size());
  const double low = kCutAway * n;
  const double high = (1 - kCutAway) * n;
  double sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double from = std::max(low, static_cast<double>(i));
    const double to = std::min(high, static_cast<double>(i + 1));
    if (to > from) sum += (to - from) * sorted[i];
  }
  return sum / (high - low);
}

WeightedMean weighted_difference(std::span<const PairedRound> rounds) {
  const std::vector<double> weights = weights_of(rounds);
  std::vector<double> differences;
  for (const PairedRound& round : rounds) {
    differences.push_back(middle_mean(round.candidate.logs) - middle_mean(round.baseline.logs));
  }
  WeightedMean result;
  double total = 0;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    total += weights[r];
    result.mean += weights[r] * differences[r];
  }
  result.mean /= total;
  double squares = 0;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    squares += weights[r] * (differences[r] - result.mean) * (differences[r] - result.mean);
  }
  result.degrees = static_cast<double>(rounds.size()) - 1;
  result.standard_error = std::sqrt(squares / result.degrees / total);
  return result;
}

}  // namespace steelyard
