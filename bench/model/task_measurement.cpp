#include "bench/model/task_measurement.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "bench/model/quantile.hpp"

namespace steelyard {
namespace {

// The clock's own doubt about one time: below it, agreement between times supports no further digit.
constexpr double kLeastUncertaintySeconds = 25e-9;
constexpr double kNormalQuantile95 = 1.645;  // one-sided 95 %
constexpr int kMostSignificantFigures = 4;
constexpr double kWarningRatio = 0.1;  // IQR over median
constexpr std::size_t kFewestForSpread = 4;

std::optional<double> quantile(const std::vector<double>& ascending, double p) {
  if (ascending.empty()) return std::nullopt;
  return quantile_of_sorted(ascending, p);
}

// Divided by n: the middle half is described, not a population estimated from it.
double population_deviation(const double* begin, const double* end) {
  const auto n = static_cast<double>(end - begin);
  const double mean = std::accumulate(begin, end, 0.0) / n;
  const double squares =
      std::accumulate(begin, end, 0.0, [mean](double sum, double x) { return sum + (x - mean) * (x - mean); });
  return std::sqrt(squares / n);
}

std::string machine_of(const TaskMeasurement& measurement) {
  return measurement.fingerprint.empty() ? "an unknown machine" : "machine " + measurement.fingerprint;
}

// Joins `next` to `all`, whose runs_per_time is 1.
void append(TaskMeasurement& all, const TaskMeasurement& next) {
  const std::vector<double> times = next.times_in_order();
  all.raw_times.insert(all.raw_times.end(), times.begin(), times.end());
  if (all.fingerprint != next.fingerprint) all.fingerprint.clear();
  std::erase_if(all.metadata, [&](const auto& entry) {
    const auto other = next.metadata.find(entry.first);
    return other == next.metadata.end() || other->second != entry.second;
  });
}

}  // namespace

std::string TaskMeasurement::flaw() const {
  if (task.threads < 1) return std::to_string(task.threads) + " threads";
  if (runs_per_time < 1) return std::to_string(runs_per_time) + " runs per time";
  if (!runs_of_times.empty() && runs_of_times.size() != raw_times.size()) {
    return "runs of " + std::to_string(runs_of_times.size()) + " times beside " + std::to_string(raw_times.size());
  }
  for (const std::int64_t runs : runs_of_times) {
    if (runs < 1) return "a time of " + std::to_string(runs) + " runs";
  }
  for (const double raw : raw_times) {
    if (!std::isfinite(raw) || raw < 0) return "a time that is below 0 or not finite";
  }
  return "";
}

std::vector<double> TaskMeasurement::times_in_order() const {
  assert(runs_of_times.empty() || runs_of_times.size() == raw_times.size());
  std::vector<double> per_run;
  per_run.reserve(raw_times.size());
  for (std::size_t i = 0; i < raw_times.size(); ++i) {
    const std::int64_t runs = runs_of_times.empty() ? runs_per_time : runs_of_times[i];
    per_run.push_back(raw_times[i] / static_cast<double>(runs));
  }
  return per_run;
}

std::vector<double> TaskMeasurement::times() const {
  std::vector<double> ascending = times_in_order();
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

std::optional<double> TaskMeasurement::median() const { return quantile(times(), 0.5); }
std::optional<double> TaskMeasurement::p25() const { return quantile(times(), 0.25); }
std::optional<double> TaskMeasurement::p75() const { return quantile(times(), 0.75); }

std::optional<double> TaskMeasurement::mean() const {
  if (raw_times.empty()) return std::nullopt;
  const std::vector<double> ascending = times();
  return std::accumulate(ascending.begin(), ascending.end(), 0.0) / static_cast<double>(ascending.size());
}

std::optional<double> TaskMeasurement::interquartile_range() const {
  const std::vector<double> ascending = times();
  if (ascending.empty()) return std::nullopt;
  return *quantile(ascending, 0.75) - *quantile(ascending, 0.25);
}

int TaskMeasurement::significant_figures() const {
  const std::vector<double> ascending = times();
  if (ascending.empty()) return 1;
  const std::size_t n = ascending.size();
  const double* begin = ascending.data() + n / 4;
  const double* end = ascending.data() + (3 * n + 3) / 4;
  const double deviation = population_deviation(begin, end);
  const double half_width = kNormalQuantile95 * deviation / std::sqrt(static_cast<double>(end - begin));
  const double digits =
      std::floor(std::log10(*quantile(ascending, 0.5) / std::max(half_width, kLeastUncertaintySeconds)));
  // Written so that the NaN of a median below 0 counts as one digit.
  return digits >= 1 ? static_cast<int>(std::min<double>(digits, kMostSignificantFigures)) : 1;
}

bool TaskMeasurement::has_warning() const {
  if (raw_times.size() < kFewestForSpread) return false;
  const double middle = *median();
  return middle > 0 && *interquartile_range() / middle >= kWarningRatio;
}

Result<std::vector<TaskMeasurement>> merge(const std::vector<TaskMeasurement>& measurements, MergeOptions options) {
  std::vector<TaskMeasurement> merged;
  std::map<TaskSpec, std::size_t> places;
  for (const TaskMeasurement& measurement : measurements) {
    const auto [place, is_new] = places.try_emplace(measurement.task, merged.size());
    if (is_new) {
      merged.push_back({measurement.task, 1, {}, {}, measurement.fingerprint, measurement.metadata});
    }
    TaskMeasurement& all = merged[place->second];
    if (all.fingerprint != measurement.fingerprint && !options.across_machines) {
      return input_error("merge of \"" + measurement.task.title() + "\"",
                         "times of " + machine_of(all) + " and of " + machine_of(measurement), "times of one machine",
                         "compare them side by side, or ask for a merge across machines");
    }
    append(all, measurement);
  }
  return merged;
}

}  // namespace steelyard
