// The benchmarks of a device program: each a name, axes, and a function that makes its workload at one point of them.
// Declaring touches no device, so that a machine without one can list what there is.
//
//     DeviceSuite suite;
//     suite.add("layer_norm", [](const AxisPoint& at) { return make_layer_norm(at.integer("rows"), at.text("dtype"));
//     })
//         .power_of_two("rows", 10, 14)
//         .strings("dtype", {"bf16", "f32"})
//         .target("0.61 of bandwidth");
//
// A name lists the axes in the order of their own names: "layer_norm/dtype:bf16/rows:4096".
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cuda/device_properties.hpp"
#include "bench/cuda/workload.hpp"
#include "bench/harness/axes.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

using WorkloadMaker = std::function<std::unique_ptr<Workload>(const AxisPoint&)>;
// A reason why this device cannot run the point, e.g. "f8 needs compute capability 8.9, this device has 8.0"; empty: it
// can.
using DeviceNeed = std::function<std::string(const DeviceProperties&, const AxisPoint&)>;
using TargetChoice = std::function<std::string(const AxisPoint&)>;

class DeviceBenchmark {
 public:
  DeviceBenchmark(std::string name, WorkloadMaker make) : name_(std::move(name)), make_(std::move(make)) {}

  DeviceBenchmark& integers(std::string axis, const std::vector<std::int64_t>& values);
  // 2^first_exponent to 2^last_exponent.
  DeviceBenchmark& power_of_two(std::string axis, std::int64_t first_exponent, std::int64_t last_exponent);
  DeviceBenchmark& strings(std::string axis, const std::vector<std::string>& values);
  // Combinations for which it is false do not exist.
  DeviceBenchmark& filter(AxisFilter filter);
  // "0.61 of bandwidth", "0.8 of flops", "12 GB/s"; a choice may return an empty text: no target at that point.
  DeviceBenchmark& target(std::string text);
  DeviceBenchmark& target(TargetChoice choice);
  // Left out unless the user asks for large ones: the whole benchmark, or the points that the filter says.
  DeviceBenchmark& large();
  DeviceBenchmark& large(AxisFilter which);
  // Several needs hold together: the first reason is the one that is said.
  DeviceBenchmark& needs(DeviceNeed need);

  const std::string& name() const { return name_; }
  const std::vector<Axis>& axes() const { return axes_; }

 private:
  friend class DeviceSuite;
  DeviceBenchmark& add(Result<Axis> axis);

  std::string name_;
  WorkloadMaker make_;
  std::vector<Axis> axes_;
  AxisFilter filter_;
  AxisFilter large_;
  TargetChoice target_;
  std::vector<DeviceNeed> needs_;
  std::optional<Error> error_;  // of the first axis that is none
};

// One point of one benchmark.
struct DeviceCase {
  std::string name;  // whole: "add/dtype:bf16/n:1024"
  AxisPoint point;
  std::string target;  // empty: none
  WorkloadMaker make;
  std::vector<DeviceNeed> needs;

  // Why this device cannot run it; empty: it can.
  std::string unmet_need(const DeviceProperties& device) const;
};

struct CaseChoice {
  bool large = false;
  std::vector<AxisOverride> axes;  // in place of declared values, in every benchmark that has the axis
};

class DeviceSuite {
 public:
  // The reference stays valid while the suite lives.
  DeviceBenchmark& add(std::string name, WorkloadMaker make);

  // In order of declaration, then of the axes. Error (input): an axis that is none, an override of an axis that no
  // benchmark has, two cases of one name.
  Result<std::vector<DeviceCase>> cases(const CaseChoice& choice = {}) const;

 private:
  std::deque<DeviceBenchmark> benchmarks_;
};

}  // namespace steelyard::cuda
