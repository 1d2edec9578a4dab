// How far counts of one build lie apart, and what shows it: exactness is stated only where it was seen.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/counting/iteration_choice.hpp"
#include "bench/model/measurement.hpp"

namespace steelyard {

// Repeats from which a jitter is learned. With five, a count that has one of two values three times in ten is equal on
// each side and different between them in 1 of 1200 comparisons; with three, in 1 of 54.
inline constexpr int kLearningRepeats = 5;

// A learned jitter is at least this: 40 runs of three threads had 4 to 7 values within 0.013 % of one another, so a few
// equal repeats show no exactness.
inline constexpr double kLeastLearnedJitter = 0.0002;

// Whether a third collection lies on the line through the two of the pair to the last instruction. Three processes of
// different length that do so had nothing in them but the work of each iteration and a start that is always the same.
bool lies_on_line(const CountedPair& pair, std::int64_t iterations, std::int64_t instructions);

// Of a single-threaded timed region whose third collection lies_on_line: no jitter.
CountBasis basis_of_line(const CountedPair& pair, std::int64_t iterations);

// Likewise where the smaller collection of the pair came out equal when it was made again.
CountBasis basis_of_equal_collections(const CountedPair& pair);

// What was collected in the same way several times over.
struct CountRepeats {
  CountScope scope = CountScope::timed_region;
  std::int64_t threads = 1;    // of the benchmark, its own included
  std::vector<double> values;  // at least two
};
// No jitter where one thread in a timed region gave equal values; otherwise the values' range over their median, at
// least kLeastLearnedJitter.
CountBasis basis_of_repeats(const CountRepeats& repeats);

}  // namespace steelyard
