// The first half of a child's life: pipes, the supervisor between us and it, what has to be set between fork and exec,
// exec. Nothing here waits for its end; see child_process.
#pragma once

#include <sys/types.h>

#include "bench/model/result.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/descriptor.hpp"

namespace steelyard::bench {

struct StartedChild {
  pid_t supervisor = -1;  // bench/runner/supervisor.hpp
  Descriptor end_report;  // where that one writes a ChildEndReport
  Descriptor output;
  Descriptor error_output;
  int core = -1;
  bool addresses_randomized = true;
};

// Returns once the new program has replaced ours (or could not, which is the error). Errors as of run_child. The caller
// has to reap pid.
Result<StartedChild> start_child(const ChildCommand& command);

}  // namespace steelyard::bench
