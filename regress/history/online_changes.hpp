// The change points of a series that grows, one point at a time, for bounded work: only the newest kMostPoints are
// looked at again, so that the ten-thousandth point costs what the four-hundredth did.
//
//     OnlineChanges online({.name = "sort", .unit = "ns"});
//     for (SeriesPoint point : points) online.add(point);
//     online.changes();
//
// Up to kMostPoints the answer is that of find_changes for the whole series with the points confirmed so far as
// `known`. Beyond that the oldest kDropped are let go at a time (up to kMostDropped where a change would be left with
// few values of its old level), and the change points among them stand as they were last found.
#pragma once

#include <vector>

#include "regress/history/change_points.hpp"

namespace steelyard {

class OnlineChanges {
 public:
  static constexpr std::size_t kMostPoints = 400;
  static constexpr std::size_t kDropped = 100;
  static constexpr std::size_t kMostDropped = 200;

  // head: name, metric, unit, direction; its points are added like all others. options.known: of a series told before.
  explicit OnlineChanges(Series head, ChangeOptions options = {});

  void add(SeriesPoint point);
  // By index in the whole series.
  const std::vector<ChangePoint>& changes() const { return changes_; }
  std::size_t points() const { return dropped_ + window_.points.size(); }

 private:
  std::size_t points_to_drop() const;
  void let_go();

  Series window_;
  ChangeOptions options_;
  std::size_t dropped_ = 0;           // points before the window
  std::vector<ChangePoint> settled_;  // among those
  std::vector<ChangePoint> changes_;
};

}  // namespace steelyard
