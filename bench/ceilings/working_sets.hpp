// How much memory each thread goes through so that one level of the hierarchy serves it and no other. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/ceilings/cache_levels.hpp"
#include "bench/model/ceiling.hpp"

namespace steelyard {

struct WorkingSet {
  std::string level;                  // "L1", "L2", "L3", "DRAM"
  std::int64_t bytes_per_thread = 0;  // all arrays together
  bool operator==(const WorkingSet&) const = default;
};

struct WorkingSetPlan {
  std::vector<WorkingSet> sets;       // from the core outwards
  std::vector<AbsentCeiling> absent;  // a cache whose share for a thread does not stand out from the level below
  std::string note;                   // where the memory is too small for what DRAM should have
};

struct WorkingSetOptions {
  std::vector<int> cores;         // of the threads
  std::int64_t memory_bytes = 0;  // that all of them may take together
};

// L1: three quarters of it. L2: half. L3: half of a thread's share, eight times L2 at most, since on a rented machine
// the rest of it may serve others. DRAM: twelve times all last-level caches together (STREAM's rule: each of three
// arrays four times), as far as the memory goes.
WorkingSetPlan plan_working_sets(const CacheLevels& caches, const WorkingSetOptions& options);

}  // namespace steelyard
