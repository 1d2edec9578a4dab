// What the samples of one (benchmark, metric) say about the candidate over the baseline: estimate, p, interval, all in
// logarithms. Knows nothing of other benchmarks, of layouts or of verdicts.
//
// By number of rounds (or invocations of the smaller side where rounds cannot be paired):
//   1       the estimate alone: how much processes differ is not in the data
//   2 to 5  a t test on log levels: paired (Student, The probable error of a mean, 1908), or for unpaired sides
//           B. L. Welch's (The generalization of 'Student's' problem, 1947)
//   6 on    re-labelling (shift_test.hpp)
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench/model/comparison.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/sample_scores.hpp"

namespace steelyard {

// Fewer rounds cannot reach .05 two-sided by exchanging sides: 2 / 2^5 is .06.
inline constexpr int kLeastRounds = 6;

struct EffectQuestion {
  double confidence = 0.95;  // of the interval
  double margin = 0.02;      // of equivalence, as a ratio above 1
  // Two one-sided tests at half of it (D. J. Schuirmann, 1987): the 90 % interval.
  double equivalence_alpha = 0.10;
  Disturbed disturbed = Disturbed::upwards;
};

struct Effect {
  std::string test = "none";  // "rounds", "invocations", "t on log levels"
  int units = 0;              // rounds that entered, or the smaller side's invocations
  double log_ratio = 0;
  std::optional<double> p;                            // two-sided, of no effect
  std::optional<Interval> interval;                   // absent where so few units cannot give one of that confidence
  std::optional<double> standard_error;               // of log_ratio
  double degrees = 0;                                 // of freedom of that error; 0: as good as known
  double least_p = 1;                                 // that this many units could give
  std::optional<Interval> equivalence_interval = {};  // 90 %, of log_ratio: two one-sided tests at 5 %
  bool within_margin = false;                         // that interval lies inside the margin
  std::optional<double> slot_effect;                  // log of second slot over first
  NoiseParts noise = {};
};

// Precondition: at least one round.
Effect effect_of_rounds(const PairedRounds& paired, const EffectQuestion& question);
// Precondition: at least one invocation a side.
Effect effect_of_invocations(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate,
                             const EffectQuestion& question);

}  // namespace steelyard
