#include "storage/postgres/upkeep/upkeep_reader.hpp"

#include <algorithm>
#include <charconv>

#include "storage/postgres/runs/partitions.hpp"
#include "storage/postgres/sql/migrations.hpp"

namespace steelyard {
namespace {

constexpr const char* kStatus =
    "select current_setting('server_version'), (select max(version) from steelyard.schema_migrations), "
    "count(*), coalesce(sum(measurements), 0)::bigint, coalesce(sum(samples), 0)::bigint, "
    "(select count(*) from steelyard.comparisons), "
    "(select sum(steelyard.bytes_of(c.oid, true))::bigint from pg_class c "
    "where c.relnamespace = 'steelyard'::regnamespace and c.relkind = 'r') from steelyard.runs";

// A vacuum is overdue where more than this share of a table is dead, and the table is worth the trouble.
constexpr double kDeadShare = 0.3;
constexpr std::int64_t kFewRows = 10'000;
// The server freezes by itself from 200 million on; that it has not done so at twice the age means it cannot.
constexpr std::int64_t kOldTransactions = 400'000'000;
constexpr std::int64_t kRowsWithoutStatistics = 1'000;

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

std::string text_or_empty(const Rows& rows, std::int64_t row, int column) {
  return rows.is_null(row, column) ? "" : rows.text(row, column);
}

std::int64_t number_of(const std::string& partition) {
  constexpr std::string_view kPrefix = "measurements_";
  std::int64_t number = 0;
  std::from_chars(partition.data() + kPrefix.size(), partition.data() + partition.size(), number);
  return number;
}

Result<void> read_tables(Transaction& transaction, StoreUpkeep& upkeep) {
  STEELYARD_TRY(const Rows rows, transaction.run(kTables));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    TableUpkeep table{rows.text(row, 0),          rows.integer(row, 1), rows.integer(row, 2),
                      rows.integer(row, 3),       rows.integer(row, 4), text_or_empty(rows, row, 5),
                      text_or_empty(rows, row, 6)};
    upkeep.oldest_transaction_age = std::max(upkeep.oldest_transaction_age, rows.integer(row, 7));
    if (table.table == "measurements") upkeep.sample_bytes = table.table_bytes + table.index_bytes;
    upkeep.tables.push_back(std::move(table));
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

void advise(StoreUpkeep& upkeep) {
  std::vector<std::string>& advice = upkeep.advice;
  if (upkeep.partitions_ahead == 0) {
    advice.emplace_back("no partition is ready for the next runs: run `steelyard db migrate` as the schema's owner");
  }
  // One is closed by the writers in passing, where it is small enough.
  const auto to_close = std::count_if(upkeep.partitions.begin(), upkeep.partitions.end(),
                                      [](const PartitionUpkeep& partition) { return partition.is_to_close; });
  if (to_close > 0) {
    advice.push_back(std::to_string(to_close) + (to_close == 1 ? " partition gets" : " partitions get") +
                     " no more rows and still has room for them: run `steelyard db migrate` as the schema's owner");
  }
  for (const TableUpkeep& table : upkeep.tables) {
    const auto all = static_cast<double>(table.rows + table.dead_rows);
    if (table.dead_rows > kFewRows && static_cast<double>(table.dead_rows) > kDeadShare * all) {
      advice.push_back(std::to_string(table.dead_rows) + " dead rows in steelyard." + table.table +
                       ": vacuum (analyze) steelyard." + table.table + ", and see why autovacuum does not");
    } else if (table.last_analyze.empty() && table.rows > kRowsWithoutStatistics) {
      advice.push_back("steelyard." + table.table + " was never analyzed: analyze steelyard." + table.table);
    }
  }
  if (upkeep.oldest_transaction_age > kOldTransactions) {
    advice.push_back("a table was last frozen " + std::to_string(upkeep.oldest_transaction_age) +
                     " transactions ago, and the server stops at 2,000 million: vacuum freeze the database");
  }
}

}  // namespace

Result<StoreStatus> read_status(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kStatus, {}, kOneRow));
  StoreStatus status;
  status.address = session.name();
  status.server_version = rows.text(0, 0);
  status.schema_version = static_cast<int>(rows.integer(0, 1));
  status.newest_known_version = known_migrations().back().version;
  status.runs = rows.integer(0, 2);
  status.measurements = rows.integer(0, 3);
  status.samples = rows.integer(0, 4);
  status.comparisons = rows.integer(0, 5);
  status.bytes = rows.integer(0, 6);
  return status;
}

Result<StoreUpkeep> read_upkeep(Session& session) {
  // A login that may not make them is told that they are missing.
  [[maybe_unused]] const auto made = ensure_partitions(session);
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  StoreUpkeep upkeep;
  STEELYARD_CHECK(read_tables(transaction, upkeep));
  STEELYARD_CHECK(read_partitions(transaction, upkeep));
  advise(upkeep);
  return upkeep;
}

}  // namespace steelyard
