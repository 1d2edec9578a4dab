#include "ci/report/sample_summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/model/quantile.hpp"

namespace steelyard {
namespace {

// Two passes: the mean of squares minus the square of the mean cancels on large values.
std::optional<double> relative_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  if (mean == 0) return std::nullopt;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double result = std::sqrt(squares / static_cast<double>(values.size() - 1)) / std::abs(mean);
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

}  // namespace

std::optional<double> middle_of(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); }),
               values.end());
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

SampleSummary summarize(const Measurement& measurement) {
  SampleSummary summary;
  std::vector<double> medians;
  std::vector<double> deviations;
  for (const InvocationSamples& invocation : measurement.invocations) {
    const std::optional<double> level = middle_of(invocation.values);
    if (!level) continue;
    ++summary.invocations;
    summary.samples += static_cast<std::int64_t>(invocation.values.size());
    medians.push_back(*level);
    if (const auto deviation = relative_deviation(invocation.values)) deviations.push_back(*deviation);
  }
  summary.level = middle_of(medians);
  summary.within = middle_of(deviations);
  summary.between = relative_deviation(medians);
  return summary;
}

}  // namespace steelyard
