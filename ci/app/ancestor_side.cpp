#include "ci/app/ancestor_side.hpp"

#include <optional>

namespace steelyard {

std::string place_text(const FoundBaseline& found) {
  const std::string who = found.commit.empty() ? "a run without a commit" : "commit " + found.commit.substr(0, 7);
  if (!found.is_ancestor) {
    return who +
           ", the newest older one on this machine; of the candidate's ancestors none is known to be measured on it";
  }
  return who + ", " + std::to_string(found.distance) + " commit" + (found.distance == 1 ? "" : "s") +
         " before the candidate";
}

Result<Run> load_ancestor(Store& store, const std::string& branch, const Run& candidate,
                          std::vector<std::string>& warnings) {
  const std::string where = "ancestor:" + branch;
  if (candidate.header.commit.sha.empty()) {
    return input_error(where, "a candidate that names no commit", "one that does", "name the baseline itself");
  }
  BaselineQuery query{candidate.header.project, candidate.environment.fingerprint(), candidate.header.commit.sha,
                      branch};
  query.only_branch = true;
  STEELYARD_TRY(const std::optional<FoundBaseline> found, store.latest_baseline(query));
  if (!found) {
    return input_error(
        where, "no ancestor of " + candidate.header.commit.sha.substr(0, 9) + " that was measured on its machine",
        "one in the store", "measure it, or name the baseline itself");
  }
  warnings.push_back("the baseline is of " + place_text(*found));
  return store.get_run(found->run);
}

}  // namespace steelyard
