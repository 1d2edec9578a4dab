// Which of the proposed steps of a series hold: from the weakest on they are taken away until each that is left is
// significant and large enough, explains more than noise that wanders (wander.hpp), and is no burst (a few values
// elsewhere and back again). Those that hold are moved to their best place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regress/history/noise.hpp"

namespace steelyard::regress {

struct Step {
  std::size_t begin = 0;  // of the new level
  double p = 1;           // two-sided, adjusted for the places that were searched
  // The first and the last place that the values do not speak against (95 %).
  std::size_t first = 0;
  std::size_t last = 0;
};

struct StepRule {
  double alpha = 0.05;
  double min_size = 0;  // of the difference between the means of both sides
  // Steps that were told before, ascending: each stays until it is clearly no step any more, and at its place until
  // another is clearly better.
  std::vector<std::size_t> known = {};
};

// A step has at least this many values on either side: fewer are a spike or, at the end, only suspected.
inline constexpr std::size_t kMinStretch = 3;

// values: spikes clipped. proposed: ascending, each in 1 .. n - 1.
std::vector<Step> hold_steps(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed,
                             const StepRule& rule);

// P(the largest of all t of a stretch of `searched` values without a step is at least t), for one of n / searched such
// stretches: two-sided t with the noise's degrees, adjusted by Miller and Siegmund, Maximally selected chi square
// statistics, 1982, for the place of the split.
double p_of_largest(double t, double degrees, std::size_t searched, std::size_t n);

// The best division of a series into stretches of constant level: least squares plus a penalty for each step. Exact, by
// functional pruning: for every possible level of the newest stretch the least cost is kept as pieces of parabolas.
//
// Source: R. Maidstone, T. Hocking, G. Rigaill and P. Fearnhead, On optimal multiple changepoint algorithms for large
// data, 2017 (FPOP). Not robust by itself: clip spikes before.

// Ascending indices at which a new level begins; never 0. Precondition: finite values, penalty > 0. Cost about
// O(n log n), at worst O(n^2).
std::vector<std::size_t> best_steps(std::span<const double> values, double penalty);

// A series cut into stretches by steps, and how strong each step is. Cost of each question: O(log n), of moving a step:
// the length of both its stretches.

class Stretches {
 public:
  // steps: ascending, in 1 .. n - 1. `noise` must outlive this.
  Stretches(std::span<const double> values, const Noise& noise, std::span<const std::size_t> steps);

  std::size_t steps() const { return bounds_.size() - 2; }
  std::size_t begin(std::size_t k) const { return bounds_[k + 1]; }
  std::size_t left(std::size_t k) const { return bounds_[k + 1] - bounds_[k]; }
  std::size_t right(std::size_t k) const { return bounds_[k + 2] - bounds_[k + 1]; }
  double level(std::size_t stretch) const { return mean(bounds_[stretch], bounds_[stretch + 1]); }
  double size(std::size_t k) const;  // mean after less mean before
  // Size over its standard deviation; of the whole stretches and of ever shorter ones around the step, the largest:
  // where noise wanders only the values near the step tell. Never negative.
  double t(std::size_t k) const;
  // Whether the values from step k to the next lead back to about where they began.
  bool leads_back(std::size_t k) const;
  // Whether they are few, too.
  bool is_burst(std::size_t k) const;

  void remove(std::size_t k);
  // To where two means explain most. A step that is `kept` stays while its place is not clearly worse.
  void move_to_best(std::size_t k, bool kept);
  // Smallest and largest place that explain not clearly less than the present one.
  std::pair<std::size_t, std::size_t> range(std::size_t k) const;

 private:
  double mean(std::size_t from, std::size_t to) const;
  double explained(std::size_t k, std::size_t cut) const;

  std::vector<double> sums_;
  std::vector<std::size_t> bounds_;
  const Noise& noise_;
  double clear_;  // a difference of explained squares that tells places apart
};

}  // namespace steelyard::regress
