// Creep: what changes of a count come to that are too small to fail a gate one by one. They are added up from the level
// that somebody accepted or released last. Exact arithmetic, no statistics: a count has no noise but its jitter. Pure.
//
//     CreepQuestion question{points, references, Better::lower, {0.01, 0}};
//     const std::optional<Creep> creep = judge_creep(question);
//     if (creep && creep->beyond) ...
//
// What is added up, walking from that level to the newest point:
//   - a point beyond the jitter of the level before is a step. One below the effect is of the creep, for the better as
//     for the worse; one from the effect on is not, since it is judged by itself;
//   - what is no commit's is none: where the conditions of the counts changed (another C library), or one commit was
//     counted twice with two results, the level goes on from there, and the accepted one is carried along by the same
//     ratio.
// It is beyond where the steps together come to the effect or more, for the worse, and the level is as far beyond the
// accepted one: what an improvement paid for is no creep past it, nor is what a large step did that somebody saw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/series.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

// One count of one commit.
struct CountPoint {
  double value = 0;
  std::string commit{};  // empty: unknown
  int condition = 0;     // equal where the counts were taken under equal conditions
};

// A level that may be added up from: the newest one counts.
struct ReferenceLevel {
  LevelOrigin origin = LevelOrigin::accepted;
  std::string commit{};           // accepted: that accepts it; released: the measured one that the release has
  std::optional<double> level{};  // accepted: what was accepted; released: the commit's own
  std::int64_t at_unix_s = 0;     // 0: unknown, older than all others
  std::string release{};          // the tag's name
};

struct CreepRules {
  double effect = 0.01;  // relative, above 0: steps from there on are judged by themselves
  double jitter = 0;     // relative: how far counts of one build lie apart
};

struct CreepQuestion {
  std::vector<CountPoint> points;  // on one machine, oldest first
  std::vector<ReferenceLevel> references{};
  Better better = Better::lower;
  CreepRules rules{};
};

// No creep: fewer than two points from the reference level on, a level that is not above 0, no direction, or no effect
// above 0. Where no reference has a place, it is added up from the first point. A release whose commit is not among the
// points has none; a level that was accepted holds from the newest point on that does not lie beyond it, else from its
// commit. Linear in the points.
std::optional<Creep> judge_creep(const CreepQuestion& question);

// Sets `ratio` and `beyond` from the steps, the levels and the effect, as judge_creep does: what is kept can be
// concluded again.
void conclude(Creep& creep, Better better, Rules rules = kNewestRules);

// Rows whose creep is looked for: of a count that gates where it changes enough, worse by less than that, and above 0.
bool may_creep(const ComparisonPolicy& policy, const ComparisonRow& row, Rules rules = kNewestRules);

}  // namespace steelyard::regress
