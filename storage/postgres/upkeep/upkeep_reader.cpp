#include "storage/postgres/upkeep/upkeep_reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "bench/model/sha256.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/runs/partitions.hpp"
#include "storage/postgres/session/sql_fields.hpp"
#include "storage/postgres/sql/migrations.hpp"

namespace steelyard::storage {
namespace {

constexpr const char* kStatus =
    "select current_setting('server_version'), (select max(version) from steelyard.schema_migrations), "
    "count(*), coalesce(sum(measurements), 0)::bigint, coalesce(sum(samples), 0)::bigint, "
    "(select count(*) from steelyard.comparisons), "
    "(select sum(steelyard.bytes_of(c.oid, true))::bigint from pg_class c "
    "where c.relnamespace = 'steelyard'::regnamespace and c.relkind = 'r') from steelyard.runs";

constexpr const char* kTables = R"sql(
select coalesce(p.relname, c.relname) as name, greatest(sum(greatest(c.reltuples, s.n_live_tup)), 0)::bigint,
       coalesce(sum(s.n_dead_tup), 0)::bigint, sum(z.bytes)::bigint, sum(z.all_bytes - z.bytes)::bigint,
       to_char(min(greatest(s.last_vacuum, s.last_autovacuum)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       to_char(min(greatest(s.last_analyze, s.last_autoanalyze)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       max(age(c.relfrozenxid))::bigint
from pg_class c
cross join lateral (select steelyard.bytes_of(c.oid, false) as bytes, steelyard.bytes_of(c.oid, true) as all_bytes
                    offset 0) z
left join pg_stat_all_tables s on s.relid = c.oid
left join pg_inherits i on i.inhrelid = c.oid
left join pg_class p on p.oid = i.inhparent
where c.relnamespace = 'steelyard'::regnamespace and c.relkind = 'r'
group by 1 order by sum(z.all_bytes) desc, 1
)sql";

constexpr const char* kPartitions = R"sql(
select c.relname, steelyard.bytes_of(c.oid, true), steelyard.is_closed(c.oid)
from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent = 'steelyard.measurements'::regclass and c.relname ~ '^measurements_[0-9]+$'
order by substr(c.relname, 14)::integer
)sql";

constexpr const char* kCounts = R"sql(
select coalesce(max(run_key), 0), coalesce(sum(samples), 0)::bigint,
       (select count(distinct run) from steelyard.prunings where what <> 'profiles') from steelyard.runs
)sql";

// Tables of which no constraint says that every row has the identity of its content: what that is, and the key by which
// a row is named.
constexpr const char* kUncheckedIdentities = R"sql(
select k.conrelid::regclass::text, a.attname::text, pg_get_expr(k.conbin, k.conrelid)
from pg_constraint k join pg_index i on i.indrelid = k.conrelid and i.indisprimary
join pg_attribute a on a.attrelid = k.conrelid and a.attnum = i.indkey[0]
where k.connamespace = 'steelyard'::regnamespace and k.conname like '%\_identity\_check' and not k.convalidated
order by 1
)sql";
// Of a series no constraint can say so.
constexpr const char* kSeriesWithIdentities =
    "(select s.*, steelyard.content_identity(p.name, b.identity, m.identity, s.fingerprint, s.count_key) as wanted "
    "from steelyard.series s join steelyard.projects p using (project_key) "
    "join steelyard.benchmarks b using (benchmark_key) join steelyard.metrics m using (metric_key)) s";

std::int64_t number_of(const std::string& partition) {
  constexpr std::string_view kPrefix = "measurements_";
  std::int64_t number = 0;
  std::from_chars(partition.data() + kPrefix.size(), partition.data() + partition.size(), number);
  return number;
}

Result<void> read_tables(Transaction& transaction, StoreUpkeep& upkeep) {
  STEELYARD_TRY(const Rows rows, transaction.run(kTables));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    TableUpkeep& table = upkeep.tables.emplace_back();
    std::int64_t age = 0;
    read_in_order(rows, row, 0, table.table, table.rows, table.dead_rows, table.table_bytes, table.index_bytes,
                  table.last_vacuum, table.last_analyze, age);
    upkeep.oldest_transaction_age = std::max(upkeep.oldest_transaction_age, age);
    if (table.table == "measurements") upkeep.sample_bytes = table.table_bytes + table.index_bytes;
  }
  return {};
}

Result<void> read_partitions(Transaction& transaction, StoreUpkeep& upkeep) {
  STEELYARD_TRY(const Rows counts, transaction.run(kCounts, {}, kOneRow));
  const std::int64_t newest = counts.integer(0, 0);
  const std::int64_t samples = counts.integer(0, 1);
  upkeep.pruned_runs = counts.integer(0, 2);
  if (samples > 0) upkeep.bytes_per_sample = static_cast<double>(upkeep.sample_bytes) / static_cast<double>(samples);
  STEELYARD_TRY(const Rows rows, transaction.run(kPartitions));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    PartitionUpkeep partition;
    partition.name = rows.text(row, 0);
    const std::int64_t number = number_of(partition.name);
    partition.first_run = std::max<std::int64_t>(number * kRunsOfPartition, 1);
    partition.last_run = (number + 1) * kRunsOfPartition - 1;
    partition.bytes = rows.integer(row, 1);
    partition.is_closed = partition.last_run < newest;
    partition.is_to_close = partition.is_closed && !rows.boolean(row, 2);
    if (partition.first_run > newest) ++upkeep.partitions_ahead;
    upkeep.partitions.push_back(std::move(partition));
  }
  return {};
}

