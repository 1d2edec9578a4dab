// Where ceilings are measured: the cores that this process may use, one thread each, and how much memory it may take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/ceilings/cpu_identity.hpp"
#include "bench/model/ceiling.hpp"

namespace steelyard::bench {

struct MeasuringPlace {
  std::vector<int> cores;         // one hardware thread of each core; at least one, -1 where nobody says which
  std::int64_t memory_bytes = 0;  // a quarter of what is free, 4 GiB at most
  std::vector<std::string> notes;
};

// Affinity, then the control group's quota in whole cores. The one that single threads use comes first: of the fastest
// kind, where there are big and little cores, and the last of them, as the first core serves most interrupts. `root` is
// "/" but in tests.
MeasuringPlace find_measuring_place(const std::filesystem::path& root = "/");

// How much memory each thread goes through so that one level of the hierarchy serves it and no other. Pure.

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

}  // namespace steelyard::bench
