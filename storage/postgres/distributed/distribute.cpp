#include "storage/postgres/distributed/distribute.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace steelyard::storage {
namespace {

constexpr const char* kExtensionState =
    "select exists(select from pg_available_extensions where name = 'citus'), "
    "current_setting('citus.shard_count', true) is not null, "
    "exists(select from pg_extension where extname = 'citus')";

// Tables of the schema, their partitions counted with them. Later versions of the engine hide shards from pg_class by
// themselves; no plain table of ours ends in their number.
constexpr const char* kDistributedTables = R"sql(
select c.relname, array(select a.attname::text from pg_attribute a
                        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum),
       (select coalesce(sum(pg_total_relation_size(p.relid)), 0)::bigint from pg_partition_tree(c.oid) p),
       exists(select from pg_depend d join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
              where d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and r.ev_class <> c.oid)
from pg_class c
where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by c.relname)sql";

// Unique keys and unique indexes.
constexpr const char* kUniqueKeys = R"sql(
select c.relname, array(select a.attname::text from unnest(i.indkey[0 : i.indnkeyatts - 1]) k
                        join pg_attribute a on a.attrelid = c.oid and a.attnum = k)
from pg_index i join pg_class c on c.oid = i.indrelid
where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and i.indisunique
order by c.relname, not i.indisprimary, i.indexrelid)sql";

constexpr const char* kReferences = R"sql(
select c.relname, t.relname,
       array(select a.attname::text from unnest(f.conkey) with ordinality as k(number, place)
             join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.number order by k.place),
       array(select a.attname::text from unnest(f.confkey) with ordinality as k(number, place)
             join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.number order by k.place)
from pg_constraint f
join pg_class c on c.oid = f.conrelid
join pg_class t on t.oid = f.confrelid
where f.contype = 'f' and f.conparentid = 0 and c.relnamespace = 'steelyard'::regnamespace
  and not c.relispartition and not t.relispartition
order by c.relname, f.oid)sql";

// Of tables that the engine knows. Its word for a table on every node: no key, and replicated by two-phase commit.
constexpr const char* kPlaced = R"sql(
select c.relname,
       case when d.partmethod = 'h' then 'sharded' when d.repmodel = 't' then 'everywhere' else 'coordinator' end,
       case when d.partmethod = 'h' then column_to_column_name(d.logicalrelid, d.partkey) else '' end
from pg_dist_partition d join pg_class c on c.oid = d.logicalrelid
where c.relnamespace = 'steelyard'::regnamespace)sql";

std::string with_schema(const std::string& table) { return "steelyard.\"" + table + '"'; }

Error not_on_server(const Session& session, const std::string& missing) {
  return input_error("store " + session.name(), missing, "", "docs/operations/scale.md says how to set a server up");
}

struct ExtensionState {
  bool installed = false;  // its files are on the server
  bool loaded = false;     // into this server process
  bool created = false;    // in this database
};
Result<ExtensionState> extension_state(Transaction& transaction) {
  STEELYARD_TRY(const Rows rows, transaction.run(kExtensionState, {}, kOneRow));
  return ExtensionState{rows.boolean(0, 0), rows.boolean(0, 1), rows.boolean(0, 2)};
}

std::vector<std::string> missing_of(const ExtensionState& state, const std::string& major) {
  if (!state.installed) {
    return {
        "the server does not have the extension citus: install it on every node (on Debian with PostgreSQL's own "
        "packages: postgresql-" +
        major +
        "-citus-13.0 from Citus' repository), set shared_preload_libraries = 'citus' in postgresql.conf, restart"};
  }
  if (!state.loaded) {
    return {
        "the server has the extension citus and did not load it: set shared_preload_libraries = 'citus' in "
        "postgresql.conf (citus before any other) and restart"};
  }
  return {};
}

Result<std::vector<TableShape>> read_shapes(Transaction& transaction) {
  STEELYARD_TRY(const Rows tables, transaction.run(kDistributedTables));
  STEELYARD_TRY(const Rows keys, transaction.run(kUniqueKeys));
  STEELYARD_TRY(const Rows references, transaction.run(kReferences));
  std::map<std::string, TableShape> by_name;
  for (std::int64_t row = 0; row < tables.size(); ++row) {
    const std::string name = tables.text(row, 0);
    by_name[name] = {name, texts_of_array(tables.raw(row, 1)), {}, {}, tables.integer(row, 2), tables.boolean(row, 3)};
  }
  for (std::int64_t row = 0; row < keys.size(); ++row) {
    by_name[keys.text(row, 0)].unique_keys.push_back(texts_of_array(keys.raw(row, 1)));
  }
  for (std::int64_t row = 0; row < references.size(); ++row) {
    by_name[references.text(row, 0)].references.push_back(
        {texts_of_array(references.raw(row, 2)), references.text(row, 1), texts_of_array(references.raw(row, 3))});
  }
  std::vector<TableShape> shapes;
  for (auto& [name, shape] : by_name) shapes.push_back(std::move(shape));
  return shapes;
}

