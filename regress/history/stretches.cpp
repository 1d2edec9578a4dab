#include "regress/history/stretches.hpp"

#include <algorithm>
#include <cmath>

#include "regress/history/steps.hpp"

namespace steelyard {
namespace {

// A disturbance may last a few values: the variance of a stretch of m values is taken 1 + 2/m times as large. Fewer
// values so need more, and 13 are nearly free (docs/method/change_points.md, "Constants").
constexpr double kShortStretch = 2;
constexpr std::size_t kLongestNear = 24;  // values on each side that tell where noise wanders
constexpr double kLeastOverall = 2;       // t of the whole stretches, below which a jump is a turn among many
constexpr std::size_t kBurst = 5;         // shorter excursions are no two changes
// -2 log(1 - sqrt(0.95)): D. Siegmund, Confidence sets in change-point problems, 1988.
constexpr double kPlaceLevel = 7.35;
constexpr std::size_t kUsualLength = 8;  // over which neighbours' likeness widens the range of places

}  // namespace

Stretches::Stretches(std::span<const double> values, const Noise& noise, std::span<const std::size_t> steps)
    : sums_(values.size() + 1),
      noise_(noise),
      clear_(kPlaceLevel * noise.scale() * noise.scale() * std::max(1.0, noise.inflation(kUsualLength))) {
  for (std::size_t i = 0; i < values.size(); ++i) sums_[i + 1] = sums_[i] + values[i];
  bounds_.push_back(0);
  bounds_.insert(bounds_.end(), steps.begin(), steps.end());
  bounds_.push_back(values.size());
}

double Stretches::mean(std::size_t from, std::size_t to) const {
  return (sums_[to] - sums_[from]) / static_cast<double>(to - from);
}

double Stretches::size(std::size_t k) const {
  return mean(bounds_[k + 1], bounds_[k + 2]) - mean(bounds_[k], bounds_[k + 1]);
}

double Stretches::t(std::size_t k) const {
  const std::size_t step = begin(k);
  double largest = 0;
  const std::size_t longest = std::max(left(k), right(k));
  for (std::size_t reach = longest;; reach = reach > 2 * kLongestNear ? kLongestNear : reach / 2) {
    const std::size_t l = std::min(left(k), reach);
    const std::size_t r = std::min(right(k), reach);
    const double variance = noise_.variance_of_step(l, r) * (1 + kShortStretch / static_cast<double>(std::min(l, r)));
    const double difference = std::fabs(mean(step, step + r) - mean(step - l, step));
    if (variance > 0) largest = std::max(largest, difference / std::sqrt(variance));
    if (reach >= longest && largest < kLeastOverall) return 0;
    if (reach / 2 < kLeastStretch) break;
  }
  return largest;
}

bool Stretches::is_burst(std::size_t k) const {
  if (right(k) >= kBurst) return false;
  const double there = size(k);
  const double back = size(k + 1);
  return there * back < 0 && std::fabs(there + back) < 0.5 * std::min(std::fabs(there), std::fabs(back));
}

void Stretches::remove(std::size_t k) { bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(k) + 1); }

// Between-squares of the two means; what a split takes off the sum of squares.
double Stretches::explained(std::size_t k, std::size_t cut) const {
  const std::size_t from = bounds_[k];
  const std::size_t to = bounds_[k + 2];
  const double difference = mean(cut, to) - mean(from, cut);
  const auto l = static_cast<double>(cut - from);
  const auto r = static_cast<double>(to - cut);
  return difference * difference * l * r / (l + r);
}

void Stretches::move_to_best(std::size_t k, bool kept) {
  const std::size_t from = bounds_[k];
  const std::size_t to = bounds_[k + 2];
  if (to - from < 2 * kLeastStretch) return;
  std::size_t best = from + kLeastStretch;
  double most = -1;
  for (std::size_t cut = from + kLeastStretch; cut + kLeastStretch <= to; ++cut) {
    const double here = explained(k, cut);
    if (here <= most) continue;
    most = here;
    best = cut;
  }
  if (kept && most - explained(k, bounds_[k + 1]) <= clear_) return;
  bounds_[k + 1] = best;
}

std::pair<std::size_t, std::size_t> Stretches::range(std::size_t k) const {
  const double least = explained(k, begin(k)) - clear_;
  std::size_t first = begin(k);
  std::size_t last = begin(k);
  while (first - 1 > bounds_[k] && explained(k, first - 1) >= least) --first;
  while (last + 1 < bounds_[k + 2] && explained(k, last + 1) >= least) ++last;
  return {first, last};
}

}  // namespace steelyard
