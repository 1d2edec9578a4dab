// What a store forgets, and when: raw samples after a time, profiles, whole runs. Summaries (a measurement's value and
// number of samples, comparisons, change points, alerts) stay as long as their run, which is for ever unless somebody
// asks for less.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "storage/upkeep.hpp"

namespace steelyard {

// By the time at which a run was taken. Absent: for ever.
struct RetentionPolicy {
  std::optional<std::int64_t> samples_s{};
  std::optional<std::int64_t> profiles_s{};
  std::optional<std::int64_t> runs_s{};
  bool operator==(const RetentionPolicy&) const = default;
  bool keeps_everything() const { return !samples_s && !profiles_s && !runs_s; }
};

struct PruneOptions {
  RetentionPolicy policy;
  std::int64_t now_unix_ns = 0;
  bool dry_run = false;  // only say what would go
  std::string who;
  std::function<void(double)> progress{};  // told the part that is done, from 0 to 1; empty: nobody
};

struct Pruned {
  struct Part {
    std::int64_t runs = 0;
    std::int64_t rows = 0;
    std::int64_t bytes = 0;  // that were, or would be, given back; of a dry run an estimate
  };
  Part samples;   // rows: measurements
  Part profiles;  // rows: profiles
  Part whole;     // rows: measurements
  std::int64_t partitions_rewritten = 0;
  std::int64_t partitions_dropped = 0;
  Part archives;  // rows: files
  ClosedPartitions closed;
};

}  // namespace steelyard
