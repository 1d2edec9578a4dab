#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/model/quantile.hpp"
#include "tests/studies/judging/peers/rules.hpp"

namespace steelyard::judging {
namespace {

constexpr double kNoiseThreshold = 0.01;
// The tool draws 100,000. p is compared with .05 and the interval's ends with 1 %: 2,000 blur both by half a point.
constexpr int kResamples = 2000;
constexpr std::uint64_t kSeed = 1;

struct MeanAndVariance {
  double mean = 0;
  double variance = 0;
  double count = 0;
};

MeanAndVariance moments_of_resample(const std::vector<double>& from, std::size_t count, Draw& draw) {
  MeanAndVariance moments;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = from[static_cast<std::size_t>(draw.below(static_cast<int>(from.size())))];
    ++moments.count;
    const double step = value - moments.mean;
    moments.mean += step / moments.count;
    moments.variance += step * (value - moments.mean);
  }
  moments.variance /= moments.count - 1;
  return moments;
}

MeanAndVariance moments_of(const std::vector<double>& values) {
  MeanAndVariance moments;
  moments.count = static_cast<double>(values.size());
  moments.mean = mean_of(values);
  for (const double value : values) moments.variance += (value - moments.mean) * (value - moments.mean);
  moments.variance /= moments.count - 1;
  return moments;
}

double t_of(const MeanAndVariance& one, const MeanAndVariance& other) {
  const double error = std::sqrt(one.variance / one.count + other.variance / other.count);
  return error > 0 ? (other.mean - one.mean) / error : 0;
}

}  // namespace

// "Performance has regressed": the t statistic is unlikely among resamples of both sides put together, and the 95 %
// bootstrap interval of the change of the mean lies beyond the noise threshold.
Rule criterion_rule() {
  return each_alone("criterion", [](const BenchmarkWindow& window) {
    const auto baseline = all_values(window.baseline);
    const auto candidate = all_values(window.candidate);
    std::vector<double> both = baseline;
    both.insert(both.end(), candidate.begin(), candidate.end());
    const double seen = t_of(moments_of(baseline), moments_of(candidate));
    Draw draw(kSeed);
    int below = 0;
    std::vector<double> changes;
    for (int i = 0; i < kResamples; ++i) {
      const auto one = moments_of_resample(both, baseline.size(), draw);
      if (t_of(one, moments_of_resample(both, candidate.size(), draw)) < seen) ++below;
      const double baseline_mean = moments_of_resample(baseline, baseline.size(), draw).mean;
      changes.push_back(moments_of_resample(candidate, candidate.size(), draw).mean / baseline_mean);
    }
    std::sort(changes.begin(), changes.end());
    Finding finding;
    finding.p = 2.0 * std::min(below, kResamples - below) / kResamples;
    finding.interval = Interval{quantile_of_sorted(changes, kAlpha / 2), quantile_of_sorted(changes, 1 - kAlpha / 2)};
    if (*finding.p < kAlpha && finding.interval->low > 1 + kNoiseThreshold) finding.says = 1;
    if (*finding.p < kAlpha && finding.interval->high < 1 - kNoiseThreshold) finding.says = -1;
    return finding;
  });
}

}  // namespace steelyard::judging
