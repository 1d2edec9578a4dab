// Does a step explain more than noise that wanders? Values of one unchanged program drift, and a level that is the mean
// of some of them then differs from that of the next ones without any step. Once a step is taken out, what is left
// looks quieter than it is; so noise that was measured between steps cannot answer, and two explanations are held
// against each other: noise of any kind with the step, and noise of any kind without it.
//
// Noise of any kind: white, and on it a state that fades (AR(1)) or walks at random, of any strength; the likelihood is
// exact (Kalman filter), level and step are estimated by generalized least squares on its innovations. Where the series
// with its step shows no wandering beyond what chance puts into white noise, white noise alone is asked.
//
// Sources: a step among the disturbances of a state-space model: A. C. Harvey and S. J. Koopman, Diagnostic checking of
// unobserved-components time series models, 1992. Level shifts in correlated noise whose model is estimated with and
// without them: C. Chen and L.-M. Liu, Joint estimation of model parameters and outlier effects in time series, 1993.
#pragma once

#include <cstddef>
#include <span>

namespace steelyard::regress {

// A longer stretch is heard with so many values next to the step: what lies further off says nothing about wandering
// that these do not, and bounds the cost.
inline constexpr std::size_t kMaxBeside = 150;

struct WanderTest {
  double t = 0;  // of two means in independent normal values it is Student's, exactly
  double degrees = 1;
};

// values: both stretches, in time order, spikes clipped; the new level begins at `cut`, 0 < cut < n, n at least 6.
// least_variance: of one value, positive; what a perfect fit is taken for. Cost: 13 passes over the values.
WanderTest step_against_wander(std::span<const double> values, std::size_t cut, double least_variance);

}  // namespace steelyard::regress
