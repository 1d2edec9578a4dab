// Names the functions behind a changed count: the culprit first (culprit.hpp), then the largest changes of self cost,
// functions and the pieces inlined into them, last own functions whose callees changed; and the calls that lead there.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

struct AttributionOptions {
  // Folders whose sources are the project's own, one per side (a build tree of each may stand elsewhere). Empty: every
  // file that is no system header and no system library counts as own; without debug information, the executable's
  // functions do.
  std::vector<std::filesystem::path> own_sources;
  int max_functions = 8;
  // Names lines and inlined functions of runs whose lines may be shifted (has_shifted_lines), too: what was said of
  // them before that was known, for who computes an old verdict again.
  bool trust_shifted_lines = false;
  // Files of the two sides belong together where their paths end alike. False: by whole paths alone, which told an
  // inlined function of two trees twice, for who computes an old verdict again.
  bool pairs_trees = true;
};

// By benchmark, as rows name it: what changed of its kernels; none without changes.
using KernelChanges = std::map<std::string, std::vector<std::string>>;

// Of which sides functions were named without lines and inlined functions, as the lines may be shifted.
struct NamedWithoutLines {
  bool of_baseline = false;
  bool of_candidate = false;
};

// What an attribution found besides what it fills in.
struct Attribution {
  NamedWithoutLines without_lines = {};  // neither where no function was named
  KernelChanges kernel_changes = {};
};

// Fills `functions` and `call_path` of every row of a counted metric whose count changed, and of the noisy rows of the
// same benchmark that moved the same way (a regression of time gets those of a regression of instructions), from the
// runs' profiles. Where a benchmark calls a library that ran other code under the counter than natively, its
// counted row gets RowNote::other_dispatch, its noisy rows get no functions, and neither reports nor the policy's
// signals combine its time and count: whoever calls this decides anew which rows gate. Where the lines of a run's
// profiles may be shifted, functions are named without lines and inlined functions. Without a profile of it the
// benchmark is taken to be one that calls it. Kernels of a device that changed are named too. Says nothing:
// attribute_in_words() (ci/report/judgement_text.hpp) words what this found.
Attribution attribute(Comparison& comparison, const Run& baseline, const Run& candidate,
                      const AttributionOptions& options);

// Names the kernels that changed between two runs of a device's benchmarks: what was launched comes before how long it
// took. The labels of the benchmarks have them ("kernels: NAME, NAME").

// The names after kKernelsWord in a label whose parts are separated by ';'. A ", " inside brackets separates nothing,
// as it may stand in template arguments. Empty: the label names none.
std::vector<std::string> kernels_of_label(std::string_view label);

// Of each benchmark whose kernels changed, in ComparisonRow::kernel_changes of its rows that were judged; returned are
// those of no judged row too, as kernels may change where no time does. A side that names no kernels changes nothing.
KernelChanges annotate_changed_kernels(Comparison& comparison, const Run& baseline, const Run& candidate);

// A library that picks its kernels by the processor it sees (OpenBLAS does) runs other code under the counter than
// natively. Time and count of what calls it are then signals of two programs, and must not be explained as one.

// Whether the profile has a function of such a library.
bool calls_a_dispatching_library(const CountedProfile& profile);

}  // namespace steelyard::ci