// `from`: the table, or a query that stands for it. Nothing where the condition holds for every row.
Result<void> find_other_identities(Transaction& transaction, const std::string& from, const std::string& condition,
                                   OtherIdentities found, StoreUpkeep& upkeep) {
  STEELYARD_TRY(const Rows rows, transaction.run("select " + found.key + "::text from " + from + " where (" +
                                                 condition + ") is not true order by " + found.key));
  found.rows = rows.size();
  for (std::int64_t row = 0; row < rows.size() && found.keys.size() < OtherIdentities::kMaxKeys; ++row) {
    found.keys.push_back(rows.text(row, 0));
  }
  if (found.rows > 0) upkeep.other_identities.push_back(std::move(found));
  return {};
}

Result<void> read_other_identities(Transaction& transaction, StoreUpkeep& upkeep) {
  STEELYARD_TRY(const Rows unchecked, transaction.run(kUncheckedIdentities));
  for (std::int64_t row = 0; row < unchecked.size(); ++row) {
    const std::string table = unchecked.text(row, 0);
    STEELYARD_CHECK(
        find_other_identities(transaction, table, unchecked.text(row, 2), {table, unchecked.text(row, 1)}, upkeep));
  }
  return find_other_identities(transaction, kSeriesWithIdentities, "identity = wanted",
                               {"steelyard.series", "series_key"}, upkeep);
}

}  // namespace

Result<StoreStatus> read_status(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kStatus, {}, kOneRow));
  StoreStatus status;
  status.address = session.name();
  status.newest_known_version = known_migrations().back().version;
  read_in_order(rows, 0, 0, status.server_version, status.schema_version, status.runs, status.measurements,
                status.samples, status.comparisons, status.bytes);
  return status;
}

Result<StoreUpkeep> read_upkeep(Session& session) {
  // A login that may not make them is told that they are missing.
  [[maybe_unused]] const auto made = ensure_partitions(session);
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  StoreUpkeep upkeep;
  STEELYARD_CHECK(read_tables(transaction, upkeep));
  STEELYARD_CHECK(read_partitions(transaction, upkeep));
  STEELYARD_CHECK(read_other_identities(transaction, upkeep));
  return upkeep;
}

namespace {

// Partitions count for their table.
constexpr const char* kSizes =
    "select c.relname::text, (select coalesce(sum(pg_total_relation_size(t.relid)), 0)::bigint "
    "from pg_partition_tree(c.oid) t) from pg_class c join pg_namespace n on n.oid = c.relnamespace "
    "where n.nspname = 'steelyard' and c.relkind in ('r', 'p') and not c.relispartition order by 1";

std::vector<AffectedTable> with_sizes(const std::vector<std::string>& names, const std::vector<AffectedTable>& known) {
  std::vector<AffectedTable> tables;
  for (const std::string& name : names) {
    const auto at = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.name == name; });
    tables.push_back(at == known.end() ? AffectedTable{name, 0} : *at);
  }
  return tables;
}

Result<std::vector<AffectedTable>> sizes_of(Transaction& transaction) {
  STEELYARD_TRY(const Rows rows, transaction.run(kSizes));
  std::vector<AffectedTable> tables;
  for (std::int64_t row = 0; row < rows.size(); ++row) tables.push_back({rows.text(row, 0), rows.integer(row, 1)});
  return tables;
}