// Marks what is in its place. A table that stands elsewhere than we would lay it today is left there, whether or not
// its queries work: docs/operations/scale.md says which has to be moved by hand.
Result<void> mark_done(Transaction& transaction, std::vector<TablePlacement>& tables) {
  STEELYARD_TRY(const Rows rows, transaction.run(kPlaced));
  std::map<std::string, std::pair<std::string, std::string>> found;
  for (std::int64_t row = 0; row < rows.size(); ++row)
    found[rows.text(row, 0)] = {rows.text(row, 1), rows.text(row, 2)};
  for (TablePlacement& placement : tables) {
    const auto at = found.find(placement.table);
    const std::string place = at == found.end() ? "coordinator" : at->second.first;
    placement.done = placement.place == Place::coordinator || place != "coordinator";
    if (place == "sharded" && placement.key != at->second.second) {
      placement.place = Place::sharded;
      placement.key = at->second.second;
      placement.why = PlacementReason::sharded_once;
    }
  }
  return {};
}

Result<int> nodes_for_shards(Transaction& transaction) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select count(*) from pg_dist_node where isactive and shouldhaveshards", {}, kOneRow));
  return static_cast<int>(rows.integer(0, 0));
}

Result<DistributionPlan> read_plan(Transaction& transaction) {
  DistributionPlan plan;
  STEELYARD_TRY(const ExtensionState state, extension_state(transaction));
  STEELYARD_TRY(const Rows version, transaction.run("select current_setting('server_version_num')::int / 10000"));
  plan.missing = missing_of(state, version.text(0, 0));
  STEELYARD_TRY(std::vector<TableShape> shapes, read_shapes(transaction));
  STEELYARD_TRY(plan.tables, place_tables(std::move(shapes)));
  if (!state.loaded || !state.created) {
    for (TablePlacement& placement : plan.tables) placement.done = placement.place == Place::coordinator;
    return plan;
  }
  STEELYARD_CHECK(mark_done(transaction, plan.tables));
  STEELYARD_TRY(plan.nodes, nodes_for_shards(transaction));
  return plan;
}

struct NodeAddress {
  std::string host;
  int port = 5432;
};
// "host:port", "host"; of an IPv6 address the port must be given.
Result<NodeAddress> parse_node(const std::string& text, const std::string& where) {
  NodeAddress node;
  const std::size_t colon = text.rfind(':');
  node.host = text.substr(0, colon);
  if (colon != std::string::npos) {
    const char* begin = text.data() + colon + 1;
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(begin, end, node.port);
    if (code != std::errc() || stop != end || node.port < 1 || node.port > 65535) node.host.clear();
  }
  if (node.host.empty()) return input_error(where, '"' + text + '"', "HOST:PORT", "for example worker1:5432");
  return node;
}

Result<void> add_node(Session& session, const char* function, const NodeAddress& node) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(
      transaction.run(std::string("select ") + function + "($1, $2)", SqlValues().text(node.host).integer(node.port)));
  return transaction.commit();
}

// A coordinator holds no shards unless it is told to; where there is no other node it has to.
Result<void> allow_shards_on_lone_node(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(
      transaction.run("select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) from pg_dist_node "
                      "where groupid = 0 and not exists (select from pg_dist_node where shouldhaveshards)"));
  return transaction.commit();
}

Result<void> add_nodes(Session& session, const DistributeOptions& options) {
  std::vector<NodeAddress> workers;
  for (const std::string& text : options.workers) {
    STEELYARD_TRY(workers.emplace_back(), parse_node(text, "--workers"));
  }
  if (!workers.empty() && options.coordinator.empty()) {
    return input_error("--coordinator", "nothing", "HOST:PORT by which the workers reach this server",
                       "give it together with --workers");
  }
  // Both do nothing for a node that is there already.
  if (!options.coordinator.empty()) {
    STEELYARD_TRY(const NodeAddress coordinator, parse_node(options.coordinator, "--coordinator"));
    STEELYARD_CHECK(add_node(session, "citus_set_coordinator_host", coordinator));
  }
  for (const NodeAddress& worker : workers) STEELYARD_CHECK(add_node(session, "citus_add_node", worker));
  return allow_shards_on_lone_node(session);
}

// Rights by project are policies, which stay once they were used and which the engine does not lay on shards.
Result<void> check_rights(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(
      const Rows limited,
      transaction.run("select relrowsecurity from pg_class where oid = 'steelyard.runs'::regclass", {}, kOneRow));
  if (!limited.boolean(0, 0)) return {};
  return input_error("store " + session.name(), "rights by project: logins that see some projects only",
                     "none in a distributed store",
                     "give such a project a database of its own, and fill a new database for the rest from the "
                     "archives: steelyard db rebuild --from FOLDER");
}

