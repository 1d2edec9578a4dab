// Does a new value fit the recent level of its series? The value was measured on another occasion than those before it,
// so that what lies between occasions (another boot, other neighbours, other addresses) is part of its noise. That part
// is not guessed: the series itself shows how far unchanged occasions lie apart. What it does not show is not claimed:
// too few values, or a candidate that was measured with less care than they were, and the answer is none.
//
// The interval is Student's prediction interval for one further value, on logarithms (G. J. Hahn and W. Q. Meeker,
// "Statistical Intervals", 1991, section 4.7): mean +- t s sqrt(1 + 1 / n). Neighbouring occasions resemble each other,
// so n is replaced by the fewer independent values that their autocorrelation leaves, (1 - r) / (1 + r) of it; s is
// never less than what one further value really lay away from the mean of those before it, in the later half of the
// series; and the degrees of freedom are at most 5, since occasions have heavy tails.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/model/interval.hpp"
#include "bench/model/series.hpp"
#include "regress/ab/judged.hpp"

namespace steelyard::regress {

// Fewer cannot show how far occasions lie apart: the standard deviation of 7 values is itself uncertain by 29 %.
inline constexpr std::size_t kMinPredictingValues = 8;

struct PredictionQuestion {
  std::string machine;            // points of others are excluded
  std::vector<double> candidate;  // medians of its invocations
  double usual_invocations = 1;   // behind one point of the series, as a rule
  double confidence = 0.95;
  // Without those of this run and commit, which may be in the store already.
  std::string own_run;
  std::string own_commit;
};

struct Prediction {
  std::size_t values = 0;       // of the recent level
  std::string since;            // the commit with which it begins; empty: unknown
  std::optional<double> level;  // geometric mean, in the metric's unit
  std::optional<double> candidate;
  std::optional<double> ratio;  // candidate over level
  std::optional<Interval> interval;
  std::optional<Interval> equivalence;  // 90 %
  std::optional<double> p;              // two-sided, null: the candidate is one more value of the level
  double error = 0;                     // standard deviation of the logarithm of `ratio`
  double degrees = 0;
  std::optional<why::PredictionObstacle> obstacle = {};  // why there is no p; absent: there is one
};

// changes: those that find_changes gave for the series; the level begins at the last confirmed one of the machine.
Prediction predict(const Series& series, std::span<const ChangePoint> changes, const PredictionQuestion& question);

}  // namespace steelyard::regress
