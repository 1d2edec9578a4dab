#include "regress/history/steps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "regress/ab/distributions.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kLeastLength = 3;  // shorter stretches are spikes, at the end suspected at most

// Sums from the start, for means of any stretch.
std::vector<double> running_sums(std::span<const double> values) {
  std::vector<double> sums(values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i + 1] = sums[i] + values[i];
  return sums;
}

class Stretches {
 public:
  Stretches(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed)
      : n_(values.size()), noise_(noise), sums_(running_sums(values)) {
    bounds_.push_back(0);
    bounds_.insert(bounds_.end(), proposed.begin(), proposed.end());
    bounds_.push_back(n_);
  }

  std::size_t steps() const { return bounds_.size() - 2; }
  std::size_t begin(std::size_t k) const { return bounds_[k + 1]; }
  std::size_t left(std::size_t k) const { return bounds_[k + 1] - bounds_[k]; }
  std::size_t right(std::size_t k) const { return bounds_[k + 2] - bounds_[k + 1]; }
  double mean(std::size_t from, std::size_t to) const {
    return (sums_[to] - sums_[from]) / static_cast<double>(to - from);
  }
  double size(std::size_t k) const { return mean(bounds_[k + 1], bounds_[k + 2]) - mean(bounds_[k], bounds_[k + 1]); }
  double p(std::size_t k) const { return p_of_step(size(k), noise_, left(k), right(k), n_); }
  void remove(std::size_t k) { bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(k) + 1); }

  // To where the two means explain most, with at least kLeastLength values on either side where there are so many.
  void move_to_best(std::size_t k) {
    const std::size_t from = bounds_[k];
    const std::size_t to = bounds_[k + 2];
    if (to - from < 2 * kLeastLength) return;
    std::size_t best = bounds_[k + 1];
    double most = -1;
    for (std::size_t cut = from + kLeastLength; cut + kLeastLength <= to; ++cut) {
      const double size = mean(cut, to) - mean(from, cut);
      const double explained = size * size * static_cast<double>(cut - from) * static_cast<double>(to - cut) /
                               static_cast<double>(to - from);
      if (explained <= most) continue;
      most = explained;
      best = cut;
    }
    bounds_[k + 1] = best;
  }

 private:
  std::size_t n_;
  const Noise& noise_;
  std::vector<double> sums_;
  std::vector<std::size_t> bounds_;
};

}  // namespace

// Miller and Siegmund, Maximally selected chi square statistics, 1982, equation 8, for every split of the stretch;
// times the stretches of this length that the series has.
double p_of_step(double size, const Noise& noise, std::size_t left, std::size_t right, std::size_t n) {
  const double variance = noise.variance_of_step(left, right);
  if (size == 0 || !(variance > 0)) return 1;
  const double t = std::fabs(size) / std::sqrt(variance);
  const double single = student_two_sided_p(t, noise.degrees());
  if (single < 1e-300) return 1e-300;
  if (single > 0.2) return 1;
  const double z = -normal_quantile(single / 2);
  const auto length = static_cast<double>(left + right);
  const double odds = std::max(1.0, length - 1);  // of the outermost split
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double somewhere = density * ((z - 1 / z) * 2 * std::log(odds) + 4 / z);
  return std::min(1.0, std::max(single, somewhere) * static_cast<double>(n) / length);
}

std::vector<Step> hold_steps(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed,
                             const StepRule& rule) {
  Stretches stretches(values, noise, proposed);
  std::vector<double> p(stretches.steps());
  const auto judge = [&](std::size_t k) {
    const bool too_short = stretches.left(k) < kLeastLength || stretches.right(k) < kLeastLength;
    const bool too_small = std::fabs(stretches.size(k)) < rule.least_size;
    p[k] = too_short || too_small ? 2 : stretches.p(k);
  };
  for (std::size_t k = 0; k < p.size(); ++k) judge(k);
  while (true) {
    while (!p.empty()) {
      std::size_t weakest = 0;
      for (std::size_t k = 1; k < p.size(); ++k) {
        const bool smaller = p[k] == p[weakest] && std::fabs(stretches.size(k)) < std::fabs(stretches.size(weakest));
        if (p[k] > p[weakest] || smaller) weakest = k;
      }
      if (p[weakest] <= rule.alpha) break;
      stretches.remove(weakest);
      p.erase(p.begin() + static_cast<std::ptrdiff_t>(weakest));
      if (weakest > 0) judge(weakest - 1);
      if (weakest < p.size()) judge(weakest);
    }
    for (std::size_t k = 0; k < p.size(); ++k) stretches.move_to_best(k);
    for (std::size_t k = 0; k < p.size(); ++k) judge(k);
    if (std::ranges::all_of(p, [&](double each) { return each <= rule.alpha; })) break;
  }
  std::vector<Step> steps;
  for (std::size_t k = 0; k < p.size(); ++k) steps.push_back({stretches.begin(k), stretches.size(k), p[k]});
  return steps;
}

}  // namespace steelyard
