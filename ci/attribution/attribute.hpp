// Names the functions behind a changed count: the culprit first (culprit.hpp), then the largest changes of self cost,
// functions and the pieces inlined into them, last own functions whose callees changed; and the calls that lead there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

struct AttributionOptions {
  // Folders whose sources are the project's own, one per side (a build tree of each may stand elsewhere). Empty: every
  // file that is no system header and no system library counts as own; without debug information, the executable's
  // functions do.
  std::vector<std::filesystem::path> own_sources;
  int most_functions = 8;
};

// Fills `functions` and `call_path` of every row of a counted metric whose count changed, and of the noisy rows of the
// same benchmark that moved the same way (a regression of time gets those of a regression of instructions), from the
// runs' profiles. Where a benchmark calls a library that ran other code under the counter than natively
// (ci/attribution/library_dispatch.hpp), the reason of its counted row says so, its noisy rows get no functions, and
// neither reports nor the policy's witnesses fuse its time and count. Without a profile of it the benchmark is taken to
// be one that calls it. Kernels of a device that changed are named too (ci/attribution/changed_kernels.hpp).
void attribute(Comparison& comparison, const Run& baseline, const Run& candidate, const AttributionOptions& options);

}  // namespace steelyard
