#include "regress/history/steps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "regress/ab/distributions.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/history/stretches.hpp"

namespace steelyard {
namespace {

constexpr double kHold = 10;      // a known step goes when its p is this many times the level
constexpr double kNever = 2;      // in the place of p: goes first
constexpr std::size_t kNear = 5;  // a proposal this near to a known step is that step
constexpr int kRounds = 10;       // of moving and judging anew; each but the last takes a step away

std::vector<std::size_t> with_known(std::span<const std::size_t> proposed, std::span<const std::size_t> known,
                                    std::size_t n) {
  std::vector<std::size_t> steps(known.begin(), known.end());
  std::erase_if(steps, [&](std::size_t step) { return step == 0 || step >= n; });
  for (std::size_t step : proposed) {
    const bool near = std::ranges::any_of(
        known, [&](std::size_t each) { return std::max(each, step) - std::min(each, step) <= kNear; });
    if (!near) steps.push_back(step);
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

class Elimination {
 public:
  Elimination(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed,
              const StepRule& rule)
      : n_(values.size()),
        rule_(rule),
        degrees_(noise.degrees()),
        stretches_(values, noise, with_known(proposed, rule.known, n_)) {
    for (std::size_t k = 0; k < stretches_.steps(); ++k) {
      kept_.push_back(std::ranges::binary_search(rule.known, stretches_.begin(k)));
      p_.push_back(judge(k));
    }
  }

  void run() {
    for (int round = 0; round < kRounds; ++round) {
      remove_weak();
      for (std::size_t k = 0; k < p_.size(); ++k) stretches_.move_to_best(k, kept_[k]);
      for (std::size_t k = 0; k < p_.size(); ++k) p_[k] = judge(k);
      if (std::ranges::all_of(p_, [&](double p) { return p <= rule_.alpha; })) return;
    }
    remove_weak();
  }

  std::vector<Step> held() const {
    std::vector<Step> steps;
    for (std::size_t k = 0; k < p_.size(); ++k) {
      const auto [first, last] = stretches_.range(k);
      steps.push_back({stretches_.begin(k), std::min(1.0, kept_[k] ? p_[k] * kHold : p_[k]), first, last});
    }
    return steps;
  }

 private:
  double judge(std::size_t k) const {
    const bool too_short = stretches_.left(k) < kLeastStretch || stretches_.right(k) < kLeastStretch;
    if (too_short || std::fabs(stretches_.size(k)) < rule_.least_size) return kNever;
    if (k > 0 && stretches_.is_burst(k - 1)) return kNever;
    if (k + 1 < stretches_.steps() && stretches_.is_burst(k)) return kNever;
    const double p = p_of_largest(stretches_.t(k), degrees_, stretches_.left(k) + stretches_.right(k), n_);
    return kept_[k] ? p / kHold : p;
  }

  // Among equals, as the two sides of a burst, the smaller step.
  std::size_t weakest() const {
    std::size_t place = 0;
    for (std::size_t k = 1; k < p_.size(); ++k)
      if (p_[k] > p_[place] ||
          (p_[k] == p_[place] && std::fabs(stretches_.size(k)) < std::fabs(stretches_.size(place))))
        place = k;
    return place;
  }

  void remove(std::size_t k) {
    stretches_.remove(k);
    p_.erase(p_.begin() + static_cast<std::ptrdiff_t>(k));
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  void remove_weak() {
    while (!p_.empty()) {
      const std::size_t k = weakest();
      if (p_[k] <= rule_.alpha) return;
      // Both sides of a burst at once: what is left of it would look like a step.
      const bool begins_burst = k + 1 < p_.size() && stretches_.is_burst(k);
      const bool ends_burst = k > 0 && stretches_.is_burst(k - 1);
      if (begins_burst) remove(k + 1);
      remove(k);
      if (!begins_burst && ends_burst) remove(k - 1);
      // Its neighbours have other stretches now, and theirs other bursts.
      for (std::size_t near = k < 3 ? 0 : k - 3; near < std::min(p_.size(), k + 2); ++near) p_[near] = judge(near);
    }
  }

  std::size_t n_;
  const StepRule& rule_;
  double degrees_;
  Stretches stretches_;
  std::vector<double> p_;
  std::vector<bool> kept_;
};

}  // namespace

double p_of_largest(double t, double degrees, std::size_t searched, std::size_t n) {
  const double single = student_two_sided_p(t, degrees);
  constexpr double kLeast = 1e-300;  // the normal quantile of less is out of range
  if (single < kLeast) return kLeast;
  if (single > 0.2) return 1;
  const double z = -normal_quantile(single / 2);
  const auto length = static_cast<double>(searched);
  const double density = steady_exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double somewhere = density * ((z - 1 / z) * 2 * steady_log(std::max(1.0, length - 1)) + 4 / z);
  return std::min(1.0, std::max(single, somewhere) * static_cast<double>(n) / length);
}

std::vector<Step> hold_steps(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed,
                             const StepRule& rule) {
  Elimination elimination(values, noise, proposed, rule);
  elimination.run();
  return elimination.held();
}

}  // namespace steelyard
