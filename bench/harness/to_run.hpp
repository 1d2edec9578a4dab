// Measurements of the Timer as a Run, so that archives, the store and `steelyard compare` take them.
//
//     STEELYARD_TRY(Run run, to_run(measurements, {.environment = read_environment(), .project = "textkit"}));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard {

struct ToRunOptions {
  // Of the machine that measured. Without facts, the measurements' fingerprint stands for it: such runs are comparable
  // with each other alone.
  Environment environment = {};
  std::string project = {};
  std::string program = {};
  std::int64_t created_at_unix_ns = 0;
  // Measurements of equal tasks come from processes of their own, one a round. Off: their times are joined to one
  // invocation, since nothing in them tells, and the verdict will say that it knows of one process.
  bool repeats_are_processes = false;
};

// A benchmark is named by the label, or without one by the statement on one line; sub-label and description are its
// parameters `sub_label` and `description`; threads where there are several. The statement, setup and environment of a
// task are no part of that identity: two tasks that differ in these alone are an Error (input) that names both, since
// each belongs to a run of its own. So are measurements of two machines, of another than `environment` and ones without
// times.
Result<Run> to_run(const std::vector<TaskMeasurement>& measurements, const ToRunOptions& options = {});

}  // namespace steelyard
