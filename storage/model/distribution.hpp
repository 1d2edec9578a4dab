// One store on several machines: which of its tables goes where. The big ones are cut into shards by a key and the
// shards laid on the nodes, the small ones stand whole on every node, and what stands alone stays on the coordinator.
// docs/operations/scale.md says what goes by which key and why.
//
//     STEELYARD_TRY(DistributionPlan plan, upkeep.distribution_plan());
//     STEELYARD_CHECK(upkeep.distribute({.shards = 32}, [](const std::string& what, double done) { ... }));
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace steelyard {

enum class Place { coordinator, everywhere, sharded };
// "coordinator", "every node", "shards".
const char* to_text(Place place);

struct TablePlacement {
  std::string table;  // without its schema
  Place place = Place::everywhere;
  std::string key;  // the column that shards go by; empty: not sharded
  std::string why;  // in words
  bool done = false;
  std::int64_t bytes = 0;  // on the coordinator's disk, with its indexes and partitions
};

struct DistributionPlan {
  std::vector<TablePlacement> tables;  // in the order in which they are moved: what others point to comes first
  int nodes = 0;                       // that may hold shards; 0: the engine is not there yet
  // What keeps the server from it and how to mend that, one sentence each; empty: nothing does.
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

}  // namespace steelyard
