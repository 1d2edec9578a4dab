// The latest baseline of a candidate, from the store: what ancestor: and ancestor:BRANCH mean as a side of compare.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/store.hpp"

namespace steelyard {

// "commit 1a2b3c4, 3 commits before the candidate".
std::string place_text(const FoundBaseline& found);

// The run of the nearest ancestor of the candidate's commit that was measured on its machine, on the branch (empty: on
// any; then nothing but an ancestor will do). A warning says which it is. Error (input): the candidate names no commit,
// or there is no such run.
Result<Run> load_ancestor(Store& store, const std::string& branch, const Run& candidate,
                          std::vector<std::string>& warnings);

}  // namespace steelyard
