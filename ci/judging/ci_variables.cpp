#include "ci/judging/ci_variables.hpp"

namespace steelyard {
namespace {

// Empty: it is not set.
std::string value_of(const std::map<std::string, std::string>& variables, const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

}  // namespace

BaseChoice default_base(const std::map<std::string, std::string>& variables, const std::string& head,
                        std::size_t head_parents) {
  const BaseChoice first_parent{(head.empty() ? "HEAD" : head) + "^1", "the first parent"};
  if (!head.empty() || head_parents > 1) return first_parent;
  // A checkout of the branch itself: the runner's own idea of where it left the target is better than its last commit.
  if (const std::string base = value_of(variables, "CI_MERGE_REQUEST_DIFF_BASE_SHA"); !base.empty()) {
    return {base, "CI_MERGE_REQUEST_DIFF_BASE_SHA"};
  }
  const std::string target = value_of(variables, "GITHUB_BASE_REF");
  if (value_of(variables, "GITHUB_EVENT_NAME") == "pull_request" && !target.empty()) {
    return {"origin/" + target, "the target branch of the pull request"};
  }
  return first_parent;
}

std::string history_branch(const std::string& configured, const std::map<std::string, std::string>& variables,
                           const Commit& candidate) {
  if (!configured.empty()) return configured;
  for (const char* name : {"GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"}) {
    if (const std::string branch = value_of(variables, name); !branch.empty()) return branch;
  }
  return candidate.branch;
}

}  // namespace steelyard
