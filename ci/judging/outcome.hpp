// The exit status that a comparison amounts to.
#pragma once

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/exit_code.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

struct OutcomeRules {
  bool demand_decision = false;  // an inconclusive row was to be judged and was not
  bool demand_counts = false;    // instructions were asked for, whatever the policy names
};
OutcomeRules outcome_rules(const Configuration& configuration);

// regression -> 1; missing, incomparable, failed -> 2; a failure of the candidate's own processes -> 4; the worst
// holds. No row that was judged (none at all, or only such as are missing, incomparable or failed) -> 2. A bad record
// of an imported file, on either side and of whatever metric -> 2, never 4: it is the file's failure.
//
// A row that does not gate fails nothing, whatever its verdict, but for a failure of the candidate's own processes; and
// instructions that were demanded are 2 where they were not judged.
//
// A count that failed is no failure of the program. It is 2 where instructions were asked for (the policy names them,
// or demand_counts) and where one side alone has them. Where nobody asked and neither side could be counted, nothing
// that was to be judged is lost: the row stands in the report, and time decides.
ExitCode outcome_of(const Comparison& comparison, const Run& baseline, const Run& candidate, const OutcomeRules& rules);

// missed -> 1; undecided -> 2; no target: 0.
ExitCode outcome_of(const TargetReport& targets);

}  // namespace steelyard
