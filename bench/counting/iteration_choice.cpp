#include "bench/counting/iteration_choice.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {
namespace {

// Valgrind's start costs some 0.3 s; Callgrind does 20 to 50 million instructions a second. 3 + 6 million cost about as
// much as the start of the two processes.
constexpr std::int64_t kMostInstructions = 3'000'000;
constexpr std::int64_t kMostIterations = 10'000;

constexpr double kLargestFixedInstructions = 4000;
constexpr double kLargestFixedShare = 0.05;
constexpr double kLargestBend = 0.01;
constexpr double kLargestBendInstructions = 1000;

}  // namespace

std::int64_t choose_iterations(std::int64_t instructions_of_one) {
  std::int64_t n = 1;
  while (n < kMostIterations && n * 10 * std::max<std::int64_t>(instructions_of_one, 1) <= kMostInstructions) n *= 10;
  return n;
}

double instructions_per_iteration(const CountedPair& pair) {
  return static_cast<double>(pair.more_instructions - pair.instructions) /
         static_cast<double>(pair.more_iterations - pair.iterations);
}

bool looks_disproportionate(const CountedPair& pair) {
  const double all = static_cast<double>(pair.instructions);
  const double fixed = std::fabs(all - instructions_per_iteration(pair) * static_cast<double>(pair.iterations));
  return fixed > kLargestFixedInstructions && fixed > kLargestFixedShare * all;
}

bool keeps_state(const CountedPair& pair, std::int64_t third_iterations, std::int64_t third_instructions) {
  const double growth = instructions_per_iteration(pair) * static_cast<double>(third_iterations - pair.more_iterations);
  const double bend = std::fabs(static_cast<double>(third_instructions - pair.more_instructions) - growth);
  return bend > kLargestBendInstructions && bend > kLargestBend * std::fabs(growth);
}

}  // namespace steelyard
