#include "bench/counting/exactness.hpp"

#include <algorithm>
#include <string>

#include "bench/model/quantile.hpp"

namespace steelyard {
namespace {

// a / b == c / d in whole numbers; b, d > 0.
bool are_equal_ratios(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  // The remainders are below b and d, which are numbers of iterations: their products are in range.
  return a / b == c / d && (a % b) * d == (c % d) * b;
}

std::string threads_text(std::int64_t threads) {
  return threads == 1 ? std::string("one thread") : std::to_string(threads) + " threads";
}

}  // namespace

bool lies_on_line(const CountedPair& pair, std::int64_t iterations, std::int64_t instructions) {
  if (iterations >= pair.iterations || pair.iterations >= pair.more_iterations) return false;
  return are_equal_ratios(pair.more_instructions - pair.instructions, pair.more_iterations - pair.iterations,
                          pair.instructions - instructions, pair.iterations - iterations);
}

CountBasis basis_of_line(const CountedPair& pair, std::int64_t iterations) {
  CountBasis basis;
  basis.jitter = 0;
  basis.jitter_from = "one thread, timed region: " + std::to_string(iterations) + ", " +
                      std::to_string(pair.iterations) + " and " + std::to_string(pair.more_iterations) +
                      " iterations lie on one line to the last instruction";
  return basis;
}

CountBasis basis_of_equal_collections(const CountedPair& pair) {
  CountBasis basis;
  basis.jitter = 0;
  basis.jitter_from =
      "one thread, timed region: 2 of 2 collections of " + std::to_string(pair.iterations) + " iterations equal";
  return basis;
}

CountBasis basis_of_repeats(const CountRepeats& repeats) {
  CountBasis basis;
  basis.scope = repeats.scope;
  const auto [low, high] = std::minmax_element(repeats.values.begin(), repeats.values.end());
  const std::string count = std::to_string(repeats.values.size());
  const std::string what = threads_text(repeats.threads) + ", " + std::string(to_text(repeats.scope));
  if (*low == *high && repeats.threads == 1 && repeats.scope == CountScope::timed_region) {
    basis.jitter = 0;
    basis.jitter_from = what + ": " + count + " of " + count + " equal";
    return basis;
  }
  const double middle = median(repeats.values);
  basis.jitter = std::max(kLeastLearnedJitter, middle > 0 ? (*high - *low) / middle : 0);
  basis.jitter_from = what + ": learned from " + count + " repeats" + (*low == *high ? ", all equal" : "");
  return basis;
}

}  // namespace steelyard
