// Tracks as files of traces have them: a process and a thread by number, on which spans nest. What overlaps another
// event of its track without nesting stands on a lane beside it, which has a number of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
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

  // Events come in the trace's order.
  Place of(const TraceEvent& event) {
    if (event.track != track_) {
      track_ = event.track;
      ends_.clear();
    }
    std::size_t lane = 0;
    for (; lane < ends_.size(); ++lane) {
      std::vector<std::int64_t>& ends = ends_[lane];
      while (!ends.empty() && ends.back() <= event.begin_ns) ends.pop_back();
      if (ends.empty() || event.end_ns() <= ends.back()) break;
    }
    if (lane == ends_.size()) ends_.emplace_back();
    ends_[lane].push_back(event.end_ns());
    const TraceTrack& track = trace_.tracks[track_];
    if (lane == 0) return {track.process, track.id};
    const auto [place, is_new] = beside_.try_emplace({track_, lane}, 0);
    if (is_new) place->second = ++next_;
    return {track.process, place->second};
  }

  // By track and lane, from 1 on: the number of a thread that is none of the trace's.
  const std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t>& beside() const { return beside_; }

 private:
  const Trace& trace_;
  std::int64_t next_ = 0;
  std::uint32_t track_ = TraceTree::kNoParent;
  std::vector<std::vector<std::int64_t>> ends_;  // of each lane: of the spans that are open
  std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t> beside_;
};

}  // namespace steelyard::bench
