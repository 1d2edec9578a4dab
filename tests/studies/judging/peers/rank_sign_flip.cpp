#include <cmath>
#include <vector>

#include "regress/ab/sample_scores.hpp"
#include "tests/studies/judging/mean_ranks.hpp"
#include "tests/studies/judging/peers/rules.hpp"

namespace steelyard::judging {
namespace {

constexpr std::size_t kMaxRounds = 20;  // every sign is tried: 2^20 sums

// Two-sided: the share of the 2^n signings whose sum is at least as far from 0.
double every_sign_p(const std::vector<double>& scores) {
  double sum = 0;
  double size = 0;
  for (const double score : scores) {
    sum += score;
    size += std::fabs(score);
  }
  const double seen = std::fabs(sum) - 1e-9 * (size + 1);  // equal sums differ by rounding
  const std::uint32_t signings = std::uint32_t{1} << scores.size();
  std::uint32_t as_far = 0;
  for (std::uint32_t step = 0; step < signings; ++step) {
    if (std::fabs(sum) >= seen) ++as_far;
    // The next in Gray's order changes one sign: that of the lowest bit of step + 1.
    std::size_t flipped = 0;
    while (flipped < scores.size() && ((step + 1) >> flipped & 1u) == 0) ++flipped;
    if (flipped == scores.size()) break;
    const bool was_negative = ((step ^ (step >> 1)) >> flipped & 1u) != 0;
    sum += (was_negative ? 2 : -2) * scores[flipped];
  }
  return static_cast<double>(as_far) / signings;
}

}  // namespace

// What the measurements in the literature of this design favour: ranks of all samples, their mean for each process, and
// the sides of each round exchanged.
Rule rank_sign_flip_rule() {
  return each_alone("rank sign-flip", [](const BenchmarkWindow& window) {
    const std::size_t rounds = window.baseline.size();
    Finding finding;
    if (rounds != window.candidate.size() || rounds > kMaxRounds) return finding;
    std::vector<regress::GroupedValue> values;
    for (std::size_t i = 0; i < rounds; ++i) {
      const auto group = static_cast<std::uint32_t>(2 * i);
      for (const double value : window.baseline[i].values) values.push_back({value, group});
      for (const double value : window.candidate[i].values) values.push_back({value, group + 1});
    }
    const std::vector<double> ranks = mean_ranks(values, 2 * rounds);
    std::vector<double> scores;
    double sum = 0;
    for (std::size_t i = 0; i < rounds; ++i) {
      scores.push_back(ranks[2 * i + 1] - ranks[2 * i]);
      sum += scores.back();
    }
    finding.p = every_sign_p(scores);
    if (*finding.p <= kAlpha) finding.says = direction(sum);
    return finding;
  });
}

}  // namespace steelyard::judging
