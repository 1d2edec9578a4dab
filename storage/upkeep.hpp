// How a store's database is: what its tables weigh, what the server did for them last, and what somebody should do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace steelyard {

struct TableUpkeep {
  std::string table;           // partitions added up
  std::int64_t rows = 0;       // the planner's estimate
  std::int64_t dead_rows = 0;  // that vacuum would give back
  std::int64_t table_bytes = 0;
  std::int64_t index_bytes = 0;
  std::string last_vacuum;   // ISO 8601, UTC, by hand or by the server; the oldest of its partitions; empty: never
  std::string last_analyze;  // likewise
};

struct PartitionUpkeep {
  std::string name;
  std::int64_t first_run = 0;  // run_key
  std::int64_t last_run = 0;   // inclusive
  std::int64_t bytes = 0;      // with its indexes
  bool is_closed = false;      // nothing is written to it any more
  bool is_to_close = false;    // nothing is, and its indexes still have the room that was for more
};

struct StoreUpkeep {
  std::vector<TableUpkeep> tables;          // largest first
  std::vector<PartitionUpkeep> partitions;  // of the measurements, in their order
  std::int64_t partitions_ahead = 0;        // empty ones after that of the newest run
  std::int64_t sample_bytes = 0;            // of the measurements with their indexes
  std::optional<double> bytes_per_sample;   // absent without samples
  std::int64_t oldest_transaction_age = 0;  // transactions since a table was frozen; at 2,000 million the server stops
  std::int64_t pruned_runs = 0;             // without samples
  std::vector<std::string> advice;          // what to do, in words; empty: nothing
};

// What closing the partitions that get no more rows has done.
struct ClosedPartitions {
  std::int64_t partitions = 0;
  std::int64_t packed = 0;        // measurements of an older program, which did not pack samples
  std::int64_t bytes_before = 0;  // of those partitions
  std::int64_t bytes_after = 0;
};

}  // namespace steelyard
