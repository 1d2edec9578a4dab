// Whose steelyard.toml a gate obeys. The candidate may be a stranger's pull request: it says how it is built and what
// there is new to measure, and not by what it is judged.
#pragma once

#include <string>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/judge_programs.hpp"

namespace steelyard::ci {

struct GateConfiguration {
  Configuration configuration;
  std::vector<std::string> notes;  // what the candidate would have changed, a line of the report each
  OtherSide other = {};            // what else either side's own file says
};

// `candidate`: the effective configuration of the work tree, from measuring_configuration(app, usual). Policy,
// measuring, store and targets become those of the baseline's file, looked for from this folder upwards as it has it;
// options of the command line win over both. How to build stays the candidate's, and so do programs (by their names)
// and targets that the baseline does not have. Where the baseline has no such file, or one that cannot be read, the
// candidate's holds, and a note says so. `commits`: an empty candidate is not known here.
Result<GateConfiguration> with_baseline_policy(const Configuration& candidate, const GitRepository& repository,
                                               const CommitPair& commits, Nanoseconds usual, const App& app);

// With those lines of the candidate's [rename] alone that count, by what the builds have, and judged by the baseline's
// tables and targets for the earlier names as well.
Configuration with_earlier_names(Configuration configuration, const EarlierNames& earlier);

}  // namespace steelyard::ci
