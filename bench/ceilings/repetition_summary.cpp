#include "bench/ceilings/repetition_summary.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {
namespace {

constexpr double kOutside = 0.05;

// The largest rank r, 1-based, for which the r-th smallest and the r-th largest of n enclose the median; 0: none does.
std::size_t enclosing_rank(std::size_t n) {
  // Beyond, one half to the power of n is soon no number any more; the normal approximation finds the same rank, or the
  // one outside it.
  constexpr std::size_t kMostExact = 1000;
  if (n > kMostExact) {
    const auto size = static_cast<double>(n);
    return static_cast<std::size_t>(0.5 * (size + 1) - 0.5 * 1.96 * std::sqrt(size));
  }
  // P(fewer than r of n lie below the median), summed term by term: binomial with one half.
  double term = std::pow(0.5, static_cast<double>(n));
  double below = term;
  std::size_t rank = 0;
  while (2 * below <= kOutside && rank < n / 2) {
    ++rank;
    term *= static_cast<double>(n - rank + 1) / static_cast<double>(rank);
    below += term;
  }
  return rank;
}

}  // namespace

std::optional<RepetitionSummary> summarize_repetitions(std::vector<double> samples) {
  if (samples.empty()) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  RepetitionSummary summary;
  summary.median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  summary.best = samples.back();
  if (const std::size_t rank = enclosing_rank(n); rank > 0) {
    summary.low = samples[rank - 1];
    summary.high = samples[n - rank];
  }
  return summary;
}

void settle(Ceiling& ceiling) {
  const std::optional<RepetitionSummary> summary = summarize_repetitions(ceiling.samples);
  if (!summary) return;
  ceiling.value = summary->median;
  ceiling.low = summary->low;
  ceiling.high = summary->high;
}

}  // namespace steelyard
