// Between which commits the cause of a change lies, as places of an order that many series share.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bench/model/series.hpp"
#include "regress/history/commit_order.hpp"

namespace steelyard {

struct ChangeRange {
  std::size_t first = 0;   // the oldest commit that can be the cause: the one behind the last that was surely before it
  std::size_t last = 0;    // the newest
  std::size_t likely = 0;  // first <= likely <= last
};

// Absent where the point at which the change was seen has no commit.
std::optional<ChangeRange> range_of(const Series& series, const ChangePoint& change, const CommitOrder& order);

struct RangedChange {
  std::size_t series = 0;  // indices
  std::size_t change = 0;
  ChangeRange range;
};

// Groups of changes that one commit can explain, the least number of them: sorted by `last`, a change joins the group
// at hand if its range reaches back to that group's first `last` (J. Kleinberg and E. Tardos, "Algorithm Design", 2005,
// chapter 4: a greedy choice that stays ahead). Ties by series, then change.
std::vector<std::vector<RangedChange>> explained_together(std::vector<RangedChange> changes);

}  // namespace steelyard