Result<void> create_extension(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const ExtensionState state, extension_state(transaction));
  if (state.created) return {};
  if (auto created = transaction.run("create extension citus"); !created) {
    Error error = std::move(created).error();
    error.fix = "create it as a superuser: create extension citus";
    return error;
  }
  return transaction.commit();
}

// Functions, so that views and conditions that call them work on the nodes. Those that come later, with a migration,
// the engine creates there itself.
Result<void> spread_functions(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  // The nodes shall not look whether the tables and functions are there that a text names: some come later.
  STEELYARD_CHECK(transaction.run_script(
      "set local citus.propagate_set_commands = 'local'; set local check_function_bodies = off"));
  STEELYARD_CHECK(
      transaction.run("select create_distributed_function(f.oid::regprocedure) from (select p.oid from pg_proc p "
                      "where p.pronamespace = 'steelyard'::regnamespace and p.prokind in ('f', 'p') and not exists "
                      "(select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)) f"));
  return transaction.commit();
}

// They ask other tables, which the shards of a distributed store cannot.
Result<void> drop_checks_of_others(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(transaction.run_script(
      "do $$ declare one record; begin for one in select t.tgname, t.tgrelid::regclass as name from pg_trigger t "
      "join pg_class c on c.oid = t.tgrelid where not t.tgisinternal and not c.relispartition "
      "and c.relnamespace = 'steelyard'::regnamespace and t.tgname in ('series_identity_check', 'run_check') loop "
      "execute format('drop trigger %I on %s', one.tgname, one.name); end loop; end $$"));
  return transaction.commit();
}

// Any other trigger of ours looks at nothing but the row it fires for, which is the same wherever that row lies: safe,
// though the engine cannot know. For the database, so that migrations can create more.
Result<void> allow_triggers(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select exists(select from pg_trigger t join pg_class c on c.oid = t.tgrelid where not "
                      "t.tgisinternal and c.relnamespace = 'steelyard'::regnamespace), quote_ident(current_database())",
                      {}, kOneRow));
  if (!rows.boolean(0, 0)) return {};
  STEELYARD_CHECK(
      transaction.run_script("alter database " + rows.text(0, 1) + " set citus.enable_unsafe_triggers = on"));
  return transaction.commit();
}

// The nodes connect to each other as whoever acts, and what runs with the owner's rights (the making of partitions,
// migrations) acts as the owner's role, which has no password and as which nobody else can log in.
Result<void> allow_owner_login(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run("select 1 from pg_roles where rolname = $1 and not rolcanlogin",
                                                 SqlValues().text(kOwnerRole)));
  if (rows.size() == 0) return {};
  STEELYARD_CHECK(transaction.run_script("alter role " + std::string(kOwnerRole) + " login"));
  return transaction.commit();
}

Result<std::int64_t> rows_in(Transaction& transaction, const std::string& table) {
  STEELYARD_TRY(const Rows rows, transaction.run("select count(*) from " + with_schema(table), {}, kOneRow));
  return rows.integer(0, 0);
}

// Tables that were not moved yet stay plain ones although they point to those that were: made the engine's own, they
// could not point to a sharded one. Sequential: a table and those that it points to are changed in one transaction,
// over one connection to each node.
constexpr const char* kMoveSettings =
    "set local citus.enable_unsafe_triggers = on; set local citus.enable_local_reference_table_foreign_keys = off; "
    "set local citus.multi_shard_modify_mode = 'sequential'";

// $1 the table, $2 its key, $3 shards, $4 with whose shards its own lie, or "none"
constexpr const char* kShard =
    "select create_distributed_table($1::text::regclass, $2::text, colocate_with => $3::text, "
    "shard_count => $4::int)";
constexpr const char* kShardBeside =
    "select create_distributed_table($1::text::regclass, $2::text, colocate_with => $3::text)";

// `beside`: a table whose shards lie where those of this one shall; empty: the first of its key.
Result<void> move_table(Session& session, const TablePlacement& placement, const std::string& beside, int shards) {
  const std::string table = with_schema(placement.table);
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(transaction.run("lock table " + table + " in exclusive mode"));
  STEELYARD_TRY(const std::int64_t before, rows_in(transaction, placement.table));
  STEELYARD_CHECK(transaction.run_script(kMoveSettings));
  if (placement.place == Place::everywhere) {
    STEELYARD_CHECK(transaction.run("select create_reference_table($1::text::regclass)", SqlValues().text(table)));
  } else if (beside.empty()) {
    STEELYARD_CHECK(transaction.run(kShard, SqlValues().text(table).text(placement.key).text("none").integer(shards)));
  } else {
    STEELYARD_CHECK(
        transaction.run(kShardBeside, SqlValues().text(table).text(placement.key).text(with_schema(beside))));
  }
  STEELYARD_TRY(const std::int64_t after, rows_in(transaction, placement.table));
  if (before != after) {
    return store_error("store " + session.name(), std::to_string(after) + " rows in " + table + " after it was moved",
                       std::to_string(before), "it was put back as it was; please report this");
  }
  return transaction.commit();
}

