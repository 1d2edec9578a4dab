// Takes the readings around processes that run together, before their start and after the last one's end, and makes of
// them what each invocation keeps. Reads the system; judges nothing (see disturbance).
//
//     ConditionsWatch watch({core_a, core_b});
//     const auto children = run_children(commands);
//     const std::vector<InvocationConditions> conditions = watch.finish(children);
#pragma once

#include <optional>
#include <vector>

#include "bench/model/measurement.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/core_times.hpp"

namespace steelyard {

class ConditionsWatch {
 public:
  // One entry a process; absent: it is not pinned, and what is known of single cores stays absent.
  explicit ConditionsWatch(std::vector<std::optional<int>> cores);
  // One entry a process, in the same order; empty conditions for one that did not start. Call it once.
  std::vector<InvocationConditions> finish(const std::vector<Result<ChildResult>>& children);

 private:
  struct Reading {
    std::optional<double> mhz;
    std::optional<CoreTimes> times;
  };
  static Reading read_after(std::optional<int> core);

  std::vector<std::optional<int>> cores_;
  std::vector<Reading> before_;
};

}  // namespace steelyard
