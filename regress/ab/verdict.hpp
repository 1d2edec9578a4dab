// The rule for noisy metrics (docs/method/judgement.md, "Noisy metrics"): from an effect, its adjusted p and the policy
// to a verdict and the facts that explain it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/model/comparison.hpp"
#include "regress/ab/drift.hpp"
#include "regress/ab/effect.hpp"
#include "regress/ab/joint.hpp"
#include "regress/ab/judged.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/sequential.hpp"

namespace steelyard::regress {

struct NoisyEvidence {
  Effect effect;
  Drift drift;  // layouts that are not concurrent
  // Where invocations are what counts, and not rounds.
  std::optional<SideInvocations> unpaired = {};
  int dropped_rounds = 0;         // that only one side had
  bool slots_confounded = false;  // the candidate always had the same slot
  // Of sides from different occasions: no calibration tells how far equal builds lie apart on two of them. Recorded
  // occasions alarmed falsely in one comparison of five where the run itself had to tell.
  bool occasions_unknown = false;
  double seen = 0;             // log ratio before the common drift was taken off; layouts that are not concurrent
  ErrorParts error = {};       // of the effect; layouts that are not concurrent
  Rules rules = kNewestRules;  // what was kept by older ones is held, word for word, against what they say again
  std::optional<double> single_noise{};  // calibrated: 95 % of pairs of single processes lie within this of each other
  // A calibrated floor beyond any margin: the row may be called changed, and never unchanged.
  std::optional<double> floor_beyond{};
  LookPlan plan = {};            // empty: the number of rounds was fixed beforehand, and nothing was looked at
  LookedAt looked = {};          // its effect is `effect`
  bool interrupted = false;      // by a person, before its time was spent
  bool first_look_only = false;  // its code had been counted equal: no rounds beyond the plan's first look
  JointEvidence joint = {};      // the rounds; none where not paired
};

struct Family {
  double level = 0.05;           // of the whole gate
  std::int64_t comparisons = 1;  // noisy ones that have a p
  // q is adjusted jointly (joint.hpp): as many comparisons, independent of each other, as these are worth. Absent: by
  // Holm's rule.
  std::optional<double> independent = {};

  // A lone change has to reach level / shared_by().
  double shared_by() const { return std::max(1.0, independent.value_or(static_cast<double>(comparisons))); }
  // Rounds are wanted by which p can reach this: jointly the least q does not grow with the number of comparisons.
  std::int64_t steps() const { return independent ? 1 : comparisons; }
};

// What a look at it is asked. The margin is 0 where no rounds could show it unchanged.
StopQuestion stop_question(const NoisyEvidence& evidence, const Family& family, const ComparisonRow& row);

// Fills everything of a noisy row but benchmark, metric, levels, layout and policy fields, which are set; `row.q` is
// set where the evidence has a p.
//   regression, improvement  q at most the level and the estimate at least the minimum effect, from 6 rounds on; in
//                            layouts that are not concurrent, the widened interval excludes the minimum effect as well,
//                            and the drift between occasions is calibrated
//   unchanged                the 90 % interval lies inside the margin, from 6 rounds on, concurrent, and no calibrated
//                            floor is beyond any margin
//   inconclusive             everything else
// Of the facts `reason` and what holds of all noisy rows are filled.
RowFacts decide(const NoisyEvidence& evidence, const Family& family, ComparisonRow& row);

// Of a layout that is not concurrent. Absent where the benchmarks hardly moved together.
std::optional<caution::MovedTogether> moved_together(const std::string& metric, const Drift& drift,
                                                     double minimum_effect);

// What data of a given noise could have shown, and how many rounds would show more. The usual normal formula: an effect
// is found with power 1 - beta at two-sided level alpha where it is (z(1 - alpha/2) + z(1 - beta)) standard errors away
// (J. M. Lachin, Introduction to sample size determination and power analysis for clinical trials, Controlled Clinical
// Trials 2, 1981, equation 1); Student's quantiles where the error has degrees of freedom.

// The smallest relative change found with 80 % power among these. Absent without a standard error, or where so few
// units cannot reach the level at all.
std::optional<double> minimum_detectable_effect(const Effect& effect, const Family& family);

// Whether the row was not found though its estimate lies beyond what it says is found. The length of the interval says
// how far apart levels lie in the middle of the noise, and the test asks at its own level how far it reaches: where
// many rounds agree closely and the others lie anywhere, no size of a change makes the test more sure, and no figure is
// true. decide() tells none then.
bool contradicts_power(const ComparisonRow& row, double level);

struct RoundsQuestion {
  Family family = {};
  double margin = 0.02;
};
inline constexpr int kMaxRoundsNamed = 1000;
// How many rounds of this noise would decide with 80 % power: an effect of the size seen, where that lies outside the
// margin; otherwise that there is none beyond the margin. Even; kMaxRoundsNamed stands for that many or more. Absent
// without a standard error.
std::optional<int> rounds_that_would_decide(const Effect& effect, const RoundsQuestion& question);

}  // namespace steelyard::regress