// What stays on the coordinator's disk of a table that was copied to the nodes.
Result<void> drop_leftovers(Session& session, const std::vector<TablePlacement>& tables) {
  for (const TablePlacement& placement : tables) {
    if (placement.place == Place::coordinator) continue;
    const std::string table = with_schema(placement.table);
    STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
    STEELYARD_TRY(const Rows size, transaction.run("select coalesce(sum(pg_relation_size(p.relid)), 0)::bigint from "
                                                   "pg_partition_tree($1::text::regclass) p",
                                                   SqlValues().text(table), kOneRow));
    if (size.integer(0, 0) == 0) continue;
    STEELYARD_CHECK(transaction.run("select truncate_local_data_after_distributing_table($1::text::regclass)",
                                    SqlValues().text(table)));
    STEELYARD_CHECK(transaction.commit());
  }
  return {};
}

}  // namespace

Result<DistributionPlan> plan_distribution(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  return read_plan(transaction);
}

Result<bool> is_distributed(Transaction& transaction) {
  STEELYARD_TRY(const ExtensionState state, extension_state(transaction));
  if (!state.loaded || !state.created) return false;
  STEELYARD_TRY(const Rows rows, transaction.run(kPlaced));
  return rows.size() > 0;
}

Result<bool> has_shards(Transaction& transaction) {
  constexpr const char* kHasExtension = "select exists(select from pg_extension where extname = 'citus')";
  STEELYARD_TRY(const Rows rows, transaction.run(kHasExtension, {}, kOneRow));
  return rows.boolean(0, 0);
}

Result<void> distribute(Session& session, const DistributeOptions& options, const DistributeProgress& progress) {
  STEELYARD_TRY(DistributionPlan plan, plan_distribution(session));
  // Neither the writer's role nor the owner's may do all that follows.
  session.act_as("");
  if (!plan.missing.empty()) return not_on_server(session, plan.missing.front());
  STEELYARD_CHECK(check_rights(session));
  STEELYARD_CHECK(create_extension(session));
  STEELYARD_CHECK(add_nodes(session, options));
  STEELYARD_CHECK(allow_owner_login(session));
  STEELYARD_CHECK(drop_checks_of_others(session));
  STEELYARD_CHECK(allow_triggers(session));
  STEELYARD_CHECK(spread_functions(session));
  STEELYARD_TRY(plan, plan_distribution(session));

  std::map<std::string, std::string> first_of_key;
  std::int64_t all = 0;
  for (const TablePlacement& placement : plan.tables) {
    if (placement.done && placement.place == Place::sharded) first_of_key.emplace(placement.key, placement.table);
    if (!placement.done) all += placement.bytes;
  }
  std::int64_t moved = 0;
  for (const TablePlacement& placement : plan.tables) {
    if (placement.done) continue;
    progress(placement.table, all == 0 ? 0.0 : static_cast<double>(moved) / static_cast<double>(all));
    const auto beside = first_of_key.find(placement.key);
    STEELYARD_CHECK(move_table(session, placement, beside == first_of_key.end() ? "" : beside->second, options.shards));
    if (placement.place == Place::sharded) first_of_key.emplace(placement.key, placement.table);
    moved += placement.bytes;
  }
  return drop_leftovers(session, plan.tables);
}

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

bool has_column(const std::vector<std::string>& columns, const std::string& column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

// The column that rows are sharded by; empty: none. A table of the key alone says what those are: it is read with what
// lies on every node, where the engine joins no shards for a subquery.
std::string shard_key_of(const TableShape& table) {
  if (table.unique_keys.empty()) return "";
  for (const char* key : kShardKeys) {
    if (table.columns == std::vector<std::string>{key}) return "";
    if (!has_column(table.columns, key)) continue;
    const auto holds_key = [key](const std::vector<std::string>& columns) { return has_column(columns, key); };
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
    placement.why = PlacementReason::whole_key;
  } else if (table.references.empty() && !is_referenced && !table.is_viewed) {
    placement.place = Place::coordinator;
    placement.why = PlacementReason::alone;
  } else {
    placement.place = Place::everywhere;
    placement.why = is_referenced ? PlacementReason::pointed_to : PlacementReason::small;
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

}  // namespace steelyard::storage
