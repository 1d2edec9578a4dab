// What a duet found changed is measured again with nothing beside it, both sides in turns, once the verdicts are known
// (regress/ab/solo_check.hpp says why, and what becomes of it).
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/runner/measure.hpp"
#include "ci/measuring/listed_pair.hpp"

namespace steelyard {

// 2 of the 252 ways to split 10 rounds is p = .008; with fewer than 8 it is above .05 and the check could not agree.
inline constexpr int kSoloRounds = 10;
inline constexpr int kLeastSoloRounds = 8;

// The part of the budget of all measuring that is kept for it: an eighth, at most 30 s.
Nanoseconds solo_budget(Nanoseconds budget);

// Adds to both runs of a duet the samples of what changed in them, as `seen` says: regressions first, then by q. What
// the time does not reach is left as it is. `settings` and `timing`: those of the duet. `limits`: of this check.
// `warnings`: what could not be measured alone. Cancelled: nothing more is measured.
void confirm_alone(const std::vector<ListedPair>& listed, const Comparison& seen, const MeasuringSettings& settings,
                   const TimingPlan& timing, const Limits& limits, MeasuredPair& pair,
                   std::vector<std::string>& warnings);

}  // namespace steelyard
