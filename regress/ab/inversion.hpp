// Estimate and confidence interval of a shift by inverting its test: the interval holds the shifts that the test does
// not reject (J. L. Hodges and E. L. Lehmann, 1963; E. L. Lehmann, Nonparametrics, 1975, section 2.6).
//
//     Inversion inversion(test);
//     inversion.p(0); inversion.estimate(); inversion.interval(0.05); inversion.interval(0.10);
//
// Each p that was asked for is kept: it narrows the search of every later interval.
#pragma once

#include <optional>
#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/ab/shift_test.hpp"

namespace steelyard {

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

}  // namespace steelyard
