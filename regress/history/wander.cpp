#include "regress/history/wander.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// What comes on top of white noise of variance 1, none first. States that fade faster are told from white noise by
// chance only, in as few values as there are; a coarser grid lets more walks pass for steps.
struct Wander {
  double fading = 0;    // of the state, from value to value; 1: it walks
  double strength = 0;  // variance of the state; of a walk's stride
};
constexpr std::array kWanders = {Wander{0, 0},     Wander{0.8, 0.1},  Wander{0.8, 0.5},  Wander{0.8, 2.5},
                                 Wander{0.8, 20},  Wander{0.93, 0.1}, Wander{0.93, 0.5}, Wander{0.93, 2.5},
                                 Wander{0.93, 20}, Wander{1, 0.01},   Wander{1, 0.05},   Wander{1, 0.25},
                                 Wander{1, 2}};
static_assert(kWanders.front().strength == 0);

// Twice the logarithm of the likelihood ratio by which noise that wanders must explain the series with its step better
// than white noise does; by less it is chance, and white noise is all that the step is held against.
constexpr double kMinWander = 2;

// Of the innovations: their variances' logarithm, summed; what is left of their squares without and with the step.
struct Fit {
  double log_variances = 0;
  double without = 0;
  double with = 0;
};

// One series as the filter sees it: how far each value is from what those before it let expect.
struct Filtered {
  double expected = 0;
  double take(double value, double fading, double gain) {
    const double innovation = value - expected;
    expected = fading * (expected + gain * innovation);
    return innovation;
  }
};

Fit fit(std::span<const double> values, std::size_t cut, const Wander& wander) {
  const bool walks = wander.fading == 1;
  const double squared = wander.fading * wander.fading;
  const double fresh = walks ? wander.strength : wander.strength * (1 - squared);
  double variance = walks ? 0 : wander.strength;  // of the state, before the value is seen; a walk begins at the level
  Filtered value, level, step;
  double yy = 0, yl = 0, ys = 0, ll = 0, ls = 0, ss = 0;
  double product = 1;  // of variances: one logarithm for many
  constexpr double kHuge = 1e100;
  Fit result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double total = variance + 1;
    const double gain = variance / total;
    const double y = value.take(values[i], wander.fading, gain);
    const double l = level.take(1, wander.fading, gain);
    const double s = step.take(i < cut ? 0 : 1, wander.fading, gain);
    yy += y * y / total;
    yl += y * l / total;
    ys += y * s / total;
    ll += l * l / total;
    ls += l * s / total;
    ss += s * s / total;
    product *= total;
    if (product > kHuge) result.log_variances += steady_log(std::exchange(product, 1));
    variance = squared * variance * (1 - gain) + fresh;
  }
  result.log_variances += steady_log(product);
  result.without = std::max(0.0, yy - yl * yl / ll);
  const double of_step = ss - ls * ls / ll;
  const double across = ys - ls * yl / ll;
  constexpr double kNothingLeft = 1e-9;  // of the step beside the level
  result.with =
      of_step > kNothingLeft * ss ? std::max(0.0, result.without - across * across / of_step) : result.without;
  return result;
}

}  // namespace

WanderTest step_against_wander(std::span<const double> values, std::size_t cut, double least_variance) {
  assert(cut > 0 && cut < values.size() && values.size() >= 6 && least_variance > 0);
  const auto n = static_cast<double>(values.size());
  struct Likelihood {  // twice its logarithm, less what all share
    double without = -HUGE_VAL;
    double with = -HUGE_VAL;
  };
  const auto of = [&](const Wander& wander) {
    const Fit here = fit(values, cut, wander);
    return Likelihood{-here.log_variances - n * steady_log(here.without / n + least_variance),
                      -here.log_variances - n * steady_log(here.with / n + least_variance)};
  };
  const Likelihood white = of(kWanders.front());
  Likelihood most = white;
  for (const Wander& wander : std::span(kWanders).subspan(1)) {
    const Likelihood here = of(wander);
    most.without = std::max(most.without, here.without);
    most.with = std::max(most.with, here.with);
  }
  if (most.with - white.with <= kMinWander) most = white;
  const double ratio = std::max(0.0, most.with - most.without);
  // Of independent values the ratio is n log(1 + t^2 / (n - 2)). Two degrees more go to the kind of noise.
  return {std::sqrt((n - 2) * (steady_exp(ratio / n) - 1)), std::max(2.0, n - 4)};
}

}  // namespace steelyard::regress
