// The single acts of pruning, each within the caller's transaction. Internal to storage/postgres.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/postgres/upkeep/prune_candidates.hpp"

namespace steelyard {

struct Dropped {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;  // of a partition: what it shrank by; of single rows: what they held
};

// The partition anew without samples, in place of the old one. Readers wait for the swap alone.
Result<Dropped> rewrite_partition(Transaction& transaction, const PruneGroup& group);
// The same with all that it holds, for one that changed rows have left full of holes.
Result<Dropped> shrink_partition(Transaction& transaction, std::int64_t number);
// Its rows and everything else of its runs.
Result<Dropped> drop_partition(Transaction& transaction, const PruneGroup& group);
Result<Dropped> drop_samples(Transaction& transaction, const std::vector<std::int64_t>& keys);
Result<Dropped> drop_profiles(Transaction& transaction, const std::vector<std::int64_t>& keys);
Result<Dropped> drop_runs(Transaction& transaction, const std::vector<std::int64_t>& keys);

// What the act would do. Reads the rows that it is about; changes nothing.
Result<Dropped> estimate_of(Transaction& transaction, const std::string& what, const PruneGroup& piece);

struct PruneNote {
  std::string what;
  std::string policy;
  std::string who;
};
Result<void> note_prunings(Transaction& transaction, const std::vector<std::int64_t>& keys, const PruneNote& note);

}  // namespace steelyard
