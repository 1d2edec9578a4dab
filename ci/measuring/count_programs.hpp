// Counts the instructions of programs, both sides together and never beside timing, and adds the counts to their runs.
#pragma once

#include <string>
#include <vector>

#include "ci/app/progress_line.hpp"
#include "ci/config/configuration.hpp"
#include "ci/measuring/count_plan.hpp"
#include "ci/measuring/equal_builds.hpp"

namespace steelyard {

// Whether to count: not where the user said never, nor where the policy judges no counted metric, nor (with a warning)
// where it cannot be done here. Error (input): it cannot be done and the user said always.
Result<bool> counting_wanted(const MeasuringSettings& settings, const PolicySettings& policy,
                             std::vector<std::string>& warnings);

// Where a program cannot be counted at all, each of its benchmarks has a Failure of kInstructions in its run. A
// candidate that is the same program as the baseline takes the baseline's counts, with the proof in their basis. A
// baseline that was counted before takes the kept counts, unless the candidate's have another key: then it is counted
// again. The candidate is always counted, or equal to what was. A process has a multiple of the settings' timeout,
// which is for its native speed. `warnings`: what the cache, in the state folder, could not read or write.
EqualBuilds count_programs(const std::vector<CountPair>& pairs, const MeasuringSettings& settings, const Limits& limits,
                           ProgressLine& progress, std::vector<std::string>& warnings);

}  // namespace steelyard
