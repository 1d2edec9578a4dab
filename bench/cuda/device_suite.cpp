#include "bench/cuda/device_suite.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace steelyard::cuda {

DeviceBenchmark& DeviceBenchmark::add(Result<Axis> axis) {
  if (axis) {
    axes_.push_back(std::move(axis).value());
  } else if (!error_) {
    error_ = std::move(axis).error();
  }
  return *this;
}

DeviceBenchmark& DeviceBenchmark::integers(std::string axis, const std::vector<std::int64_t>& values) {
  return add(integer_axis(std::move(axis), values));
}

DeviceBenchmark& DeviceBenchmark::power_of_two(std::string axis, std::int64_t first_exponent,
                                               std::int64_t last_exponent) {
  return add(power_of_two_axis(std::move(axis), {first_exponent, last_exponent, 1}));
}

DeviceBenchmark& DeviceBenchmark::strings(std::string axis, const std::vector<std::string>& values) {
  return add(text_axis(std::move(axis), values));
}

DeviceBenchmark& DeviceBenchmark::filter(AxisFilter filter) {
  filter_ = std::move(filter);
  return *this;
}

DeviceBenchmark& DeviceBenchmark::target(std::string text) {
  return target([text = std::move(text)](const AxisPoint&) { return text; });
}

DeviceBenchmark& DeviceBenchmark::target(TargetChoice choice) {
  target_ = std::move(choice);
  return *this;
}

DeviceBenchmark& DeviceBenchmark::large() {
  return large([](const AxisPoint&) { return true; });
}

DeviceBenchmark& DeviceBenchmark::large(AxisFilter which) {
  large_ = std::move(which);
  return *this;
}

DeviceBenchmark& DeviceBenchmark::needs(DeviceNeed need) {
  needs_.push_back(std::move(need));
  return *this;
}

std::string DeviceCase::unmet_need(const DeviceProperties& device) const {
  for (const DeviceNeed& need : needs) {
    if (std::string reason = need(device, point); !reason.empty()) return reason;
  }
  return {};
}

DeviceBenchmark& DeviceSuite::add(std::string name, WorkloadMaker make) {
  return benchmarks_.emplace_back(std::move(name), std::move(make));
}

Result<std::vector<DeviceCase>> DeviceSuite::cases(const CaseChoice& choice) const {
  std::set<std::string> axis_names;
  for (const DeviceBenchmark& benchmark : benchmarks_) {
    if (benchmark.error_) return *benchmark.error_;
    for (const Axis& axis : benchmark.axes_) axis_names.insert(axis.name);
  }
  for (const AxisOverride& given : choice.axes) {
    STEELYARD_CHECK(check_is_known(given, {axis_names.begin(), axis_names.end()}));
  }
  std::vector<DeviceCase> cases;
  std::set<std::string> names;
  for (const DeviceBenchmark& benchmark : benchmarks_) {
    std::vector<Axis> axes = benchmark.axes_;
    for (Axis& axis : axes) {
      for (const AxisOverride& given : choice.axes) {
        if (given.axis != axis.name) continue;
        STEELYARD_TRY(axis, overridden(axis, given));
      }
    }
    // With values of the user's the filter may leave nothing of a benchmark; the others are still there.
    Result<std::vector<AxisPoint>> points = points_of(std::move(axes), benchmark.filter_);
    if (!points && !choice.axes.empty()) continue;
    if (!points) return points.error();
    for (AxisPoint& point : *points) {
      if (!choice.large && benchmark.large_ && benchmark.large_(point)) continue;
      std::string name = point.name(benchmark.name_);
      if (!names.insert(name).second) {
        return input_error("benchmark " + name, "a second one of this name", "each name once");
      }
      std::string target = benchmark.target_ ? benchmark.target_(point) : "";
      cases.push_back({std::move(name), std::move(point), std::move(target), benchmark.make_, benchmark.needs_});
    }
  }
  return cases;
}

}  // namespace steelyard::cuda
