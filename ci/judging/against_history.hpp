// gate --against-history: for a nightly, or a runner that cannot rebuild the parent. The candidate, measured alone, is
// held against the recent level of each of its series on the same machine; where the store has a run of its parent that
// was measured together with it, against that.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/git/ci_job.hpp"
#include "ci/judging/judge_programs.hpp"
#include "ci/report/warning_text.hpp"

namespace steelyard::ci {

// `notes`: a line of the report each.
Result<ExitCode> gate_against_history(const GateRequest& gate, const Configuration& configuration,
                                      const std::vector<std::string>& notes, const App& app);

// Of rows that are missing: those whose benchmark the candidate's filter excludes, where a history has it. Canonical.
std::set<std::string> benchmarks_outside_filter(const RunHeader& candidate, const Comparison& comparison);

// What a gate takes from the CI system's variables when nobody says otherwise: the commit to compare with, and the
// branch whose history counts. `variables` is the environment.
struct BaseChoice {
  std::string name;  // for git to resolve; empty: the commit where the head left the reason's branch
  note::BaselineReason reason = {};
  // Taken in place of all that where it is an ancestor of the head: after a push by force it need be none.
  CommitBefore before = {};
};
// On a pull request the checkout is a merge commit: its first parent is the branch it would be merged into, as of now.
// Else GITHUB_EVENT_NAME and GITHUB_BASE_REF, or CI_MERGE_REQUEST_DIFF_BASE_SHA, say it. Services that check out the
// request's own commit, or merge in another order (RequestCheckout::either), say the target's branch. Of a merge queue
// or a push it is what was there before all of it (commit_before()), where that is known. `head`: as the user named it,
// empty for HEAD; `head_parents`: how many parents it has.
BaseChoice default_base(const std::map<std::string, std::string>& variables, const std::string& head,
                        std::size_t head_parents);

// Whether this pipeline is a pull request's, by the branch that it is to be merged into.
bool is_of_pull_request(const std::map<std::string, std::string>& variables);

// What is configured; else the branch that the pull request of this pipeline is to be merged into (ci/git/ci_job.hpp),
// so that a pull request never judges itself by its own runs; else the candidate's own branch. Empty: all branches.
std::string history_branch(const std::string& configured, const std::map<std::string, std::string>& variables,
                           const Commit& candidate);

}  // namespace steelyard::ci
