// What moved together: changes of many series that one commit can explain are one finding, since one cause should be
// one alert. Ordered by importance.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/model/series.hpp"

namespace steelyard::regress {

// One order of commits for many series that each saw a part of them: so that changes of different series can be said to
// stand at one place. Not for the order of commits in a repository: it knows only what was measured.

class CommitOrder {
 public:
  // The longest series goes first; a commit that only another one has stands behind the one that precedes it there.
  // Where two series disagree about the order, the longer one wins. Linear in the points.
  explicit CommitOrder(std::span<const Series> series);

  std::size_t size() const { return commits_.size(); }
  std::optional<std::size_t> place(const std::string& commit) const;  // absent: not seen, or empty
  const std::string& commit(std::size_t place) const { return commits_[place]; }

 private:
  std::vector<std::string> commits_;  // oldest first
  std::unordered_map<std::string, std::size_t> places_;
};

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
  ChangeCause cause = ChangeCause::commit;        // machine: of all members
  std::string machine;                            // that moved, where it is the cause; else empty
  double shared = 0;                              // the largest share among them
  double importance = 0;
};

// Each change point belongs to exactly one finding. Where the ranges of two changes overlap (first to last, and back to
// the commit that was measured before) one commit can explain both: the least number of commits that explains all is
// taken (the greedy choice is the least: intervals on a line). What is a machine's is grouped apart.
//
// Importance: the sum over members of |ln ratio|, suspected ones at half; confirmed regressions stand before suspected
// ones, these before improvements, and what is the machine's last.
std::vector<ChangeFinding> group_changes(std::span<const Series> series,
                                         std::span<const std::vector<ChangePoint>> changes, const CommitOrder& order);

// By importance, the greatest first.
bool stands_before(const ChangeFinding& a, const ChangeFinding& b);

// Between which commits the cause of a change lies, as places of an order that many series share.

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

// A machine that became slower moves all of its benchmarks at once, by about the same factor. No single series can tell
// that from a change of the code; all of them together can make it likely. Such points keep their status and verdict,
// and have the machine as their cause, unless something speaks for the code: a series surely stayed where it was while
// the others moved; it is a counted metric, which no machine moves; the counts of the same benchmarks moved there too;
// or another machine saw the same at the same commits. A change that slows everything and is seen on one machine alone,
// by its time alone, looks the same as the machine's, and only measuring both commits side by side tells.

// changes[i]: of series[i]. Sets ChangePoint::shared to the share of the machine's series of that metric that moved
// alike at this place, and to 0 where too few did; and ChangePoint::cause. A series without a change point there counts
// with what its own levels around the place say. Series without commits have no common place and are left alone.
void mark_shared_moves(std::span<const Series> series, std::span<std::vector<ChangePoint>> changes,
                       const CommitOrder& order);

}  // namespace steelyard::regress
