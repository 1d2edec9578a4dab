#include <cmath>

#include "tests/studies/judging/peers/rules.hpp"

namespace steelyard::judging {

Rule threshold_rule(double threshold) {
  const int percent = static_cast<int>(std::lround(100 * threshold));
  return each_alone("means " + std::to_string(percent) + " % apart", [threshold](const BenchmarkWindow& window) {
    const double change = mean_of(all_values(window.candidate)) / mean_of(all_values(window.baseline)) - 1;
    Finding finding;
    if (std::fabs(change) > threshold) finding.says = direction(change);
    return finding;
  });
}

}  // namespace steelyard::judging
