// Turns a store into a distributed one on Citus, an extension of PostgreSQL: `steelyard db distribute`. Each table is
// moved in a transaction of its own and found moved when the command runs again, so that one that was cut off goes on.
// Tables of later migrations are placed by running it again.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// What would go where, and what did already. Touches nothing.
Result<DistributionPlan> plan_distribution(Session& session);

// Error (input): the server lacks the extension, or options that name no node. Error (store): the server refused, or a
// table has not the rows afterwards that it had before; what was moved until then stays moved, and is whole. The
// session acts as its login from then on.
Result<void> distribute(Session& session, const DistributeOptions& options, const DistributeProgress& progress);

// Whether any table of the store is distributed.
Result<bool> is_distributed(Transaction& transaction);
// Whether any may be: one look at the catalogue, for statements that have another form there.
Result<bool> has_shards(Transaction& transaction);

// Where each table of a store goes when it is distributed: told from its columns, unique keys and foreign keys alone,
// so that tables of later migrations find their places without a list of names. Pure.
//
// A table is sharded by the first of kShardKeys that it has and that each of its unique keys holds (the engine cannot
// hold other ones), and whose foreign keys allow it: whoever points to a sharded table must be sharded by the same key
// and point by it. A table without any foreign key that no view reads stays where it is. All others stand whole on
// every node, where the engine keeps the views, too.

// By series: history is of one series, and one node answers it. What belongs to a run or a comparison alone goes by
// that: it is read whole, by one node.
inline constexpr const char* kShardKeys[] = {"series_key", "run_key", "comparison_key"};

struct TableReference {
  std::vector<std::string> columns;
  std::string table;
  std::vector<std::string> to_columns;  // parallel to columns
};
struct TableShape {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> unique_keys;
  std::vector<TableReference> references;
  std::int64_t bytes = 0;
  bool is_viewed = false;  // a view reads it
};

// In the order in which they can be moved: what is referenced before what references it, else by name. Error (bug): a
// sharded table points to one that is sharded by another key.
Result<std::vector<TablePlacement>> place_tables(std::vector<TableShape> tables);

}  // namespace steelyard::storage
