// Where did the level of a series change? Pure and deterministic: same series and options, same answer on every
// machine. The method and its constants: docs/method/change_points.md.
#pragma once

#include <span>
#include <vector>

#include "bench/model/series.hpp"

namespace steelyard {

struct ChangeOptions {
  double false_alarm_rate = 0.05;  // chance that a series without a change has any confirmed or suspected point
  double minimum_effect = 0.01;    // relative; smaller steps are not told
  // Known points, as find_changes returned them for a shorter series: they keep their id, and move or go only where the
  // data speak clearly against them.
  std::vector<ChangePoint> known = {};
};

// By index. Points of different machines are never compared: each machine's own points are searched apart, and indices
// are those of the whole series. Empty, constant, huge, negative values: a defined answer. Cost O(n log n) for n
// points.
std::vector<ChangePoint> find_changes(const Series& series, const ChangeOptions& options = {});

}  // namespace steelyard
