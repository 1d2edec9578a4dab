#include "bench/harness/pair_comparison.hpp"

#include <algorithm>
#include <cmath>

#include "bench/harness/rank_test.hpp"

namespace steelyard {
namespace {

bool obeys_no_test(const MedianInterval& level) {
  return level.doubt == MedianDoubt::autocorrelated || level.doubt == MedianDoubt::drift;
}

// The variance of the difference of two mean ranks is the sum of each side's, over its number of values; the errors of
// the two inflations are independent.
RankTestOptions dependence_of(const PairSide& first, const PairSide& second) {
  const auto part = [](const PairSide& side) {
    return side.level.likeness.rank_inflation / static_cast<double>(side.values.size());
  };
  const double one = part(first);
  const double other = part(second);
  const double independent =
      1 / static_cast<double>(first.values.size()) + 1 / static_cast<double>(second.values.size());
  const double error =
      std::hypot(one * first.level.likeness.inflation_error, other * second.level.likeness.inflation_error);
  return {(one + other) / independent, error / (one + other)};
}

}  // namespace

PairOutcome compare_pair(const PairSide& first, const PairSide& second, const PairRules& rules) {
  const auto [first_low, first_high] = std::minmax_element(first.values.begin(), first.values.end());
  const auto [second_low, second_high] = std::minmax_element(second.values.begin(), second.values.end());
  const double gap = std::max(*second_low - *first_high, *first_low - *second_high);
  PairOutcome outcome;
  if (rules.is_exact) {
    outcome.p = gap > 0 ? 0 : 1;
    return outcome;
  }
  const double least = least_rank_p(first.values.size(), second.values.size());
  outcome.is_extreme = gap > 0;
  outcome.is_decidable = least <= rules.alpha;
  if (rules.are_independent) {
    outcome.p = rank_test(first.values, second.values).p;
  } else if (obeys_no_test(first.level) || obeys_no_test(second.level)) {
    const bool is_apart = gap > std::max(*first_high - *first_low, *second_high - *second_low);
    outcome.is_decidable = outcome.is_decidable && is_apart;
    outcome.p = is_apart ? least : 1;
  } else {
    outcome.p = rank_test(first.values, second.values, dependence_of(first, second)).p;
  }
  return outcome;
}

}  // namespace steelyard
