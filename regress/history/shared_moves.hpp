// A machine that became slower moves all of its benchmarks at once, by about the same factor. No single series can tell
// that from a change of the code; all of them together can make it likely. Such points keep their status and verdict,
// and are marked: the machine is the better explanation, but a change that slows everything looks the same, and only
// measuring both commits side by side tells.
#pragma once

#include <span>
#include <vector>

#include "bench/model/series.hpp"
#include "regress/history/commit_order.hpp"

namespace steelyard {

struct SharedMoveRules {
  std::size_t least_series = 5;  // fewer say nothing about a machine
  double least_share = 0.6;      // of the machine's series of one metric that must move alike
  // Moves are alike where their logarithms lie within this factor of the median's: half of it to twice it. A machine's
  // trouble (clock, neighbour, memory) hits kernels unequally, but with one sign.
  double alike = 2;
};

// changes[i]: of series[i]. Sets ChangePoint::shared to the share of the machine's series of that metric that moved
// alike at this place, and to 0 where too few did. A series without a change point there counts with what its own
// levels around the place say. Series without commits have no common place and are left alone.
void mark_shared_moves(std::span<const Series> series, std::span<std::vector<ChangePoint>> changes,
                       const CommitOrder& order, const SharedMoveRules& rules = {});

}  // namespace steelyard
