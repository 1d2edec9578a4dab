// Which of the proposed steps of a series hold: from the weakest on they are taken away until each that is left is
// significant and relevant. Between looks every step is moved to its best place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regress/history/noise.hpp"

namespace steelyard {

struct Step {
  std::size_t begin = 0;  // of the new level
  double size = 0;        // new mean less old mean
  double p = 1;           // two-sided, adjusted for the places that were searched
};

struct StepRule {
  double alpha = 0.05;
  double least_size = 0;
};

// values: clipped. proposed: ascending, in 1 .. n - 1.
std::vector<Step> hold_steps(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed,
                             const StepRule& rule);

// P(a stretch without a step, of left + right values among n, shows a step of this size or more somewhere).
double p_of_step(double size, const Noise& noise, std::size_t left, std::size_t right, std::size_t n);

}  // namespace steelyard
