#include "regress/ab/guessed_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "bench/model/quantile.hpp"

namespace steelyard {
namespace {

// Correlation within pairs, of signed ranks, at or below which the order is taken to be in pairs: unchanged programs
// with equal slots showed it in 7 to 12 % of windows of recorded noise (15 rounds), those whose slots differ by 4
// standard deviations in 72 to 83 %.
constexpr double kOpposite = -0.5;
// Quarter over three quarters of the sizes of differences: .28 for normal noise around 0, .50 two deviations away.
constexpr double kAwayFromZero = 0.4;

double sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

std::vector<double> signed_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double size_a = std::fabs(values[a]);
    const double size_b = std::fabs(values[b]);
    return size_a != size_b ? size_a < size_b : a < b;
  });
  std::vector<double> ranks(values.size(), 0.0);
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && std::fabs(values[order[end]]) == std::fabs(values[order[begin]])) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (; begin < end; ++begin) {
      ranks[order[begin]] = sign(values[order[begin]]) * rank;
    }
  }
  return ranks;
}

double correlation_in_pairs(std::span<const double> values) {
  const std::vector<double> ranks = signed_ranks(values);
  double products = 0;
  double squares = 0;
  for (std::size_t r = 0; r + 1 < ranks.size(); r += 2) {
    products += 2 * ranks[r] * ranks[r + 1];
    squares += ranks[r] * ranks[r] + ranks[r + 1] * ranks[r + 1];
  }
  return squares > 0 ? products / squares : 0;
}

}  // namespace

std::optional<GuessedOrder> order_of_pairs(std::span<const double> differences) {
  if (differences.size() < kRoundsForPairs || correlation_in_pairs(differences) > kOpposite) return std::nullopt;
  std::vector<double> halves;
  for (std::size_t r = 0; r + 1 < differences.size(); r += 2) {
    halves.push_back(0.5 * std::fabs(differences[r] - differences[r + 1]));
  }
  const double slot = median(halves);
  GuessedOrder order{std::vector<double>(differences.size(), 0.0)};
  for (std::size_t r = 0; r + 1 < differences.size(); r += 2) {
    const double first = sign(differences[r] - differences[r + 1]);
    order.raised[r] = first * slot;
    order.raised[r + 1] = -first * slot;
  }
  if (differences.size() % 2 == 1) order.raised.back() = sign(differences.back()) * slot;
  return order;
}

std::optional<GuessedOrder> order_by_sign(std::span<const double> differences) {
  if (differences.size() < kRoundsForGuessing) return std::nullopt;
  std::vector<double> sizes;
  for (const double difference : differences) sizes.push_back(std::fabs(difference));
  std::sort(sizes.begin(), sizes.end());
  if (quantile_of_sorted(sizes, 0.25) <= kAwayFromZero * quantile_of_sorted(sizes, 0.75)) return std::nullopt;
  const double slot = quantile_of_sorted(sizes, 0.5);
  GuessedOrder order;
  for (const double difference : differences) order.raised.push_back(sign(difference) * slot);
  return order;
}

std::vector<double> sums_of_pairs(std::span<const double> scores) {
  std::vector<double> sums;
  for (std::size_t r = 0; r < scores.size(); r += 2) {
    sums.push_back(scores[r] + (r + 1 < scores.size() ? scores[r + 1] : 0));
  }
  return sums;
}

}  // namespace steelyard
