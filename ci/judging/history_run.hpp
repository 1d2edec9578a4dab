// Which run of a history a candidate's counts are held against, and how that is said.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/store.hpp"

namespace steelyard {

struct HistoryRun {
  std::string run;   // id; empty: the history has none on the candidate's machine
  std::string said;  // "commit 1a2b3c4, 3 commits before the candidate"
};

// Of the nearest ancestor of the candidate's commit that was measured on its machine and the branch (empty: any). Where
// no ancestor is known, the newest older run of the branch; for a candidate without a commit the history's newest.
// Never one of the candidate's own commit.
Result<HistoryRun> find_history_run(Store& store, const std::vector<HistorySeries>& history, const Run& candidate,
                                    const std::string& branch);

}  // namespace steelyard
