#include "regress/history/machine_values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "bench/model/quantile.hpp"

namespace steelyard {
namespace {

std::optional<double> median_of_finite(const std::vector<double>& values) {
  if (values.size() == 1) return std::isfinite(values.front()) ? std::optional(values.front()) : std::nullopt;
  std::vector<double> finite;
  for (double value : values)
    if (std::isfinite(value)) finite.push_back(value / 2);  // halves: the mean of two huge ones stays finite
  if (finite.empty()) return std::nullopt;
  return 2 * median(std::move(finite));
}

void add_levels(MachineValues& values) {
  values.logarithmic = std::ranges::all_of(values.value, [](double value) { return value > 0; });
  double largest = 0;
  for (double value : values.value) largest = std::max(largest, std::fabs(value));
  values.level.reserve(values.value.size());
  for (double value : values.value) {
    if (values.logarithmic)
      values.level.push_back(std::log(value));
    else
      values.level.push_back(largest > 0 ? value / largest : 0);
  }
}

}  // namespace

std::vector<MachineValues> values_by_machine(const Series& series) {
  std::vector<MachineValues> machines;
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const SeriesPoint& point = series.points[i];
    const std::optional<double> value = median_of_finite(point.values);
    if (!value) continue;
    const auto [entry, fresh] = place.try_emplace(point.machine, machines.size());
    if (fresh) machines.push_back({.machine = point.machine, .index = {}, .value = {}, .level = {}});
    MachineValues& machine = machines[entry->second];
    machine.index.push_back(i);
    machine.value.push_back(*value);
  }
  for (MachineValues& machine : machines) add_levels(machine);
  return machines;
}

}  // namespace steelyard
