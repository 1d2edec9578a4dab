#include "regress/ab/drift.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"

namespace steelyard {
namespace {

// Two identical builds measured one after the other on a shared two-core virtual machine differed by 3.7 % (standard
// deviation over 15 tries).
constexpr double kSequentialDrift = 0.037;
// Hours or days apart the machine itself may have moved. Not measured as well as the figure above: chosen near three
// times that, so that only changes of a quarter and more are ever called on such data alone.
constexpr double kSeparateDrift = 0.10;
// However alike the benchmarks look, their own drift is not known to be less: alternating builds still differ by .5 %.
constexpr double kLeastOwnDrift = 0.01;
constexpr double kMostCorrelation = 0.8;  // a few invocations cannot tell more from a step

double default_drift(Layout layout) { return layout == Layout::separate ? kSeparateDrift : kSequentialDrift; }

double student_or_normal_quantile(double probability, double degrees) {
  return degrees > 0 ? student_quantile(probability, degrees) : normal_quantile(probability);
}

}  // namespace

Drift estimate_drift(std::span<const Effect> effects, Layout layout) {
  Drift drift;
  drift.deviation = default_drift(layout);
  std::vector<double> ratios;
  std::vector<double> variances;
  for (const Effect& effect : effects) {
    if (!effect.standard_error) continue;
    ratios.push_back(effect.log_ratio);
    variances.push_back(*effect.standard_error * *effect.standard_error);
  }
  if (ratios.size() < kLeastBenchmarksForDrift) return drift;
  drift.estimated = true;
  drift.common = median(ratios);
  drift.degrees = static_cast<double>(ratios.size() - 1);
  std::vector<double> deviations;
  for (const double ratio : ratios) deviations.push_back(std::fabs(ratio - drift.common));
  // 1.4826: median absolute deviation to standard deviation. What the samples' own error explains is taken off.
  const double spread = 1.4826 * median(deviations);
  drift.deviation = std::max(kLeastOwnDrift, std::sqrt(std::max(0.0, spread * spread - median(variances))));
  return drift;
}

double autocorrelation_factor(std::span<const LogInvocation> invocations) {
  if (invocations.size() < 4) return 1;
  double mean = 0;
  for (const LogInvocation& invocation : invocations)
    mean += invocation.level / static_cast<double>(invocations.size());
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    squares += (invocations[i].level - mean) * (invocations[i].level - mean);
    if (i > 0) products += (invocations[i].level - mean) * (invocations[i - 1].level - mean);
  }
  if (squares == 0) return 1;
  const double correlation = std::clamp(products / squares, 0.0, kMostCorrelation);
  return (1 + correlation) / (1 - correlation);
}

Effect widen(const Effect& effect, const Drift& drift, double variance_factor, double confidence) {
  assert(variance_factor >= 1 && confidence > 0 && confidence < 1);
  Effect result = effect;
  result.within_margin = false;
  result.least_p = 0;
  result.p.reset();
  result.interval.reset();
  result.equivalence_interval.reset();
  if (!effect.standard_error) return result;
  result.test = "drift-widened t";
  const double error = std::hypot(*effect.standard_error * std::sqrt(variance_factor), drift.deviation);
  result.standard_error = error;
  result.degrees = drift.degrees;
  if (effect.degrees > 0) result.degrees = drift.degrees > 0 ? std::min(drift.degrees, effect.degrees) : effect.degrees;
  const double corrected = effect.log_ratio - drift.common;
  const double half = student_or_normal_quantile(0.5 + confidence / 2, result.degrees) * error;
  result.interval =
      Interval{std::min(effect.log_ratio, corrected) - half, std::max(effect.log_ratio, corrected) + half};
  const bool same_direction = effect.log_ratio * corrected > 0;
  const double unexplained = same_direction ? std::min(std::fabs(effect.log_ratio), std::fabs(corrected)) : 0;
  result.p = result.degrees > 0 ? student_two_sided_p(unexplained / error, result.degrees)
                                : normal_two_sided_p(unexplained / error);
  return result;
}

}  // namespace steelyard
