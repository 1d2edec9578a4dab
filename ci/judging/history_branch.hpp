// Which branch's history a candidate is held against.
#pragma once

#include <map>
#include <string>

#include "bench/model/run.hpp"

namespace steelyard {

// What is configured; else the branch that the pull request of this pipeline is to be merged into (GITHUB_BASE_REF,
// CI_MERGE_REQUEST_TARGET_BRANCH_NAME), so that a pull request never judges itself by its own runs; else the
// candidate's own branch. Empty: all branches.
std::string history_branch(const std::string& configured, const std::map<std::string, std::string>& variables,
                           const Commit& candidate);

}  // namespace steelyard
