// Where did the level of a series change? Pure and deterministic: same series and options, same answer on every
// machine. The method and its constants: docs/method/change_points.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/model/series.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

struct ChangeOptions {
  double false_alarm_rate = 0.05;  // chance that a series without a change has any confirmed or suspected point
  double minimum_effect = 0.01;    // relative; smaller steps are not told
  // Known points, as find_changes returned them for a shorter series: they keep their id, and move or go only where the
  // data speak clearly against them. Indices are those of the very series that is searched: where several machines
  // measured a commit, they say which of them a point is of.
  std::vector<ChangePoint> known = {};
  Rules rules = kNewestRules;  // by which a step is as large as the minimum effect
};

// By index. Points of different machines are never compared: each machine's own points are searched apart, and indices
// are those of the whole series. Empty, constant, huge, negative values: a defined answer. Cost O(n log n) for n
// points.
std::vector<ChangePoint> find_changes(const Series& series, const ChangeOptions& options = {});

// Sets ChangePoint::taken_back_at and taken_back_by. A confirmed regression of the code is taken back by the first
// later confirmed improvement of the code on its machine after which the level is worse than that before the regression
// by less than `margin`, what the machine did in between (the ratios of its changes) divided out. Where the two levels
// have no ratio, the later must be no worse. What is suspected is not counted. A regression that was taken back stays
// so: a later one is a change of its own.
//
// margin: relative, ChangeOptions::minimum_effect of the series, for counts too: what is left is then less than what is
// told as a change. changes: of the series, by index, with their causes (mark_shared_moves in findings.hpp). Linear in
// the changes, times the regressions that stand at once.
void mark_taken_back(const Series& series, double margin, std::span<ChangePoint> changes);

// A series without a step may have moved all the same, a little with each value: by which no step is found
// (docs/method/change_points.md, "What it cannot do"). It is told, and nothing is judged by it.
struct SteadyDrift {
  std::string machine;    // whose values
  std::size_t first = 0;  // indices of the oldest and the newest of them
  std::size_t last = 0;
  double before = 0;  // levels at these, by a line through all
  double after = 0;
  double ratio = 1;  // after over before
  double z = 0;      // Mann and Kendall's statistic over its standard deviation
  bool operator==(const SteadyDrift&) const = default;
};
// Of each machine on which none of the changes is, where its values have a trend and it is `least` or more, relative.
// The trend is that of the medians of 12 equal stretches, so that what resembles its neighbours counts once: their
// order must be such that z is beyond 3.29, .24 in a thousand of independent values (H. B. Mann, Nonparametric tests
// against trend, 1945; ties as M. G. Kendall, Rank correlation methods, 1975, has them). The line: P. K. Sen, Estimates
// of the regression coefficient based on Kendall's tau, 1968. Absent for fewer than 12 values. Cost O(n log n).
std::vector<SteadyDrift> find_steady_drifts(const Series& series, std::span<const ChangePoint> changes, double least);

// The change points of a series that grows, one point at a time, for bounded work: only the newest kMaxPoints are
// looked at again, so that the ten-thousandth point costs what the four-hundredth did.
//
//     OnlineChanges online({.name = "sort", .unit = "ns"});
//     for (SeriesPoint point : points) online.add(point);
//     online.changes();
//
// Up to kMaxPoints the answer is that of find_changes for the whole series with the points confirmed so far as `known`.
// Beyond that the oldest kDropped are let go at a time (up to kMaxDropped where a change would be left with few values
// of its old level), and the change points among them stand as they were last found.

class OnlineChanges {
 public:
  static constexpr std::size_t kMaxPoints = 400;
  static constexpr std::size_t kDropped = 100;
  static constexpr std::size_t kMaxDropped = 200;

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

}  // namespace steelyard::regress
