#include <cmath>

#include "ci/report/distribution_picture.hpp"

namespace steelyard {
namespace {

SideSamples side_of(const ComparisonRow& row, const Run& run) {
  SideSamples side;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.metric.name != row.metric.name || measurement.benchmark.canonical() != row.benchmark) continue;
    for (const InvocationSamples& samples : measurement.invocations) {
      std::vector<double> finite;
      for (const double value : samples.values) {
        if (std::isfinite(value)) finite.push_back(value);
      }
      if (!finite.empty()) side.invocations.push_back(std::move(finite));
    }
  }
  return side;
}

}  // namespace

RowSamples samples_of_row(const ComparisonRow& row, const Run& baseline, const Run& candidate) {
  return {side_of(row, baseline), side_of(row, candidate)};
}

}  // namespace steelyard
