// How a store's database is, what it forgets and when, and what looking after it has done or would do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace steelyard::storage {

struct StoreStatus {
  std::string address;  // safe to print
  std::string server_version;
  int schema_version = 0;
  int newest_known_version = 0;
  std::int64_t runs = 0;
  std::int64_t measurements = 0;
  std::int64_t samples = 0;
  std::int64_t comparisons = 0;
  std::int64_t bytes = 0;
  std::int64_t spooled = 0;          // runs and comparisons that wait in the spool
  std::vector<std::string> notes{};  // what else someone should know, e.g. that a cluster of an older version exists
};

struct TableUpkeep {
  std::string table;           // partitions added up
  std::int64_t rows = 0;       // the planner's estimate
  std::int64_t dead_rows = 0;  // that vacuum would give back
  std::int64_t table_bytes = 0;
  std::int64_t index_bytes = 0;
  std::string last_vacuum;   // ISO 8601, UTC, by hand or by the server; the oldest of its partitions; empty: never
  std::string last_analyze;  // of the same kind
};

struct PartitionUpkeep {
  std::string name;
  std::int64_t first_run = 0;  // run_key
  std::int64_t last_run = 0;   // inclusive
  std::int64_t bytes = 0;      // with its indexes
  bool is_closed = false;      // nothing is written to it any more
  bool is_to_close = false;    // nothing is, and its indexes still have the room that was for more
};

// Rows of a table under an identity that is not that of their content: they came before the server computed it.
struct OtherIdentities {
  std::string table;  // "steelyard.benchmarks"
  std::string key;    // the column that names a row
  std::int64_t rows = 0;
  std::vector<std::string> keys = {};  // of the first five

  static constexpr std::size_t kMaxKeys = 5;
};

struct StoreUpkeep {
  std::vector<TableUpkeep> tables;          // largest first
  std::vector<PartitionUpkeep> partitions;  // of the measurements, in their order
  std::int64_t partitions_ahead = 0;        // empty ones after that of the newest run
  std::int64_t sample_bytes = 0;            // of the measurements with their indexes
  std::optional<double> bytes_per_sample;   // absent without samples
  std::int64_t oldest_transaction_age = 0;  // transactions since a table was frozen; at 2,000 million the server stops
  std::int64_t pruned_runs = 0;             // without samples
  std::vector<OtherIdentities> other_identities;
};

// What closing the partitions that get no more rows has done.
struct ClosedPartitions {
  std::int64_t partitions = 0;
  std::int64_t packed = 0;        // measurements of an older program, which did not pack samples
  std::int64_t bytes_before = 0;  // of those partitions
  std::int64_t bytes_after = 0;
};

// What a store forgets, and when: raw samples after a time, profiles, whole runs. Summaries (a measurement's value and
// number of samples, comparisons, change points, alerts) stay as long as their run, which is for ever unless somebody
// asks for less. By the time at which a run was taken; absent: for ever.
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
  // By id or an unambiguous prefix: these whole runs, however old, with the comparisons that they are a side of, and
  // nothing by the policy. Empty: what the policy says.
  std::vector<std::string> runs{};
};

// A run that was named, and what of it goes besides its own rows.
struct NamedRun {
  std::string id;
  std::string project;
  std::string branch;  // empty: none
  std::string commit;  // empty: none
  std::int64_t created_at_unix_ns = 0;
  std::vector<std::string> comparisons;  // ids
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
  std::vector<NamedRun> named;
  std::int64_t partitions_rewritten = 0;
  std::int64_t partitions_dropped = 0;
  Part archives;  // rows: files
  ClosedPartitions closed;
};

// What was derived again from what a store holds.
struct Derived {
  std::int64_t alerts = 0;
  std::int64_t branches = 0;        // whose commits were put in order
  std::int64_t measurements = 0;    // whose value was looked at
  std::int64_t changed_values = 0;  // of these, those that were not what the samples say
  std::int64_t changed_points = 0;  // change points that were not what the last event of their life says
};

struct AffectedTable {
  std::string name;        // without the schema
  std::int64_t bytes = 0;  // with its indexes; 0: it is not there yet
  bool operator==(const AffectedTable&) const = default;
};

struct UpgradeStep {
  int version = 0;
  std::string name;
  std::string checksum;                 // SHA-256 of the script
  std::vector<std::string> creates;     // tables
  std::vector<AffectedTable> rewrites;  // every row is written again: time and space for as much as they have
  std::vector<AffectedTable> fills;     // rows of others are put into these
  std::vector<std::string> drops;
};

// What `steelyard db migrate` would do to a store: told without doing it.
struct UpgradePlan {
  std::string address;     // safe to print
  int version = 0;         // that the store has; 0: none
  int newest = 0;          // that this program has
  std::int64_t bytes = 0;  // of the whole database
  bool allowed = true;     // the login may do it
  std::vector<UpgradeStep> steps;
};

// One store on several machines: which of its tables goes where. The big ones are cut into shards by a key and the
// shards laid on the nodes, the small ones stand whole on every node, and what stands alone stays on the coordinator.
// docs/operations/scale.md says what goes by which key and why.
//
//     STEELYARD_TRY(DistributionPlan plan, upkeep.distribution_plan());
//     STEELYARD_CHECK(upkeep.distribute({.shards = 32}, [](const std::string& what, double done) { ... }));

enum class Place { coordinator, everywhere, sharded };
// "coordinator", "every node", "shards".
const char* to_text(Place place);

enum class PlacementReason {
  whole_key,     // every unique key of it holds the one that shards go by
  sharded_once,  // by that key, before
  alone,         // neither a foreign key nor a view ties it to another table
  pointed_to,    // by others
  small,         // and read together with what it points to
};

struct TablePlacement {
  std::string table;  // without its schema
  Place place = Place::everywhere;
  std::string key;  // the column that shards go by; empty: not sharded
  PlacementReason why = PlacementReason::small;
  bool done = false;
  std::int64_t bytes = 0;  // on the coordinator's disk, with its indexes and partitions
};

struct DistributionPlan {
  std::vector<TablePlacement> tables;  // in the order in which they are moved: what others point to comes first
  int nodes = 0;                       // that may hold shards; 0: the engine is not there yet
  // What keeps the server from it and how to fix that, one sentence each; empty: nothing does.
  std::vector<std::string> missing;
};

struct DistributeOptions {
  int shards = 32;  // of each key; only the first time
  // Further nodes, "host:port" each; the same database with the extension in it must exist on them.
  std::vector<std::string> workers{};
  std::string coordinator{};  // by which the workers reach this server, "host:port"; needed with workers
};

// What is being done, and how much of it all is done, 0 to 1.
using DistributeProgress = std::function<void(const std::string& what, double done)>;

}  // namespace steelyard::storage
