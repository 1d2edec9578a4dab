#include "ci/judging/history_branch.hpp"

namespace steelyard {

std::string history_branch(const std::string& configured, const std::map<std::string, std::string>& variables,
                           const Commit& candidate) {
  if (!configured.empty()) return configured;
  for (const char* name : {"GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"}) {
    const auto found = variables.find(name);
    if (found != variables.end() && !found->second.empty()) return found->second;
  }
  return candidate.branch;
}

}  // namespace steelyard
