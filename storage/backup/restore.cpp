#include <charconv>
#include <utility>

#include "storage/backup/backup.hpp"
#include "storage/backup/dump_program.hpp"
#include "storage/embedded/store_link.hpp"
#include "storage/postgres/access/audit_trail.hpp"
#include "storage/postgres/access/login.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/distributed/distribute.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/postgres/upkeep/derivations.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDrop = "drop schema if exists steelyard cascade";

Error not_restored(const Session& session, const std::string& why) {
  return store_error("store " + session.name(), why, "the contents that the backup was made of",
                     "the store is empty again; restore another backup");
}

// The tables that somebody would miss. Others hold what these refer to, and the audit trail what was done to them.
constexpr const char* kMissed =
    "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'steelyard' and "
    "c.relkind in ('r', 'p') and c.relname in ('runs', 'comparisons', 'change_points', 'alert_events', "
    "'accepted_levels', 'tokens', 'commit_parents', 'prunings', 'project_grants') order by c.relname";

// Held until the schema is gone: a writer waits, finds no table, and keeps its run in the spool.
Result<void> check_empty(const Session& session, Transaction& transaction) {
  STEELYARD_TRY(const Rows tables, transaction.run(kMissed));
  for (std::int64_t row = 0; row < tables.size(); ++row) {
    const std::string table = tables.text(row, 0);
    STEELYARD_CHECK(transaction.run("lock table steelyard." + table + " in access exclusive mode"));
    STEELYARD_TRY(const Rows some,
                  transaction.run("select exists (select 1 from steelyard." + table + ")", {}, kOneRow));
    if (some.boolean(0, 0)) {
      return input_error("store " + session.name(), "rows in steelyard." + table, "an empty store",
                         "name an empty database with --store, or an empty state folder with STEELYARD_STATE");
    }
  }
  return {};
}

// An empty schema of ours would stand in the way of the backup's own.
Result<void> clear_the_way(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const bool distributed, is_distributed(transaction));
  if (distributed) {
    return input_error("store " + session.name(), "a distributed store", "an empty store on one server",
                       "restore into a database that is not distributed, then run steelyard db distribute");
  }
  STEELYARD_CHECK(check_empty(session, transaction));
  STEELYARD_CHECK(transaction.run_script(kDrop));
  return transaction.commit();
}

Result<int> major_of(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select current_setting('server_version_num')::integer / 10000", {}, kOneRow));
  return static_cast<int>(rows.integer(0, 0));
}

Result<void> verify(Session& session, const BackupManifest& manifest, const BackupOptions& options) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  ContentOptions contents;
  contents.progress = [&](double part) {
    if (options.progress) options.progress("content hashes", part);
  };
  STEELYARD_TRY(const std::vector<TableContent> restored, table_contents(transaction, contents));
  const std::vector<std::string> found = differences(restored, manifest.tables);
  if (found.empty()) return {};
  return not_restored(session, "other contents after the restore (" + found.front() + ")");
}

Result<void> note_restore(Session& session, const fs::path& folder, const BackupOptions& options) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(write_audit(transaction, {options.who, "restored", "store", "from " + folder.string()}));
  return transaction.commit();
}

// Those of the server's version, or of that which wrote the dump where they cannot read it: looked at before anything
// is touched. Each version of pg_restore reads the files of all before it.
Result<DumpPrograms> programs_for(const StoreLink& link, int server_major, const BackupManifest& manifest,
                                  const fs::path& file) {
  int dump_major = 0;
  std::from_chars(manifest.pg_dump.data(), manifest.pg_dump.data() + manifest.pg_dump.size(), dump_major);
  STEELYARD_TRY(DumpPrograms programs, find_dump_programs(server_major));
  const auto can_read = [&] {
    return run_dump_command({{programs.restore.string(), "--list", file.string()}, link.url}, {});
  };
  Result<void> readable = can_read();
  if (!readable && dump_major > programs.major) {
    STEELYARD_TRY(programs, find_dump_programs(dump_major));
    readable = can_read();
  }
  if (readable) return programs;
  Error error = std::move(readable).error();
  error.mend = "nothing was touched; the dump is by pg_dump " + manifest.pg_dump + ": apt-get install " +
               "postgresql-client-" + manifest.pg_dump;
  return error;
}

Result<void> load(const StoreLink& link, const DumpPrograms& programs, const fs::path& file,
                  const BackupOptions& options) {
  DumpCommand command;
  command.words = {programs.restore.string(), "--single-transaction", "--exit-on-error", "--no-owner",
                   "--no-privileges",         file.string()};
  command.url = link.url;
  return run_dump_command(command, [&options] {
    if (options.progress) options.progress("restore", 0.5);
  });
}

}  // namespace

Result<BackupManifest> restore_store(const StoreAddress& address, const fs::path& state, const fs::path& folder,
                                     const BackupOptions& options) {
  STEELYARD_TRY(BackupManifest manifest, read_manifest(folder));
  const int newest = known_migrations().back().version;
  if (manifest.schema_version > newest) {
    return input_error((folder / kManifestFile).string(), "schema version " + std::to_string(manifest.schema_version),
                       "at most " + std::to_string(newest), "a newer steelyard wrote it: update this one");
  }
  STEELYARD_CHECK(check_dump(folder, manifest, [&](double part) {
    if (options.progress) options.progress("checksum", part);
  }));
  STEELYARD_TRY(StoreLink link, link_to_store(address, state));
  STEELYARD_TRY(const int major, major_of(link.session));
  STEELYARD_TRY(const DumpPrograms programs, programs_for(link, major, manifest, folder / kDumpFile));
  // The dump gives no rights to them, but its policies name them.
  STEELYARD_CHECK(create_roles(link.session));
  STEELYARD_CHECK(clear_the_way(link.session));
  STEELYARD_CHECK(load(link, programs, folder / kDumpFile, options));
  if (const Result<void> verified = verify(link.session, manifest, options); !verified) {
    // Not taken for a store that is whole: what differs cannot be told from what does not.
    STEELYARD_CHECK(link.session.run_alone(kDrop));
    return verified.error();
  }
  // The dump holds no rights: who may do what is this server's affair.
  STEELYARD_CHECK(apply_privileges(link.session));
  STEELYARD_CHECK(make_ready(link.session));
  STEELYARD_CHECK(ensure_derived(link.session));
  STEELYARD_CHECK(note_restore(link.session, folder, options));
  return manifest;
}

}  // namespace steelyard
