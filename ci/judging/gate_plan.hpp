// Which commits a gate compares, and what it judges them by, as the checkout at hand says: for the gate itself, and for
// a job that keeps what another one's gate left (`verify --as-gate`), which takes neither from what that one wrote.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/baseline_policy.hpp"
#include "ci/judging/judge_programs.hpp"
#include "ci/report/warning_text.hpp"

namespace steelyard::ci {

struct GatePlan {
  GitRepository repository;
  CommitPair commits;
  note::BaselineReason why_baseline;
  std::string aside = {};  // a sentence on a --base that may be another than is meant; empty: there is none
};

// By --base and --head, else by what the CI system says. Error (input): no repository, or no such commit.
Result<GatePlan> plan_gate(const GateRequest& request);

// What options, commits and the file of --accepted accept, in the policy and the notes. `plan`: an error where there is
// no baseline. Error (input): an option or the file is not understood.
Result<void> take_accepted(const GateRequest& request, const Result<GatePlan>& plan, GateConfiguration& judged);

// What a gate of this checkout would write of both sides, and judge them by.
struct OwnGate {
  Commit baseline;
  Commit candidate;
  Configuration configuration;
};
// `candidate`: the effective configuration of the work tree.
Result<OwnGate> own_gate(const GateRequest& request, const Configuration& candidate, const App& app);

// What that gate would have made of the same runs: by its policy, its calibration and the newest rules. Of `kept` are
// the seed, which each gate draws, and what its rows say of equal builds and small steps. Error (input): a calibration
// that cannot be read; an earlier name of a benchmark that no line of [rename] says.
Result<Comparison> judged_by_own_gate(const OwnGate& gate, const Comparison& kept, const Run& baseline,
                                      const Run& candidate);

}  // namespace steelyard::ci
