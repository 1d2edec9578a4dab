// What rounds say that were looked at again and again, and may have been stopped for what they said. Each look is the
// test of effect.hpp over the rounds that had been measured by then, and no later one:
//
//   p                     the least over the looks of p / share: at most alpha only where some look is at most its
//                         share of alpha, so that it holds at any stop (docs/method/sequential.md)
//   interval              the ratios that no look rejects: each look's interval at 1 - alpha * share, intersected; it
//                         is the inversion of p, and the two cannot disagree
//   equivalence interval  the same at 90 %: `unchanged` may be seen at any look, and its error holds all the same
//
// Rounds beyond the last planned look that was reached were measured until the budget was spent, which no data decide:
// they are one more look, with all the share that is left.
#pragma once

#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/ab/effect.hpp"
#include "regress/ab/look_plan.hpp"
#include "regress/ab/rounds.hpp"

namespace steelyard {

struct LookedAt {
  Effect effect;            // units: rounds of the last look
  std::vector<Look> looks;  // in order, at least one
};

// Whether some look of the plan sees a round.
bool any_round_of(const LookPlan& plan, const PairedRounds& paired);

// `measured`: rounds that were tried, those that lack a side as well; rounds beyond the plan's last are not used. The
// estimate is the last look's, moved into the interval where it lies outside. Preconditions: a plan that is not empty,
// any_round_of() it. Cost: an effect a look.
LookedAt effect_of_looks(const PairedRounds& paired, int measured, const LookPlan& plan,
                         const EffectQuestion& question);

// What a look says about going on.
enum class LookAnswer {
  undecided,
  decided,  // regression, improvement or unchanged, or there is nothing that more rounds could tell
  futile,   // a decision by the plan's last look is unlikely: more rounds would be wasted
};

struct StopQuestion {
  double level = 0.05;  // of the whole gate
  std::int64_t comparisons = 1;
  double minimum_effect = 0.01;
  double margin = 0.02;
};

// `plan` empty: decided. Unchanged is no reason to stop while the estimate is at least the minimum effect and the look
// alone would call it a change: more rounds may show it.
LookAnswer answer_of(const LookedAt& seen, const LookPlan& plan, const StopQuestion& question);

// The chance that some later look up to `most_rounds` decides, if the effect is what these rounds say, as uncertain as
// they are: the estimate then is normal around today's, and its error shrinks with the square root of the rounds (the
// predictive power of D. J. Spiegelhalter, L. S. Freedman and P. R. Blackburn, Controlled Clinical Trials 7, 1986).
// 1 without a standard error.
double chance_of_decision(const Effect& effect, const LookPlan& plan, const StopQuestion& question);

}  // namespace steelyard
