// A series as numbers to compare: for each machine its own points with a value, one number each (the median of the
// point's values; neighbouring points of one commit are one), on a logarithmic scale where every value is positive and
// the noise is no larger than a quarter, so that a step is a ratio.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/model/series.hpp"

namespace steelyard::regress {

struct MachineValues {
  std::string machine;
  std::vector<std::size_t> index;  // of the point in the series, ascending; of a commit with several the first
  std::vector<std::size_t> last;   // the last point of that commit
  std::vector<double> value;       // medians, in the metric's unit
  std::vector<double> level;       // what is compared: logarithms, or values over the largest; less their median
  std::vector<double> error;       // standard error of the level by the point's own values; 0: it has only one
  bool logarithmic = false;
};

// The median of the finite ones; absent: there are none. Cost O(n).
std::optional<double> value_of(const std::vector<double>& values);

// In the order in which the machines appear first. Points without a finite value are excluded. Cost O(n log n).
std::vector<MachineValues> values_by_machine(const Series& series);

// Spikes: one or two values far from those around them, back again afterwards. They are clipped and not deleted: a
// value keeps its place and its sign, and loses its weight.

// values, each moved to within `reach` of the median of the five values around it (at the ends: of those there are).
// errors: standard error of each value by its own samples, 0 where there is only one; a value whose error is larger
// than `scale` is held the closer. Precondition: errors empty or one per value. Cost O(n).
std::vector<double> clip_spikes(std::span<const double> values, double scale, std::span<const double> errors = {});

}  // namespace steelyard::regress
