// Confirmed change points in the store, and what became of them.
#pragma once

#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/catalog.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// Of one branch ("": those that were found over all branches) and project ("": any), gone ones too, by key.
Result<std::vector<KeptChangePoint>> read_change_points(Session& session, const std::string& project,
                                                        const std::string& branch);
// A page of them, by key.
Result<Page<KeptChangePoint>> read_change_point_list(Session& session, const ChangePointQuery& query);

// One transaction. An event that the store knows already (another program was quicker) changes and logs nothing.
// Returns whether anything changed.
Result<bool> write_change_points(Session& session, const std::vector<ChangePointEvent>& events);

// Every change point as the newest event of its life has it. How many were not so. As the schema's owner or a writer.
Result<std::int64_t> rebuild_change_points(Session& session);

}  // namespace steelyard::storage
