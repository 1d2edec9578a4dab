#include "bench/harness/block_outliers.hpp"

#include <algorithm>

#include "bench/harness/task_measurement.hpp"

namespace steelyard {
namespace {

constexpr double kMild = 1.5;
constexpr double kSevere = 3;
constexpr std::size_t kFewestForFences = 4;

}  // namespace

BlockOutliers count_outliers(const std::vector<double>& ascending, const std::vector<double>& times) {
  BlockOutliers outliers{0, 0, times.size()};
  if (ascending.size() < kFewestForFences) return outliers;
  TaskMeasurement spread;
  spread.raw_times = ascending;
  const double low = *spread.p25();
  const double high = *spread.p75();
  for (const double time : times) {
    const double beyond = std::max(low - time, time - high);
    if (beyond > kSevere * (high - low)) {
      ++outliers.severe;
    } else if (beyond > kMild * (high - low)) {
      ++outliers.mild;
    }
  }
  return outliers;
}

std::string to_text(const BlockOutliers& outliers) {
  std::string text;
  if (outliers.mild > 0) text += std::to_string(outliers.mild) + " mild";
  if (outliers.severe > 0) text += (text.empty() ? "" : ", ") + std::to_string(outliers.severe) + " severe";
  return (text.empty() ? "none" : text) + " of " + std::to_string(outliers.of);
}

}  // namespace steelyard
