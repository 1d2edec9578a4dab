// Who descends from whom among a project's commits, as git and the runs told it, and where the measured commits of each
// branch stand by that (steelyard.commit_parents, branches and branch_positions). What was told is only ever added to;
// the order is derived from it and from the runs, and can be computed anew to the same rows.
#pragma once

#include <cstdint>
#include <string>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/model/access.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/history/commit_order.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// One short transaction. False: all of it was known. Branches whose order it changes are put in order anew.
Result<bool> write_commit_graph(Session& session, const CommitGraph& graph, const AuditEntry* note = nullptr);

// Gives the commit of a run that is in the store its place on its branch. One short transaction; done twice, the second
// changes nothing. Cost: a few look-ups where the commit follows the branch's tip, else linear in the known commits.
Result<void> place_commit_of(Session& session, const RunHeader& run);

// Says that this branch's runs are about to be others, to who remembers them. Holds the project's graph until the
// transaction ends.
Result<void> touch_branch_of(Transaction& transaction, std::int64_t project, const std::string& branch);

// Every branch of every project, from the facts. Returns how many branches there are.
Result<std::int64_t> rebuild_commit_order(Session& session);

// Of all commits that are known of.
Result<KnownParents> read_parents(Transaction& transaction, std::int64_t project);

}  // namespace steelyard::storage
