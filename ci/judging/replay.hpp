// Computes a kept comparison again from its two runs and holds it against what was kept, bit for bit: every judged
// field of every row, the drifts, and the change points of the history it was held against. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/report/store.hpp"

namespace steelyard::ci {

// By the rules that judged it, where this engine still has them, with the policy, the seed, the calibration and the
// history that `comparison`, the kept one, has. Of a reason that says what counting found out about the two builds
// (equal_builds.hpp), the rest is compared. `baseline`: of what was held against a history, the newest run of it; no
// measurements: there was none.
Replay replay(const Comparison& comparison, const Run& baseline, const Run& candidate);

// In what two policies differ but for their seeds, by the fields' names; `absent` stands for what one of them lacks.
std::vector<FieldDifference> differing_fields(const ComparisonPolicy& kept, const ComparisonPolicy& own,
                                              const std::string& absent);

// In what the policy, the calibration and the rules of `kept` are not those of `own`, field by field. Seeds are each
// gate's own. Of what was accepted the order says nothing, nor does what only `own` has of it, without which more
// fails; a table of `kept` that names no machine may be of any, as shards keep them.
std::vector<FieldDifference> policy_differences(const Comparison& kept, const Comparison& own);

// The comparison of these runs by all that `kept` was judged by, and with what its rows say of equal builds and of
// steps of counts; `kept` may be of parts of the runs.
Comparison judged_as(const Comparison& kept, const Run& baseline, const Run& candidate);

}  // namespace steelyard::ci
