#include "ci/judging/base_commit.hpp"

namespace steelyard {

BaseChoice default_base(const std::map<std::string, std::string>& variables, const std::string& head,
                        std::size_t head_parents) {
  const auto value = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  const BaseChoice first_parent{(head.empty() ? "HEAD" : head) + "^1", "the first parent"};
  if (!head.empty() || head_parents > 1) return first_parent;
  // A checkout of the branch itself: the runner's own idea of where it left the target is better than its last commit.
  if (const std::string base = value("CI_MERGE_REQUEST_DIFF_BASE_SHA"); !base.empty()) {
    return {base, "CI_MERGE_REQUEST_DIFF_BASE_SHA"};
  }
  const std::string target = value("GITHUB_BASE_REF");
  if (value("GITHUB_EVENT_NAME") == "pull_request" && !target.empty()) {
    return {"origin/" + target, "the target branch of the pull request"};
  }
  return first_parent;
}

}  // namespace steelyard
