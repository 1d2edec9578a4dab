#include "tests/studies/judging/occasion_drift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/model/quantile.hpp"
#include "tests/studies/judging/peers/rules.hpp"

namespace steelyard::judging {

OccasionDrift drift_of(const std::function<Window(Draw&)>& source, int windows, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<double> sizes;
  double squares = 0;
  for (int i = 0; i < windows; ++i) {
    for (const BenchmarkWindow& benchmark : source(draw).benchmarks) {
      const double ratio = median(log_medians(benchmark.candidate)) - median(log_medians(benchmark.baseline));
      sizes.push_back(std::fabs(ratio));
      squares += ratio * ratio;
    }
  }
  if (sizes.empty()) return {};
  OccasionDrift drift;
  drift.tries = static_cast<std::int64_t>(sizes.size());
  drift.deviation = std::sqrt(squares / static_cast<double>(sizes.size()));
  drift.largest = *std::max_element(sizes.begin(), sizes.end());
  drift.median = median(std::move(sizes));
  return drift;
}

}  // namespace steelyard::judging
