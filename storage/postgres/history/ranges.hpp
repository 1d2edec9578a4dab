// What lies between two commits: the ends found in the store, the commits between them, the series whose level changed
// there and those that moved most.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// Names, `first` in front where it is one of them; at most kMaxProjectsNamed.
Result<std::vector<std::string>> read_projects(Session& session, const std::string& first);
// The ends as full hashes; where neither was named, the usual ones.
Result<RangeQuery> read_complete_range(Session& session, const RangeQuery& query);
// By benchmark, metric, machine, branch, commit.
Result<Page<ChangedSeries>> read_changed_in(Session& session, const RangeQuery& query);
// Newest first, at most kMaxSteps.
Result<Page<MeasuredStep>> read_steps(Session& session, const StepQuery& query);
// Largest first.
Result<Page<Mover>> read_top_movers(Session& session, const RangeQuery& query);

}  // namespace steelyard::storage
