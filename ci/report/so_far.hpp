// What a measurement has found while it still goes on, for the person who waits: what its looks decided, and what is
// so plain in every round that nobody needs a test to see it. Shown and never kept: the verdict is the comparison's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/app/progress.hpp"

namespace steelyard::ci {

// A time that differs in the same direction in nearly all rounds that there are.
struct PlainChange {
  std::string benchmark;  // canonical
  double ratio = 1;       // median over the rounds, candidate over baseline
  int rounds = 0;         // that there are
  int agreeing = 0;       // of them, those beyond what was asked for
  bool operator==(const PlainChange&) const = default;
};

// At least kPlainRounds rounds, of which at most one in eight is not beyond `least` (relative, above 0) in the one
// direction: other programs disturb some. Of equal builds whose rounds scatter by as much as `least`, one in eight
// hundred looks so after four, and hardly any later. Largest first. Linear in the samples.
inline constexpr int kPlainRounds = 4;
std::vector<PlainChange> plain_changes(const Run& baseline, const Run& candidate, double least);

// Instructions of the candidate over the baseline's, by canonical benchmark, of those that differ by enough to tell.
using CountedChanges = std::map<std::string, double>;

// The rows of `judged` that changed, regressions first, then what is plain and what is counted and not among them, the
// largest first. `judged`: of the last look; null: there was none.
std::vector<FoundLine> found_lines(const Comparison* judged, const std::vector<PlainChange>& plain,
                                   const CountedChanges& counted);

}  // namespace steelyard::ci
