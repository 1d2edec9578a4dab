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

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/effect.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

// When a measurement that may stop early looks at its data, and what share of the level each look may spend. Fixed
// before the first round is measured, and kept with the run, so that the judgement can be repeated later.
//
// Each look is a test of its own at `share` times the level. The shares add up to 1, so that the chance of any false
// alarm at any look is at most the level, however the looks depend on each other (C. E. Bonferroni, 1936) and whatever
// makes the measurement stop. Shares grow evenly with the rounds, as in the use of alpha*t of K. K. G. Lan and D. L.
// DeMets (Discrete sequential boundaries for clinical trials, Biometrika 70, 1983). docs/method/sequential.md has the
// measurements behind the numbers.

struct PlannedLook {
  int rounds = 0;    // measured by then
  double share = 0;  // of the level that this look may spend
  bool operator==(const PlannedLook&) const = default;
};

// Rounds ascend; shares are at least a millionth and add up to at most 1. Without looks: the number of rounds is fixed
// beforehand.
struct LookPlan {
  std::vector<PlannedLook> looks;
  bool empty() const { return looks.empty(); }
  int max_rounds() const { return looks.empty() ? 0 : looks.back().rounds; }
  bool operator==(const LookPlan&) const = default;
};

struct LookPlanQuestion {
  int max_rounds = 0;  // even; 0: as many as are of use
  // Rounds that the budget pays for if nothing stops early; 0: unknown. More than kUsualLookRounds are planned only
  // where it pays for three eighths of them.
  int affordable_rounds = 0;
};
inline constexpr int kUsualLookRounds = 60;

// The first look comes where a permutation test can show at its share that a benchmark is unchanged: 12 rounds. With
// fewer there is one look, at the end.
LookPlan plan_looks(const LookPlanQuestion& question);

// "12:0.1 16:0.075 60:0.825", and back. Absent where it is no plan.
std::string to_text(const LookPlan& plan);
std::optional<LookPlan> parse_look_plan(std::string_view text);

// The plan that both sides were measured by; empty where they have none, or not the same.
LookPlan mutual_look_plan(const RunHeader& baseline, const RunHeader& candidate);

struct LookedAt {
  Effect effect;            // units: rounds of the last look
  std::vector<Look> looks;  // in order, at least one
};

// Whether some look of the plan sees a round.
bool any_round_of(const LookPlan& plan, const PairedRounds& paired);

// `measured`: rounds that were tried, those that lack a side as well; rounds beyond the plan's last are not used. The
// estimate is the last look's, moved into the interval where it lies outside. `memory`: of the row's earlier looks;
// null: there were none. Preconditions: a plan that is not empty, any_round_of() it. Cost: an effect a look that the
// memory lacks, and one more.
LookedAt effect_of_looks(const PairedRounds& paired, int measured, const LookPlan& plan, const EffectQuestion& question,
                         EffectMemory* memory = nullptr);

// What a look says about going on.
enum class LookAnswer {
  undecided,
  decided,  // regression, improvement or unchanged, or there is nothing that more rounds could tell
  futile,   // a decision by the plan's last look is unlikely: more rounds would be wasted
};

struct StopQuestion {
  double level = 0.05;           // of the whole gate
  double comparisons = 1;        // that share it, as if each were independent of the others
  std::optional<double> q = {};  // adjusted over the gate by now; absent: p times the comparisons
  double minimum_effect = 0.01;
  double margin = 0.02;
  Rules rules = kNewestRules;
};

// `plan` empty: decided. Unchanged is no reason to stop while the estimate is at least the minimum effect and the look
// alone would call it a change: more rounds may show it.
LookAnswer answer_of(const LookedAt& seen, const LookPlan& plan, const StopQuestion& question);

// The chance that some later look up to `max_rounds` decides, if the effect is what these rounds say, as uncertain as
// they are: the estimate then is normal around today's, and its error shrinks with the square root of the rounds (the
// predictive power of D. J. Spiegelhalter, L. S. Freedman and P. R. Blackburn, Controlled Clinical Trials 7, 1986). 1
// without a standard error.
double chance_of_decision(const Effect& effect, const LookPlan& plan, const StopQuestion& question);

}  // namespace steelyard::regress
