#include "regress/history/machine_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>

#include "bench/model/quantile.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/history/noise.hpp"

namespace steelyard::regress {
namespace {

// Neighbours that differ by more than this, as a ratio, are no longer about symmetric on a logarithmic scale: small
// values then stand further off than large ones.
constexpr double kMaxLogNoise = 0.25;

struct Summary {
  double middle = 0;
  double error = 0;  // of the median
};

std::optional<Summary> summarize(const std::vector<double>& values) {
  if (values.size() == 1) return std::isfinite(values.front()) ? std::optional(Summary{values.front()}) : std::nullopt;
  std::vector<double> finite;
  for (double value : values)
    if (std::isfinite(value)) finite.push_back(value / 2);  // halves: the mean of two huge ones stays finite
  if (finite.empty()) return std::nullopt;
  Summary summary{2 * median(finite)};
  std::vector<double> apart;
  for (double value : finite) apart.push_back(std::fabs(value - summary.middle / 2));
  // 1.4826: deviation of a normal sample over its median distance.
  if (finite.size() >= 3)
    summary.error =
        2 * 1.4826 * kErrorOfMedian * median(std::move(apart)) / std::sqrt(static_cast<double>(finite.size()));
  return summary;
}

bool is_log_scale(const std::vector<double>& values) {
  if (!std::ranges::all_of(values, [](double value) { return value > 0; })) return false;
  std::vector<double> logarithms;
  for (double value : values) logarithms.push_back(steady_log(value));
  return coarse_scale(logarithms) <= kMaxLogNoise;
}

void add_levels(MachineValues& values) {
  values.logarithmic = is_log_scale(values.value);
  double largest = 0;
  for (double value : values.value) largest = std::max(largest, std::fabs(value));
  values.level.reserve(values.value.size());
  for (std::size_t i = 0; i < values.value.size(); ++i) {
    const double value = values.value[i];
    const double unit = values.logarithmic ? value : largest;
    values.level.push_back(values.logarithmic ? steady_log(value) : largest > 0 ? value / largest : 0);
    values.error[i] = unit > 0 ? values.error[i] / unit : 0;
  }
  // Around 0, so that sums of squares keep the digits of a noise that is small beside the level.
  const double center = median(values.level);
  for (double& level : values.level) level -= center;
}

}  // namespace

std::optional<double> value_of(const std::vector<double>& values) {
  const std::optional<Summary> summary = summarize(values);
  return summary ? std::optional(summary->middle) : std::nullopt;
}

std::vector<MachineValues> values_by_machine(const Series& series) {
  std::vector<MachineValues> machines;
  std::vector<std::vector<double>> together;  // by machine: values of the newest commit, where it has several points
  std::map<std::string, std::size_t> place;
  const auto close = [&](std::size_t i) {
    const std::optional<Summary> summary = summarize(together[i]);
    if (summary) machines[i].value.back() = summary->middle;
    if (summary) machines[i].error.back() = summary->error;
    together[i].clear();
  };
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const SeriesPoint& point = series.points[i];
    const std::optional<Summary> summary = summarize(point.values);
    if (!summary) continue;
    const auto [entry, fresh] = place.try_emplace(point.machine, machines.size());
    if (fresh) {
      machines.push_back({.machine = point.machine, .index = {}, .last = {}, .value = {}, .level = {}, .error = {}});
      together.emplace_back();
    }
    MachineValues& machine = machines[entry->second];
    std::vector<double>& all = together[entry->second];
    if (!point.commit.empty() && !fresh && series.points[machine.last.back()].commit == point.commit) {
      if (all.empty()) all = series.points[machine.last.back()].values;
      all.insert(all.end(), point.values.begin(), point.values.end());
      machine.last.back() = i;
      continue;
    }
    close(entry->second);
    machine.index.push_back(i);
    machine.last.push_back(i);
    machine.value.push_back(summary->middle);
    machine.error.push_back(summary->error);
  }
  for (std::size_t i = 0; i < machines.size(); ++i) {
    close(i);
    add_levels(machines[i]);
  }
  return machines;
}

namespace {

constexpr std::size_t kHalfWindow = 2;
constexpr double kSpikeReach = 3;  // in scales of the noise

}  // namespace

std::vector<double> clip_spikes(std::span<const double> values, double scale, std::span<const double> errors) {
  std::vector<double> clipped(values.begin(), values.end());
  if (values.size() < 3) return clipped;
  std::vector<double> window;  // no array: at -O2 the compiler takes its sort for one of more than it holds
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i < kHalfWindow ? 0 : i - kHalfWindow;
    const std::size_t to = std::min(values.size(), i + kHalfWindow + 1);
    window.assign(values.begin() + static_cast<std::ptrdiff_t>(from), values.begin() + static_cast<std::ptrdiff_t>(to));
    const std::size_t n = window.size();
    std::sort(window.begin(), window.end());
    const double middle = n % 2 == 1 ? window[n / 2] : (window[n / 2 - 1] + window[n / 2]) / 2;
    const double trust = errors.empty() || errors[i] <= scale ? 1 : scale / errors[i];
    const double reach = kSpikeReach * scale * trust;
    clipped[i] = std::clamp(values[i], middle - reach, middle + reach);
  }
  return clipped;
}

}  // namespace steelyard::regress
