#include "regress/ab/code_layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "regress/ab/distributions.hpp"

namespace steelyard::regress {
namespace {

struct Pair {
  std::int32_t layout = 0;
  double mean = 0;
  double difference = 0;  // between its slots
};

// Rounds 2k and 2k + 1, where both have both sides and one layout.
std::vector<Pair> whole_pairs(std::span<const PairedRound> rounds, std::span<const std::int32_t> of_round) {
  std::map<std::int32_t, const PairedRound*> first;
  std::vector<Pair> pairs;
  for (const PairedRound& round : rounds) {
    const std::int32_t number = round.baseline.round;
    if (number < 0 || static_cast<std::size_t>(number) >= of_round.size()) continue;
    const auto [at, is_first] = first.emplace(number / 2, &round);
    if (is_first) continue;
    const PairedRound& other = *at->second;
    const std::int32_t layout = of_round[static_cast<std::size_t>(number)];
    if (of_round[static_cast<std::size_t>(other.baseline.round)] != layout) continue;
    const double difference = other.difference() - round.difference();
    pairs.push_back({layout, (other.difference() + round.difference()) / 2,
                     other.baseline.slot <= round.baseline.slot ? difference : -difference});
  }
  return pairs;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_around(const std::vector<double>& values, double centre) {
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

}  // namespace

std::optional<CodeLayoutNoise> noise_of_code_layouts(std::span<const PairedRound> rounds,
                                                     std::span<const std::int32_t> of_round, double confidence) {
  const std::vector<Pair> pairs = whole_pairs(rounds, of_round);
  std::map<std::int32_t, std::vector<double>> by_layout;  // means of pairs
  std::vector<double> all;
  std::vector<double> differences;
  for (const Pair& pair : pairs) {
    by_layout[pair.layout].push_back(pair.mean);
    all.push_back(pair.mean);
    differences.push_back(pair.difference);
  }
  const auto a = static_cast<double>(by_layout.size());
  const double n = 2 * static_cast<double>(pairs.size());
  const double degrees = n - a - 1;
  if (by_layout.size() < 2 || degrees < 1) return std::nullopt;

  double within = squares_around(differences, mean_of(differences)) / 2;
  double between = 0;
  double squared_sizes = 0;
  const double grand = mean_of(all);
  std::vector<double> means;
  for (const auto& [layout, of_pairs] : by_layout) {
    const double size = 2 * static_cast<double>(of_pairs.size());
    means.push_back(mean_of(of_pairs));
    within += 2 * squares_around(of_pairs, means.back());
    between += size * (means.back() - grand) * (means.back() - grand);
    squared_sizes += size * size;
  }
  const double usual_size = (n - squared_sizes / n) / (a - 1);
  const double component = (between / (a - 1) - within / degrees) / usual_size;
  const double centre = mean_of(means);
  const double error = std::sqrt(squares_around(means, centre) / (a - 1) / a);
  const double reach = student_quantile((1 + confidence) / 2, a - 1) * error;
  return CodeLayoutNoise{static_cast<std::int32_t>(by_layout.size()),
                         std::sqrt(std::max(0.0, component)),
                         {centre - reach, centre + reach}};
}

std::vector<std::int32_t> mutual_code_layouts(const RunHeader& baseline, const RunHeader& candidate) {
  std::vector<std::int32_t> layouts = code_layouts_of(baseline);
  if (layouts != code_layouts_of(candidate)) layouts.clear();
  return layouts;
}

}  // namespace steelyard::regress
