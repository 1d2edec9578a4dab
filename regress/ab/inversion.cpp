#include "regress/ab/inversion.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {
namespace {

constexpr double kFarthest = 40;      // logarithm of a ratio of 10^17: nothing is measured farther apart
constexpr double kPrecision = 0.005;  // of the typical error: what is left of the search is invisible in print

// Halves [inside, outside] until it is shorter than `precision`; returns the last point where `holds` was seen true.
template <class Predicate>
double last_inside(double inside, double outside, double precision, const Predicate& holds) {
  while (std::fabs(outside - inside) > precision) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) break;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

// Walks from `from` in steps that double until `stops`; absent when nothing stops it.
template <class Predicate>
std::optional<double> walk(double from, double step, const Predicate& stops) {
  for (double distance = step; std::fabs(distance) < kFarthest; distance *= 2) {
    if (stops(from + distance)) return from + distance;
  }
  return std::nullopt;
}

struct Search {
  const ShiftTest& test;
  double estimate;
  double alpha;
  double p_of_no_effect;

  // `direction`: -1 for the lower end, +1 for the upper.
  std::optional<double> end(double direction) const {
    double inside = estimate;
    bool passed_zero = (0 - estimate) * direction <= 0;
    std::optional<double> outside;
    for (double distance = test.step(); distance < kFarthest && !outside; distance *= 2) {
      const double next = estimate + direction * distance;
      if (!passed_zero && next * direction >= 0) {
        // No effect is asked for itself, so that the end falls on the side of 1 that p says.
        passed_zero = true;
        if (p_of_no_effect <= alpha) {
          outside = 0;
          break;
        }
        inside = 0;
      }
      if (test.p(next) <= alpha) {
        outside = next;
      } else {
        inside = next;
      }
    }
    if (!outside) return std::nullopt;
    const double precision = kPrecision * test.step();
    const double found = last_inside(inside, *outside, precision, [&](double s) { return test.p(s) > alpha; });
    return std::fabs(found - estimate) <= 2 * precision ? estimate : found;
  }
};

}  // namespace

double best_shift(const ShiftTest& test) {
  const auto above = [&](double shift) { return test.statistic(shift) > 0; };
  const auto below = [&](double shift) { return test.statistic(shift) < 0; };
  const auto low = walk(test.start(), -test.step(), above);
  const auto high = walk(test.start(), test.step(), below);
  if (!low || !high) return test.start();
  const double precision = kPrecision * test.step();
  const double last_above = last_inside(*low, *high, precision, above);
  const double first_below = last_inside(*high, last_above, precision, below);
  const double middle = 0.5 * (last_above + first_below);
  return std::fabs(middle - test.start()) <= 2 * precision ? test.start() : middle;
}

std::optional<Interval> shift_interval(const ShiftTest& test, double estimate, double alpha, double p_of_no_effect) {
  if (test.least_p() > alpha) return std::nullopt;
  const Search search{test, estimate, alpha, p_of_no_effect};
  const auto low = search.end(-1);
  const auto high = search.end(1);
  if (!low || !high) return std::nullopt;
  if (p_of_no_effect > alpha) return Interval{std::min(*low, 0.0), std::max(*high, 0.0)};
  return Interval{*low, *high};
}

}  // namespace steelyard
