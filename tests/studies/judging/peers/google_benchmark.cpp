#include <algorithm>

#include "bench/model/quantile.hpp"
#include "tests/studies/judging/peers/rules.hpp"
#include "tests/studies/judging/peers/u_test.hpp"

namespace steelyard::judging {
namespace {

// scipy.stats.mannwhitneyu, which the tool calls, is exact up to 8 values of the smaller side where none are equal.
constexpr std::size_t kMaxExactValues = 8;

}  // namespace

// tools/compare.py colours a p below alpha; the direction is that of the medians beside it.
Rule google_benchmark_rule() {
  return each_alone("U test of repetitions (Google Benchmark)", [](const BenchmarkWindow& window) {
    const auto baseline = all_values(window.baseline);
    const auto candidate = all_values(window.candidate);
    const bool exact = std::min(baseline.size(), candidate.size()) <= kMaxExactValues && !has_ties(baseline, candidate);
    Finding finding;
    finding.p = exact ? u_test_exact_p(baseline, candidate) : u_test_normal_p(baseline, candidate);
    if (*finding.p < kAlpha) finding.says = direction(median(candidate) - median(baseline));
    return finding;
  });
}

}  // namespace steelyard::judging
