// Estimate and confidence interval of a shift by inverting its test: the interval holds the shifts that the test does
// not reject (J. L. Hodges and E. L. Lehmann, 1963; E. L. Lehmann, Nonparametrics, 1975, section 2.6).
#pragma once

#include <optional>

#include "bench/model/comparison.hpp"
#include "regress/ab/shift_test.hpp"

namespace steelyard {

// The shift that fits best: the middle of the range where the statistic is neither above nor below 0. Data that are
// all equal on each side give their exact difference. Cost: some 40 evaluations of the statistic.
double best_shift(const ShiftTest& test);

// The shifts with p > alpha around `estimate`, in logarithms. Holds 0 exactly if `p_of_no_effect` = test.p(0) is above
// alpha. Absent where the test cannot reach alpha, so that no shift is ever rejected. Cost: some 30 evaluations of p.
std::optional<Interval> shift_interval(const ShiftTest& test, double estimate, double alpha, double p_of_no_effect);

}  // namespace steelyard
