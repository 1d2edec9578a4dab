#include <algorithm>
#include <cmath>

#include "tests/studies/judging/peers/rules.hpp"
#include "tests/studies/judging/peers/u_test.hpp"

namespace steelyard::judging {
namespace {

constexpr double kMinChange = 0.01;

}  // namespace

// The minimum of all samples stands for a side; a change of at least 1 % that the U test confirms is reported.
Rule lnt_rule() {
  return each_alone("LNT", [](const BenchmarkWindow& window) {
    const auto baseline = all_values(window.baseline);
    const auto candidate = all_values(window.candidate);
    const double change =
        *std::min_element(candidate.begin(), candidate.end()) / *std::min_element(baseline.begin(), baseline.end()) - 1;
    Finding finding;
    finding.p = u_test_normal_p(baseline, candidate);
    if (std::fabs(change) >= kMinChange && *finding.p < kAlpha) finding.says = direction(change);
    return finding;
  });
}

}  // namespace steelyard::judging
