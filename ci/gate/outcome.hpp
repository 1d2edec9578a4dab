// The exit status that a comparison amounts to.
#pragma once

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/exit_code.hpp"

namespace steelyard {

struct OutcomeRules {
  bool demand_decision = false;  // an inconclusive row was to be judged and was not
};

// regression -> 1; missing, incomparable, failed or no row at all -> 2; a failure of the candidate's own processes ->
// 4; the worst holds. A count that failed is no failure of the program: 2 where the baseline has that count, else
// nothing that was to be judged is lost.
ExitCode outcome_of(const Comparison& comparison, const Run& baseline, const Run& candidate, const OutcomeRules& rules);

}  // namespace steelyard
