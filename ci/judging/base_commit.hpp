// Which commit a gate compares with when nobody says so. On a pull request the checkout is a merge commit: its first
// parent is the branch it would be merged into, as of now.
#pragma once

#include <map>
#include <string>

#include "bench/model/result.hpp"
#include "ci/git/repository.hpp"

namespace steelyard {

struct BaseChoice {
  std::string name;  // for git to resolve
  std::string why;   // for the report: "the first parent", ...
};

// `variables`: the environment (GITHUB_EVENT_NAME, CI_MERGE_REQUEST_DIFF_BASE_SHA, ...); `head`: as the user named it,
// empty for HEAD; `head_parents`: how many parents it has.
BaseChoice default_base(const std::map<std::string, std::string>& variables, const std::string& head,
                        std::size_t head_parents);

}  // namespace steelyard
