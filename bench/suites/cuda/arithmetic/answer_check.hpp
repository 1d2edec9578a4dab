// Whether a kernel's answer is right: each value against one that was computed in double precision, with a bound of its
// own that follows from the roundings that made it.
//
//     if (auto agreed = agreement("softmax", got, wanted, {.columns = n}); !agreed) return agreed.error();
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

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

// What the workloads' checks share: which elements of a large answer are compared, and that every element was written.

// All of `count` indices where they are at most `most`; else `most` of them, ascending and different: the first and the
// last quarter of `most` and, of the seed, some between. Precondition: most >= 4.
inline std::vector<std::size_t> sampled_indices(std::size_t count, std::size_t most, std::uint64_t seed) {
  std::vector<std::size_t> indices;
  const std::size_t edge = count <= most ? count : most / 4;
  for (std::size_t i = 0; i < edge; ++i) indices.push_back(i);
  if (count <= most) return indices;
  // One of each of equal parts of the middle.
  const std::size_t between = most - 2 * edge;
  const std::size_t part = (count - 2 * edge) / between;
  for (std::size_t i = 0; i < between; ++i) indices.push_back(edge + i * part + scrambled(seed, i) % part);
  for (std::size_t i = count - edge; i < count; ++i) indices.push_back(i);
  return indices;
}

// The inputs are numbers, so a value that is none is memory that no thread wrote: answers are filled with 0xFF first.
template <class T>
Result<void> all_written(const std::string& what, const std::vector<T>& answer, std::size_t columns = 1) {
  for (std::size_t i = 0; i < answer.size(); ++i) {
    if (!std::isnan(widened(answer[i]))) continue;
    const std::string place = columns > 1
                                  ? "row " + std::to_string(i / columns) + ", column " + std::to_string(i % columns)
                                  : "element " + std::to_string(i);
    return program_error(what + ", " + place, "no number", "a number in every element",
                         "the kernel left it unwritten, or computed it from what was");
  }
  return {};
}

// How many sets of inputs a workload takes in turn, so that what one launch read is not in the device's cache when the
// same set's turn comes again.

// Four times the cache in all; one set where that is enough. More sets than kMaxInputSets are not made: a set then is
// so small that its launch is bound by latency.
inline constexpr std::size_t kMaxInputSets = 256;
constexpr int input_rotation(std::size_t set_bytes, std::size_t cache_bytes) {
  if (set_bytes == 0) return 1;
  const std::size_t wanted = (4 * cache_bytes + set_bytes - 1) / set_bytes;
  return static_cast<int>(std::clamp<std::size_t>(wanted, 1, kMaxInputSets));
}

// Values from one set's begin to the next: every set begins at a multiple of 256 bytes.
constexpr std::size_t set_stride(std::size_t values) { return (values + 255) / 256 * 256; }

}  // namespace steelyard::cuda_suite
