// What the samples of one (benchmark, metric) say about the candidate over the baseline: estimate, p, interval, all in
// logarithms. Knows nothing of other benchmarks, of layouts or of verdicts.
//
// By number of rounds (or invocations of the smaller side where rounds cannot be paired):
//   1       the estimate alone: how much processes differ is not in the data
//   2 to 5  a t test on log levels: paired (Student, The probable error of a mean, 1908), or for unpaired sides
//           B. L. Welch's (The generalization of 'Student's' problem, 1947)
//   6 on    permutation test (shift_test.hpp)
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/sample_scores.hpp"
#include "regress/ab/shift_test.hpp"

namespace steelyard::regress {

// Fewer rounds cannot reach .05 two-sided by exchanging sides: 2 / 2^5 is .06.
inline constexpr int kMinRounds = 6;

struct EffectQuestion {
  double confidence = 0.95;  // of the interval
  double margin = 0.02;      // of equivalence, as a ratio above 1
  // Two one-sided tests at half of it (D. J. Schuirmann, 1987): the 90 % interval.
  double equivalence_alpha = 0.10;
  Disturbed disturbed = Disturbed::upwards;
  bool operator==(const EffectQuestion&) const = default;
};

struct Effect {
  TestKind test = TestKind::none;
  int units = 0;  // rounds that entered, or the smaller side's invocations
  double log_ratio = 0;
  std::optional<double> p;                            // two-sided, of no effect
  std::optional<Interval> interval;                   // absent where so few units cannot give one of that confidence
  std::optional<double> standard_error;               // of log_ratio
  double degrees = 0;                                 // of freedom of that error; 0: as good as known
  double min_p = 1;                                   // that this many units could give
  std::optional<Interval> equivalence_interval = {};  // 90 %, of log_ratio: two one-sided tests at 5 %
  bool within_margin = false;                         // that interval lies inside the margin
  std::optional<double> slot_effect;                  // log of second slot over first
  NoiseParts noise = {};
};

// Precondition: at least one round.
Effect effect_of_rounds(const PairedRounds& paired, const EffectQuestion& question);

// The effects of one row, so that a judge who is asked at every look reckons each once: what a row had at an earlier
// look it has at all later ones, and what stopped has nothing else. Rounds that do not go on from those it knows make
// it forget them.
class EffectMemory {
 public:
  // As effect_of_rounds(). Until the next call.
  const Effect& of_rounds(const PairedRounds& paired, const EffectQuestion& question);

 private:
  struct Known {
    std::size_t rounds = 0;  // the first of rounds_
    EffectQuestion question;
    Effect effect;
  };
  std::vector<PairedRound> rounds_;
  std::vector<Known> known_;
};

// Precondition: at least one invocation a side.
Effect effect_of_invocations(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate,
                             const EffectQuestion& question);

// Two to five rounds: too few to reach .05 by exchanging sides, so p leans on the normal distribution after all.
// Student's paired t (The probable error of a mean, 1908) with weights: a round in which a process was disturbed
// inside, which its samples show by their spread, counts less. The weights know nothing of the effect or of its sign.
//
// On recorded noise 5 rounds find 5 % in 75 % of tries with 3.8 % alarms; the unweighted t of log medians finds it in
// 73 % with 5.0 % alarms (docs/method/judgement.md).

struct WeightedMean {
  double mean = 0;
  double standard_error = 0;
  double degrees = 0;  // of freedom
};
// Precondition: at least two rounds.
WeightedMean weighted_difference(std::span<const PairedRound> rounds);

// The mean of the logarithms between the tenth and the ninetieth percentile; values count by what of them lies inside.
// Precondition: not empty. In any order.
double middle_mean(std::span<const double> logs);

// Estimate and confidence interval of a shift by inverting its test: the interval holds the shifts that the test does
// not reject (J. L. Hodges and E. L. Lehmann, 1963; E. L. Lehmann, Nonparametrics, 1975, section 2.6).
//
//     Inversion inversion(test);
//     inversion.p(0); inversion.estimate(); inversion.interval(0.05); inversion.interval(0.10);
//
// Each p that was asked for is kept: it narrows the search of every later interval.

// Refers to the test, which has to live as long.
class Inversion {
 public:
  explicit Inversion(const ShiftTest& test) : test_(test) {}

  // The shift that fits best: the middle of the range where the statistic is neither above nor below 0. Data that are
  // all equal on each side give their exact difference. Cost: some 5 evaluations of the statistic.
  double estimate();

  double p(double shift);

  // The shifts with p > alpha around the estimate, in logarithms. Holds 0 exactly if p(0) is above alpha. Absent where
  // the test cannot reach alpha, so that no shift is ever rejected. Cost: some 8 evaluations of p.
  std::optional<Interval> interval(double alpha);

 private:
  struct Tried {
    double shift;
    double p;
  };
  double middle_of_plateau(double centre) const;
  // `direction`: -1 for the lower end, +1 for the upper.
  std::optional<double> end(double direction, double alpha);
  std::optional<double> first_rejected(double direction, double alpha);

  const ShiftTest& test_;
  std::optional<double> estimate_;
  std::vector<Tried> tried_;
};

}  // namespace steelyard::regress
