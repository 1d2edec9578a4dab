#include <algorithm>

#include "tests/studies/judging/peers/kolmogorov_smirnov.hpp"
#include "tests/studies/judging/peers/rules.hpp"
#include "tests/studies/judging/peers/u_test.hpp"

namespace steelyard::judging {
namespace {

constexpr double kDifferent = 0.01;

}  // namespace

// Two tests share one alpha; the smaller p decides. Above it the tool says "same" or measures more: neither alarms.
Rule pinpoint_rule() {
  return each_alone("Pinpoint", [](const BenchmarkWindow& window) {
    const auto baseline = all_values(window.baseline);
    const auto candidate = all_values(window.candidate);
    Finding finding;
    finding.p = std::min(kolmogorov_smirnov_p(baseline, candidate), u_test_normal_p(baseline, candidate));
    if (*finding.p <= kDifferent) finding.says = direction(mean_of(candidate) - mean_of(baseline));
    return finding;
  });
}

}  // namespace steelyard::judging
