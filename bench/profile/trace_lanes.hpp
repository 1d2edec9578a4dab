// Tracks as files of traces have them: a process and a thread by number, on which spans nest. What overlaps another
// event of its track without nesting stands on a lane beside it, which has a number of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "bench/profile/trace.hpp"

namespace steelyard::bench {

class TraceLanes {
 public:
  struct Place {
    std::uint64_t process;
    std::int64_t thread;
  };

  explicit TraceLanes(const Trace& trace) : trace_(trace) {
    for (const TraceTrack& track : trace.tracks) next_ = std::max(next_, track.id);
  }

  // Events come in the trace's order. Cost: the logarithm of how many overlap.
  Place of(const TraceEvent& event) {
    if (event.track != track_) {
      track_ = event.track;
      ends_.clear();
      by_end_.clear();
      idle_.clear();
    }
    const std::size_t lane = take_lane(event);
    const TraceTrack& track = trace_.tracks[track_];
    if (lane == 0) return {track.process, track.id};
    const auto [place, is_new] = beside_.try_emplace({track_, lane}, 0);
    if (is_new) place->second = ++next_;
    return {track.process, place->second};
  }

  // By track and lane, from 1 on: the number of a thread that is none of the trace's.
  const std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t>& beside() const { return beside_; }

 private:
  // The lane of the innermost open span that holds the event, so that what runs in it stands below it; else the first
  // on which nothing is open.
  std::size_t take_lane(const TraceEvent& event) {
    while (!by_end_.empty() && by_end_.begin()->first <= event.begin_ns) {
      const std::size_t ended = by_end_.extract(by_end_.begin()).value().second;
      ends_[ended].pop_back();
      show(ended);
    }
    std::size_t lane = ends_.size();
    const auto around = by_end_.lower_bound({event.end_ns(), 0});
    if (around != by_end_.end()) {
      lane = by_end_.extract(around).value().second;
    } else if (!idle_.empty()) {
      lane = idle_.extract(idle_.begin()).value();
    } else {
      ends_.emplace_back();
    }
    ends_[lane].push_back(event.end_ns());
    show(lane);
    return lane;
  }

  void show(std::size_t lane) {
    if (ends_[lane].empty()) {
      idle_.insert(lane);
    } else {
      by_end_.emplace(ends_[lane].back(), lane);
    }
  }

  const Trace& trace_;
  std::int64_t next_ = 0;
  std::uint32_t track_ = TraceTree::kNoParent;
  std::vector<std::vector<std::int64_t>> ends_;            // of each lane: of the spans that are open
  std::set<std::pair<std::int64_t, std::size_t>> by_end_;  // of each lane that has some: the innermost's end, and it
  std::set<std::size_t> idle_;                             // lanes without
  std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t> beside_;
};

}  // namespace steelyard::bench
