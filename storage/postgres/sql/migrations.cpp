#include "storage/postgres/sql/migrations.hpp"

#include <string>

#include "bench/model/sha256.hpp"

namespace steelyard::storage {
namespace {

// Any number that no other program is likely to use; the bytes of "steelyar".
constexpr const char* kMigrationsLock = "select pg_advisory_xact_lock(8319395793567867250)";
// Not to_regclass(): it may answer from a cache filled before we waited for the lock, while a query sees what the other
// program committed.
constexpr const char* kHasLedger =
    "select count(*) > 0 from pg_class c join pg_namespace n on n.oid = c.relnamespace "
    "where n.nspname = 'steelyard' and c.relname = 'schema_migrations'";
constexpr const char* kCreateLedger = R"sql(
create schema if not exists steelyard;
create table if not exists steelyard.schema_migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);
comment on table steelyard.schema_migrations is 'Which scripts made this schema.';
comment on column steelyard.schema_migrations.checksum is 'SHA-256 of the script''s text.';
)sql";

Error newer_than_program(const Session& session, std::int64_t found, std::size_t known) {
  return store_error("store " + session.name(), "schema version " + std::to_string(found),
                     "at most " + std::to_string(known), "a newer steelyard wrote it: update this one");
}

Error changed_script(const Session& session, const Migration& migration) {
  return store_error("store " + session.name(), "another content of migration " + std::string(migration.name),
                     "the one in this program",
                     "it was applied by a build that was never released: restore a backup, or start an empty database");
}

// The number of migrations that are applied, all of them checked.
Result<std::size_t> applied(Session& session, Transaction& transaction, std::span<const Migration> migrations) {
  STEELYARD_TRY(const Rows ledger, transaction.run(kHasLedger, {}, kOneRow));
  if (!ledger.boolean(0, 0)) return std::size_t{0};
  STEELYARD_TRY(const Rows rows,
                transaction.run("select version, checksum from steelyard.schema_migrations order by version"));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const auto index = static_cast<std::size_t>(row);
    if (index >= migrations.size()) return newer_than_program(session, rows.integer(rows.size() - 1, 0), index);
    const Migration& migration = migrations[index];
    if (rows.integer(row, 0) != migration.version || rows.raw(row, 1) != sha256_hex(migration.script)) {
      return changed_script(session, migration);
    }
  }
  return static_cast<std::size_t>(rows.size());
}

// On Citus a new table stays a plain one although it points to others, so that a script may do with it what PostgreSQL
// allows; `steelyard db distribute` lays it where it belongs. Sequential: a script changes tables and those that they
// point to. Elsewhere these settings mean nothing.
Result<void> suit_distributed_store(Transaction& transaction) {
  return transaction.run_script(
      "set local citus.enable_local_reference_table_foreign_keys = off; "
      "set local citus.multi_shard_modify_mode = 'sequential'; set local citus.enable_unsafe_triggers = on");
}

// A view that a script replaces loses the setting by which it answers as whoever asks (project_rights.cpp): it has it
// again before anybody sees the new one. Nothing where no project is limited.
constexpr const char* kKeepViewsLimited = R"sql(
do $$
declare
  one regclass;
begin
  if (select relrowsecurity from pg_class where oid = to_regclass('steelyard.runs')) then
    for one in select oid from pg_class where relnamespace = 'steelyard'::regnamespace and relkind = 'v' loop
      execute format('alter view %s set (security_invoker = true)', one);
    end loop;
  end if;
end
$$
)sql";

// Applies the first script that is missing; false where none is.
Result<bool> apply_next(Session& session, std::span<const Migration> migrations) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(transaction.run(kMigrationsLock));
  STEELYARD_TRY(const std::size_t done, applied(session, transaction, migrations));
  if (done == migrations.size()) return false;
  if (done == 0) STEELYARD_CHECK(transaction.run_script(kCreateLedger));
  const Migration& next = migrations[done];
  STEELYARD_CHECK(suit_distributed_store(transaction));
  STEELYARD_CHECK(transaction.run_script(std::string(next.script)));
  STEELYARD_CHECK(transaction.run_script(kKeepViewsLimited));
  STEELYARD_CHECK(
      transaction.run("insert into steelyard.schema_migrations (version, name, checksum) values ($1, $2, $3)",
                      SqlValues().integer(next.version).text(next.name).text(sha256_hex(next.script)), kOneRow));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

}  // namespace

Result<MigrationPlan> plan_migrations(Session& session, std::span<const Migration> migrations) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::size_t done, applied(session, transaction, migrations));
  return MigrationPlan{static_cast<int>(done), migrations.subspan(done)};
}

Result<int> migrate(Session& session, std::span<const Migration> migrations) {
  // Without the lock first: nearly always there is nothing to do, and a reader may lack the right to do it.
  STEELYARD_TRY(const MigrationPlan plan, plan_migrations(session, migrations));
  if (plan.missing.empty()) return plan.version;
  for (;;) {
    STEELYARD_TRY(const bool more, apply_next(session, migrations));
    if (!more) return static_cast<int>(migrations.size());
  }
}

}  // namespace steelyard::storage
