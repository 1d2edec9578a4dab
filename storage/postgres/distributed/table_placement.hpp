// Where each table of a store goes when it is distributed: told from its columns, unique keys and foreign keys alone,
// so that tables of later migrations find their places without a list of names. Pure.
//
// A table is sharded by the first of kShardKeys that it has and that each of its unique keys holds (the engine cannot
// hold other ones), and whose foreign keys allow it: whoever points to a sharded table must be sharded by the same key
// and point by it. A table without any foreign key that no view reads stays where it is. All others stand whole on
// every node, where the engine keeps the views, too.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"

namespace steelyard {

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

}  // namespace steelyard
