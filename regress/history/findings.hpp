// What moved together: changes of many series that one commit can explain are one finding, since one cause should be
// one alert. Ordered by importance.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/model/series.hpp"
#include "regress/history/commit_order.hpp"

namespace steelyard {

struct FindingMember {
  std::size_t series = 0;  // index
  std::size_t change = 0;  // index into that series' change points
};

struct ChangeFinding {
  std::vector<FindingMember> members;  // the largest change first
  std::string commit;                  // the likeliest cause; empty: the series have no commits
  std::string last_good;               // the cause is after it; empty: unknown, or the series begin with the change
  std::string newest;                  // the newest commit that can be the cause
  std::size_t regressions = 0;
  std::size_t improvements = 0;
  ChangeStatus status = ChangeStatus::suspected;  // confirmed where any member is
  std::string machine;  // set where all members are marked as shared: the machine that moved; else empty
  double shared = 0;    // the largest share among them
  double importance = 0;
};

// Each change point belongs to exactly one finding. Where the ranges of two changes overlap (first to last, and back to
// the commit that was measured before) one commit can explain both: the least number of commits that explains all is
// taken (the greedy choice is the least: intervals on a line). Shared moves of one machine are grouped apart.
//
// Importance: the sum over members of |ln ratio|, suspected ones at half; confirmed regressions stand before suspected
// ones, these before improvements, and what is the machine's last.
std::vector<ChangeFinding> group_changes(std::span<const Series> series,
                                         std::span<const std::vector<ChangePoint>> changes, const CommitOrder& order);

}  // namespace steelyard
