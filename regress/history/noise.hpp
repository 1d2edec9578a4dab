// How much do values of a series differ that lie k places apart, if no change lies between them? The variogram: it
// needs no level, so a few steps do not spoil it, and it holds what neighbours have in common (autocorrelation, slow
// drift, trend). From it follows the variance of the difference between the means of two neighbouring stretches, which
// is what a step is judged by.
//
// Sources: variogram and intrinsic contrasts: G. Matheron, Principles of geostatistics, 1963. Estimates from
// differences under unknown steps: I. Tecuapetla-Gomez and A. Munk, Autocovariance estimation in regression with a
// discontinuous signal and m-dependent errors, 2017. First guess from the two nearest lags: S. Chakar and others, A
// robust approach for estimating change-points in the mean of an AR(1) process, 2017.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace steelyard::regress {

// A first, coarse scale (standard deviation) of one value around its neighbours, which neither steps nor spikes nor a
// second mode spoil. 0: fewer than 2 values, or all equal. Cost O(n log n).
double coarse_scale(std::span<const double> values);

class Noise {
 public:
  // No noise.
  Noise() = default;
  // values: in time order, spikes clipped. Nothing is known of steps: what distant values have in common is guessed
  // from the nearest ones, because steps would pass for it. Cost O(n).
  static Noise guess(std::span<const double> values);
  // steps: first indices at a new level, ascending, perhaps none; pairs of values across one are excluded. Cost O(n).
  // guessed: of the same values; where they were seen to wander (random walk, trend), they still do.
  static Noise between(std::span<const double> values, std::span<const std::size_t> steps, const Noise& guessed);

  double scale() const { return scale_; }      // standard deviation of one value around its neighbours; 0: none
  double degrees() const { return degrees_; }  // of freedom behind the scale
  // Variance of (mean of the next `right` values) - (mean of `left` values). Precondition: both positive, together not
  // more than there are values. Cost O(1).
  double variance_of_step(std::size_t left, std::size_t right) const;
  // How much larger that is than for independent values, for stretches of `length`; 1 where the series is shorter.
  double inflation(std::size_t length) const;

 private:
  Noise(std::span<const double> values, std::span<const std::size_t> steps, const Noise* guessed);
  void measure_lags(std::span<const double> values, std::span<const std::size_t> steps, double most);
  void add_sums(std::size_t n);

  double scale_ = 0;
  double degrees_ = 1;
  double ratio_ = 1;               // of the variogram at lag two to that at lag one, as far as it is believed
  std::vector<double> variogram_;  // [k - 1]: mean of (y[t + k] - y[t])^2, for k up to n - 1
  std::vector<double> within_;     // [m]: sum of the variogram over all ordered pairs of m values in a row
};

}  // namespace steelyard::regress
