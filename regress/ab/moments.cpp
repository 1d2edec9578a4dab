#include "regress/ab/moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regress/ab/distributions.hpp"

namespace steelyard::regress {

MeanAndInterval student_interval(std::span<const double> values, double confidence) {
  MeanAndInterval result;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / n;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const double half = student_quantile(0.5 + confidence / 2, n - 1) * std::sqrt(squares / (n - 1) / n);
  result.interval = Interval{result.mean - half, result.mean + half};
  return result;
}

void add_neighbours(std::span<const double> values, double mean, NeighbourSums& sums) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = values[i] - mean;
    sums.squares += distance * distance;
    if (i > 0) sums.products += distance * (values[i - 1] - mean);
  }
}

double neighbour_correlation(const NeighbourSums& sums, double n, double most) {
  if (sums.squares <= 0) return 0;
  const double seen = sums.products / sums.squares;
  return std::clamp(seen + (1 + 4 * seen) / n, 0.0, most);
}

}  // namespace steelyard::regress
