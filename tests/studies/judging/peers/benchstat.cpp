#include <algorithm>

#include "bench/model/quantile.hpp"
#include "tests/studies/judging/peers/rules.hpp"
#include "tests/studies/judging/peers/u_test.hpp"

namespace steelyard::judging {
namespace {

constexpr std::size_t kExactValues = 50;  // a side, without ties

}  // namespace

// benchmath's AssumeNothing: the medians differ where the U test says p <= alpha, else "~".
Rule benchstat_rule() {
  return each_alone("benchstat", [](const BenchmarkWindow& window) {
    const auto baseline = all_values(window.baseline);
    const auto candidate = all_values(window.candidate);
    const bool exact = std::max(baseline.size(), candidate.size()) <= kExactValues && !has_ties(baseline, candidate);
    Finding finding;
    finding.p = exact ? u_test_exact_p(baseline, candidate) : u_test_normal_p(baseline, candidate);
    if (*finding.p <= kAlpha) finding.says = direction(median(candidate) - median(baseline));
    return finding;
  });
}

}  // namespace steelyard::judging
