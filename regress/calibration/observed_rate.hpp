// How often something happened, with its exact binomial interval.
#pragma once

#include <cstdint>
#include <span>

#include "bench/model/calibration.hpp"

namespace steelyard {

// The shares at which `count` or fewer, and `count` or more, of `tries` are each as rare as (1 - confidence) / 2
// (C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
// Biometrika 1934; by quantiles of the beta distribution). No try: 0 to 1. Takes parts of tries too: see below.
// Precondition: 0 <= count <= tries, 0 < confidence < 1.
Interval binomial_interval(double count, double tries, double confidence = 0.95);

ObservedRate observed_rate(std::int64_t count, std::int64_t tries);

// One group of tries that are not independent of each other, as the comparisons of one gate.
struct TriedGroup {
  std::int64_t count = 0;
  std::int64_t tries = 0;
};
// Of all groups together. The interval is that of as many independent tries as give shares of groups that vary like
// these (the design effect: L. Kish, Survey Sampling, 1965, section 8.2): never more than there are. With one group the
// data cannot tell how alike its tries are, and they are taken as independent.
ObservedRate observed_rate(std::span<const TriedGroup> groups);

}  // namespace steelyard
