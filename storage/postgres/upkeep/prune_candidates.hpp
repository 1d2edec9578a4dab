// The runs that a retention policy is about. Internal to storage/postgres: prune.hpp is the door.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// Runs of one partition of the measurements.
struct PruneGroup {
  std::int64_t partition = 0;      // number
  bool is_whole = false;           // closed, and every run of it goes or went
  std::vector<std::int64_t> keys;  // that go
  std::int64_t rows = 0;           // measurements, or profiles
};

struct TakenWithin {
  std::int64_t from_unix_ns = INT64_MIN;  // what is older is passed over, as if it were gone
  std::int64_t before_unix_ns = 0;
};
// Runs of that time of which `what` (samples, profiles, run) was not dropped, by partition.
Result<std::vector<PruneGroup>> prune_groups(Transaction& transaction, const std::string& what,
                                             const TakenWithin& taken);

// Of a whole group: keeps writers out of its partition until the transaction ends. False where it is whole no more: a
// run has come since that does not go.
Result<bool> lock_whole(Transaction& transaction, const std::string& what, const PruneGroup& group);

}  // namespace steelyard
