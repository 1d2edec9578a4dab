// How much do values of a series differ that lie k places apart, if no change lies between them? The variogram: it
// needs no level, so a few steps do not spoil it, and it holds what neighbours have in common (autocorrelation, slow
// drift). From it follows the variance of the difference between the means of two neighbouring stretches, which is what
// a step is judged by.
//
// Source: variogram and intrinsic contrasts, G. Matheron, Principles of geostatistics, 1963; robust difference-based
// estimates under steps: I. Tecuapetla-Gomez and A. Munk, Autocovariance estimation in regression with a discontinuous
// signal and m-dependent errors, 2017.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace steelyard {

class Noise {
 public:
  // values: in time order. Fewer than 2, or all equal: no noise (scale 0).
  explicit Noise(std::span<const double> values);

  double scale() const { return scale_; }  // standard deviation of one value around its neighbours
  // Variance of (mean of the next `right` values) - (mean of `left` values). Precondition: both positive.
  double variance_of_step(std::size_t left, std::size_t right) const;
  // How much larger that variance is than for independent values, over stretches of `length`.
  double inflation(std::size_t length) const;
  double degrees() const { return degrees_; }  // of freedom behind the scale

 private:
  double sum_within(std::size_t length) const;  // of the variogram over all ordered pairs of a stretch

  double scale_ = 0;
  double degrees_ = 1;
  std::vector<double> variogram_;  // [k - 1]: E (y[t + k] - y[t])^2; the last one holds for all longer lags
};

}  // namespace steelyard