// The end of what begins at `at`, a comment or a quoted text; `at` where nothing of that kind begins there.
std::size_t end_of_hidden(std::string_view script, std::size_t at) {
  const auto after = [script](std::size_t found, std::size_t size) {
    return found == std::string_view::npos ? script.size() : found + size;
  };
  if (script.substr(at).starts_with("--")) return after(script.find('\n', at), 0);
  if (script[at] == '\'') return after(script.find('\'', at + 1), 1);
  if (script[at] != '$') return at;
  const std::size_t mark = script.find('$', at + 1);
  if (mark == std::string_view::npos) return at;
  const std::string_view tag = script.substr(at, mark + 1 - at);
  const bool is_tag =
      std::all_of(tag.begin() + 1, tag.end() - 1, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
  return is_tag ? after(script.find(tag, mark + 1), tag.size()) : at;
}

// Statements as lists of words in lower case; a comma or a bracket ends a word.
std::vector<std::vector<std::string>> statements_of(std::string_view script) {
  std::vector<std::vector<std::string>> statements(1);
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) statements.back().push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (const std::size_t end = end_of_hidden(script, i); end > i) {
      end_word();
      i = end - 1;
      continue;
    }
    const auto c = static_cast<unsigned char>(script[i]);
    if (std::isalnum(c) != 0 || c == '_' || c == '.' || c == '"') {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    end_word();
    if (c == ';') statements.emplace_back();
  }
  end_word();
  return statements;
}

std::string without_schema(const std::string& name) { return name.substr(name.rfind('.') + 1); }

void add(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

// The name after `words`, past "if [not] exists" and "only"; empty: the statement does not begin with them.
std::string named_after(const std::vector<std::string>& statement, const std::vector<std::string>& words) {
  if (statement.size() <= words.size() || !std::equal(words.begin(), words.end(), statement.begin())) return "";
  std::size_t at = words.size();
  while (at < statement.size() &&
         (statement[at] == "if" || statement[at] == "not" || statement[at] == "exists" || statement[at] == "only")) {
    ++at;
  }
  return at == statement.size() ? "" : without_schema(statement[at]);
}

// alter column NAME [set data] type ...
bool changes_a_type(const std::vector<std::string>& statement) {
  for (std::size_t i = 0; i + 3 < statement.size(); ++i) {
    if (statement[i] != "alter" || statement[i + 1] != "column") continue;
    const bool plain = statement[i + 3] == "type";
    const bool long_form = i + 5 < statement.size() && statement[i + 3] == "set" && statement[i + 4] == "data";
    if (plain || long_form) return true;
  }
  return false;
}

}  // namespace

Result<UpgradePlan> plan_upgrade(Session& session) {
  STEELYARD_TRY(const Login login, query_login(session));
  STEELYARD_TRY(const MigrationPlan missing, plan_migrations(session, known_migrations()));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::vector<AffectedTable> sizes, sizes_of(transaction));
  STEELYARD_TRY(const Rows whole, transaction.run("select pg_database_size(current_database())", {}, kOneRow));
  UpgradePlan plan{session.name(),      missing.version,   known_migrations().back().version,
                   whole.integer(0, 0), login.may_migrate, {}};
  for (const Migration& migration : missing.missing) {
    const ScriptEffects effects = effects_of_script(migration.script);
    plan.steps.push_back({migration.version, std::string(migration.name), sha256_hex(migration.script), effects.creates,
                          with_sizes(effects.rewrites, sizes), with_sizes(effects.fills, sizes), effects.drops});
  }
  return plan;
}

ScriptEffects effects_of_script(std::string_view script) {
  ScriptEffects effects;
  for (const std::vector<std::string>& statement : statements_of(script)) {
    if (const auto made = named_after(statement, {"create", "table"}); !made.empty()) add(effects.creates, made);
    if (const auto gone = named_after(statement, {"drop", "table"}); !gone.empty()) add(effects.drops, gone);
    if (const auto filled = named_after(statement, {"insert", "into"}); !filled.empty()) add(effects.fills, filled);
    if (const auto changed = named_after(statement, {"update"}); !changed.empty()) add(effects.rewrites, changed);
    const auto altered = named_after(statement, {"alter", "table"});
    if (!altered.empty() && changes_a_type(statement)) add(effects.rewrites, altered);
  }
  return effects;
}

}  // namespace steelyard::storage
