// Whether a kernel's answer is right: each value against one that was computed in double precision, with a bound of its
// own that follows from the roundings that made it.
//
//     if (auto agreed = agreement("softmax", got, wanted, {.columns = n}); !agreed) return agreed.error();
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"

namespace steelyard::cuda_suite {

struct Wanted {
  double value = 0;
  double bound = 0;  // |found - value| is at most this
};

// Where in the whole answer the compared values lie, for messages: "row 3, column 17".
struct AnswerPlace {
  std::size_t first = 0;    // index of the first compared value
  std::size_t columns = 1;  // of the answer; 1: "element 17"
};

// Error (program): the worst of the values that are further off than their bound, by distance over bound: where it is,
// what was found, what was wanted and the bound. A NaN or an infinity agrees with its like alone.
Result<void> agreement(const std::string& what, std::span<const double> got, std::span<const Wanted> wanted,
                       AnswerPlace place = {});

// What `roundings` roundings to single precision in a row may change of a value, relative: n u / (1 - n u) (Higham,
// Accuracy and Stability of Numerical Algorithms, 2002, lemma 3.1).
constexpr double float_growth(double roundings) {
  const double error = roundings * kUnitRoundoff<float>;
  return error / (1 - error);
}

// A value of magnitude `magnitude` off by `error` already, rounded once to T.
template <class T>
constexpr double rounded_bound(double magnitude, double error) {
  return error + kUnitRoundoff<T> * (magnitude + error) + kRoundoffFloor<T>;
}

template <class T>
std::vector<double> widened_to_double(std::span<const T> values) {
  std::vector<double> wide;
  wide.reserve(values.size());
  for (const T value : values) wide.push_back(static_cast<double>(widened(value)));
  return wide;
}

}  // namespace steelyard::cuda_suite
