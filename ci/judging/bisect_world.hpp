// A bisect's commits as a repository has them, built and measured on this machine: in rounds, side by side, as `ab`
// does, or by their counts alone.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/bisect.hpp"
#include "ci/measuring/commit_builds.hpp"

namespace steelyard::ci {

struct BisectPlan {
  const GitRepository& repository;
  const Configuration& configuration;  // with a budget: of the first attempt at one probe
  const std::vector<ConfiguredProgram>& programs;
  const std::atomic<bool>* cancelled = nullptr;
};

// The one benchmark of the programs that `asked` names: its whole name, or a part that no other has. Canonical text.
// Error (input): none at either commit, or several.
Result<std::string> find_benchmark(const std::string& asked, const Commit& good, const Commit& bad,
                                   CommitBuilds& builds, const BisectPlan& plan);

// The world of one benchmark, canonical, and metric. `builds` and what the plan refers to outlive it.
BisectWorld repository_world(const std::string& benchmark, const Metric& metric, CommitBuilds& builds,
                             const BisectPlan& plan, const App& app);

}  // namespace steelyard::ci
