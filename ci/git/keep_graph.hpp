// Tells the store what this repository knows of the history of measured commits, so that it can put them in order.
#pragma once

#include <vector>

#include "bench/model/run.hpp"
#include "storage/store.hpp"

namespace steelyard {

// For each of the runs' commits that the repository of the current folder has. Outside of one, and for other commits,
// there is nothing to tell; what was told once is not written again. Error: the store's.
Result<void> keep_commit_graph(Store& store, const std::vector<const Run*>& runs);

}  // namespace steelyard
