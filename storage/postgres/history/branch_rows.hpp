// The rows that hold a branch's order: what it is computed from, and what was computed. All inside the caller's
// transaction, which holds the project's lock (see commit_graph.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/history/commit_order.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

struct BranchKey {
  std::int64_t project = 0;
  std::string name;
};

// Of all commits that are known of.
Result<KnownParents> read_parents(Transaction& transaction, std::int64_t project);

// Adds `commits` from this position on. Precondition: none of them has a row.
Result<void> copy_positions(Transaction& transaction, const BranchKey& branch, std::int64_t first,
                            const std::vector<std::string>& commits);

// Computes the branch's order from its runs and from the known parents, and writes what differs from what is there.
Result<void> put_branch_in_order(Transaction& transaction, const BranchKey& branch);

}  // namespace steelyard
