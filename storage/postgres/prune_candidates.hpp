// The runs that a retention policy is about. Internal to storage/postgres: prune.hpp is the door.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session.hpp"

namespace steelyard {

// Runs of one partition of the measurements.
struct PruneGroup {
  std::int64_t partition = 0;      // number
  bool is_whole = false;           // closed, and every run of it goes or went
  std::vector<std::int64_t> keys;  // that go
  std::int64_t rows = 0;           // measurements, or profiles
};

// Runs taken before then of which `what` (samples, profiles, run) was not dropped, by partition.
Result<std::vector<PruneGroup>> prune_groups(Transaction& transaction, const std::string& what,
                                             std::int64_t before_unix_ns);

}  // namespace steelyard
