// Which of the proposed steps of a series hold: from the weakest on they are taken away until each that is left is
// significant and large enough, and is no burst (a few values elsewhere and back again). Those that hold are moved to
// their best place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regress/history/noise.hpp"

namespace steelyard {

struct Step {
  std::size_t begin = 0;  // of the new level
  double p = 1;           // two-sided, adjusted for the places that were searched
  // The first and the last place that the values do not speak against (95 %).
  std::size_t first = 0;
  std::size_t last = 0;
};

struct StepRule {
  double alpha = 0.05;
  double least_size = 0;  // of the difference between the means of both sides
  // Steps that were told before, ascending: each stays until it is clearly no step any more, and at its place until
  // another is clearly better.
  std::vector<std::size_t> known = {};
};

// A step has at least this many values on either side: fewer are a spike or, at the end, only suspected.
inline constexpr std::size_t kLeastStretch = 3;

// values: spikes clipped. proposed: ascending, each in 1 .. n - 1.
std::vector<Step> hold_steps(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed,
                             const StepRule& rule);

// P(the largest of all t of a stretch of `searched` values without a step is at least t), for one of n / searched such
// stretches: two-sided t with the noise's degrees, adjusted by Miller and Siegmund, Maximally selected chi square
// statistics, 1982, for the place of the split.
double p_of_largest(double t, double degrees, std::size_t searched, std::size_t n);

}  // namespace steelyard
