#include "storage/postgres/distributed/table_placement.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace steelyard {

const char* to_text(Place place) {
  switch (place) {
    case Place::coordinator:
      return "coordinator";
    case Place::everywhere:
      return "every node";
    case Place::sharded:
      return "shards";
  }
  return "";
}

namespace {

using KeyByTable = std::map<std::string, std::string>;  // of the sharded ones

bool holds(const std::vector<std::string>& columns, const std::string& column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

// Empty: none.
std::string shard_key_of(const TableShape& table) {
  if (table.unique_keys.empty()) return "";
  for (const char* key : kShardKeys) {
    if (!holds(table.columns, key)) continue;
    const auto holds_key = [key](const std::vector<std::string>& columns) { return holds(columns, key); };
    if (std::all_of(table.unique_keys.begin(), table.unique_keys.end(), holds_key)) return key;
  }
  return "";
}

// Whether the shards of both lie on the same nodes and the reference stays inside one pair of them.
bool stays_in_shard(const TableReference& reference, const std::string& from_key, const std::string& to_key) {
  if (from_key != to_key) return false;
  for (std::size_t i = 0; i < reference.columns.size(); ++i) {
    if (reference.columns[i] == from_key && reference.to_columns[i] == to_key) return true;
  }
  return false;
}

// Takes the key from a table that others point to across shards, until there is none.
KeyByTable shard_keys(const std::vector<TableShape>& tables) {
  KeyByTable keys;
  for (const TableShape& table : tables) {
    if (const std::string key = shard_key_of(table); !key.empty()) keys[table.name] = key;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const TableShape& table : tables) {
      const auto own = keys.find(table.name);
      for (const TableReference& reference : table.references) {
        const auto other = keys.find(reference.table);
        if (other == keys.end() || reference.table == table.name) continue;
        const std::string from_key = own == keys.end() ? "" : own->second;
        // Two big tables of different keys are no reason to lay one of them on every node: place_tables refuses that.
        if (!from_key.empty() && from_key != other->second) continue;
        if (stays_in_shard(reference, from_key, other->second)) continue;
        keys.erase(other);
        changed = true;
      }
    }
  }
  return keys;
}

Result<void> check_references(const std::vector<TableShape>& tables, const KeyByTable& keys) {
  for (const TableShape& table : tables) {
    for (const TableReference& reference : table.references) {
      const auto from = keys.find(table.name);
      const auto to = keys.find(reference.table);
      if (to == keys.end() || from == keys.end() || stays_in_shard(reference, from->second, to->second)) continue;
      return bug_error("steelyard." + table.name, "a foreign key to steelyard." + reference.table +
                                                      ", which is sharded by " + to->second + " and not by " +
                                                      from->second);
    }
  }
  return {};
}

TablePlacement placement_of(const TableShape& table, const KeyByTable& keys, bool is_referenced) {
  TablePlacement placement;
  placement.table = table.name;
  placement.bytes = table.bytes;
  if (const auto key = keys.find(table.name); key != keys.end()) {
    placement.place = Place::sharded;
    placement.key = key->second;
    placement.why = "every unique key of it holds " + key->second;
  } else if (table.references.empty() && !is_referenced && !table.is_viewed) {
    placement.place = Place::coordinator;
    placement.why = "neither a foreign key nor a view ties it to another table";
  } else {
    placement.place = Place::everywhere;
    placement.why = is_referenced ? "others point to it" : "small, and read together with what it points to";
  }
  return placement;
}

}  // namespace

Result<std::vector<TablePlacement>> place_tables(std::vector<TableShape> tables) {
  std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const KeyByTable keys = shard_keys(tables);
  STEELYARD_CHECK(check_references(tables, keys));
  std::set<std::string> referenced;
  for (const TableShape& table : tables) {
    for (const TableReference& reference : table.references) referenced.insert(reference.table);
  }
  std::vector<TablePlacement> placements;
  std::set<std::string> placed;
  // As often as the longest chain of references is long; a ring of them (which no migration makes) ends it, too.
  while (placed.size() < tables.size()) {
    const std::size_t before = placed.size();
    for (const TableShape& table : tables) {
      const auto is_ready = [&](const TableReference& reference) {
        return reference.table == table.name || placed.contains(reference.table);
      };
      if (placed.contains(table.name)) continue;
      if (!std::all_of(table.references.begin(), table.references.end(), is_ready)) continue;
      placements.push_back(placement_of(table, keys, referenced.contains(table.name)));
      placed.insert(table.name);
    }
    if (placed.size() == before) return bug_error("steelyard's schema", "foreign keys that form a ring");
  }
  return placements;
}

}  // namespace steelyard
