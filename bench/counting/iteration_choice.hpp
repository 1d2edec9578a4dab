// How many iterations of a benchmark to count, and whether its cost is proportional to them.
#pragma once

#include <cstdint>

namespace steelyard {

// From the instructions of one iteration, the number n that is counted (and 2n with it): the largest power of ten up to
// 10000 that keeps n iterations within 3 million instructions, at least 1. Powers of ten, so that a small change of the
// code leaves n alone: a benchmark that keeps state costs differently at another n.
std::int64_t choose_iterations(std::int64_t instructions_of_one);

struct CountedPair {
  std::int64_t iterations = 0;  // of the smaller collection, all threads together
  std::int64_t instructions = 0;
  std::int64_t more_iterations = 0;  // of the larger
  std::int64_t more_instructions = 0;
};

// (larger - smaller) / (iterations of larger - of smaller). Precondition: the iterations differ.
double instructions_per_iteration(const CountedPair& pair);

// Whether the part that does not grow with the iterations is too large to be the start and end of a loop (above 4000
// instructions and 5 % of the smaller collection). Then a third collection decides.
bool looks_disproportionate(const CountedPair& pair);

// Whether a third collection, of still more iterations, is off the line through the first two by more than 1 % and 1000
// instructions: the benchmark keeps state from iteration to iteration, and its count depends on their number.
bool keeps_state(const CountedPair& pair, std::int64_t third_iterations, std::int64_t third_instructions);

}  // namespace steelyard
