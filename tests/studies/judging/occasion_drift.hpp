// How far apart an unchanged program lies from itself where the sides are not measured together: what the usual drifts
// of regress/ab/drift.cpp are held against. docs/method/judgement.md has the table.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/studies/judging/window.hpp"

namespace steelyard::judging {

struct OccasionDrift {
  std::int64_t tries = 0;
  double deviation = 0;  // root mean square of the log ratios of the sides' medians
  double median = 0;     // of their sizes
  double largest = 0;
};

// Of every benchmark of `windows` windows, in which nothing changed.
OccasionDrift drift_of(const std::function<Window(Draw&)>& source, int windows, std::uint64_t seed);

}  // namespace steelyard::judging
