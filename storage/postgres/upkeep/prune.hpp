// Drops what a retention policy gives up, or runs that are named. Closed partitions of which everything goes are
// written anew and swapped, or dropped, each in one transaction; of others single runs are emptied, some at a time.
// What was dropped stands in steelyard.prunings, in the transaction that dropped it, so that an interruption leaves
// nothing half told and the next call goes on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// Needs the rights of the schema's owner. Of `archives` in the result nothing is filled in.
Result<Pruned> prune(Session& session, const PruneOptions& options);

// Runs of one partition of the measurements.
struct PruneGroup {
  std::int64_t partition = 0;      // number
  bool is_whole = false;           // closed, and every run of it goes or went
  std::vector<std::int64_t> keys;  // that go
  std::int64_t rows = 0;           // measurements, or profiles
};
// A step of prune(): of a whole group, keeps writers out of its partition until the transaction ends. `what`: samples,
// profiles, run. False where it is whole no more: a run has come since that does not go.
Result<bool> lock_whole(Transaction& transaction, const std::string& what, const PruneGroup& group);

}  // namespace steelyard::storage
