#include "storage/backup/backup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "bench/model/elapsed.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/files.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/distributed/distribute.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/postgres/upkeep/derivations.hpp"

extern char** environ;

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;

// Removed unless it was kept.
class PartialFolder {
 public:
  explicit PartialFolder(fs::path path) : path_(std::move(path)) {}
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;
  ~PartialFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

struct Facts {
  std::string snapshot;
  std::string server_version;
  int server_major = 0;
  int schema_version = 0;
  std::int64_t bytes = 0;  // of the tables without their indexes
};

// The facts of a backup; the transaction sees this moment's rows until it ends.
Result<Facts> facts_of(Transaction& transaction) {
  STEELYARD_CHECK(transaction.run_script("set transaction isolation level repeatable read, read only"));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select pg_export_snapshot(), current_setting('server_version'), "
                                "current_setting('server_version_num')::integer / 10000, "
                                "(select max(version) from steelyard.schema_migrations), "
                                "(select coalesce(sum(steelyard.bytes_of(c.oid, false)), 0)::bigint from pg_class c "
                                "where c.relnamespace = 'steelyard'::regnamespace and c.relkind = 'r')",
                                {}, kOneRow));
  return Facts{rows.text(0, 0), rows.text(0, 1), static_cast<int>(rows.integer(0, 2)),
               static_cast<int>(rows.integer(0, 3)), rows.integer(0, 4)};
}

// No dump holds the shards of all nodes as of one moment.
Result<void> check_one_server(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const bool distributed, is_distributed(transaction));
  if (!distributed) return {};
  return input_error("store " + session.name(), "a distributed store, whose rows lie on several servers",
                     "a store on one server",
                     "back up every node (docs/operations/scale.md), or keep the archives: steelyard db rebuild --from "
                     "FOLDER fills any store from them");
}

Result<void> check_place(const fs::path& folder, std::int64_t bytes) {
  std::error_code trouble;
  if (fs::exists(folder, trouble) && !fs::is_empty(folder, trouble)) {
    return input_error(folder.string(), "something that is there already", "a folder that does not exist yet");
  }
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  const fs::space_info space = fs::space(parent, trouble);
  if (trouble) return input_error(parent.string(), trouble.message(), "the folder for the backup's folder");
  if (space.available >= static_cast<std::uintmax_t>(bytes)) return {};
  constexpr std::uintmax_t kMebibyte = 1 << 20;
  return input_error(parent.string(), std::to_string(space.available / kMebibyte) + " MiB free",
                     std::to_string(static_cast<std::uintmax_t>(bytes) / kMebibyte + 1) +
                         " MiB, as much as the tables hold (what is written is compressed, and mostly smaller)",
                     "make room or name another place");
}

Result<void> flush(const fs::path& path) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file && fsync(file.number()) == 0) return {};
  return input_error(path.string(), std::error_code(errno, std::generic_category()).message(), "a disk that holds it");
}

Result<void> write_and_flush(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) return input_error(file.string(), "it cannot be written", "room for the manifest");
  return flush(file);
}

void tell(const BackupOptions& options, const std::string& what, double part) {
  if (options.progress) options.progress(what, part);
}

Result<void> dump(const StoreLink& link, const Facts& facts, const DumpPrograms& programs, const fs::path& file,
                  const BackupOptions& options) {
  DumpCommand command;
  // Fast compression: packed samples hardly shrink. Owners and rights are the target's own affair.
  command.words = {programs.dump.string(),
                   "--format=custom",
                   "--compress=1",
                   "--schema=steelyard",
                   "--no-owner",
                   "--no-privileges",
                   "--snapshot=" + facts.snapshot,
                   "--file=" + file.string()};
  command.url = link.url;
  return run_dump_command(command, [&] {
    std::error_code none_yet;
    const auto written = static_cast<double>(fs::file_size(file, none_yet));
    if (!none_yet) tell(options, "dump", std::min(0.99, written / static_cast<double>(facts.bytes + 1)));
  });
}

Result<BackupManifest> describe(Transaction& transaction, const Facts& facts, const DumpPrograms& programs,
                                const fs::path& file, const BackupOptions& options) {
  BackupManifest manifest;
  manifest.tool = options.tool;
  manifest.server_version = facts.server_version;
  manifest.pg_dump = std::to_string(programs.major);
  manifest.schema_version = facts.schema_version;
  manifest.made_at_unix_s = now_unix_s();
  ContentOptions contents;
  contents.progress = [&](double part) { tell(options, "content hashes", part); };
  STEELYARD_TRY(manifest.tables, table_contents(transaction, contents));
  manifest.dump_bytes = static_cast<std::int64_t>(fs::file_size(file));
  STEELYARD_TRY(manifest.dump_sha256, sha256_of_file(file, [&](double part) { tell(options, "checksum", part); }));
  return manifest;
}

}  // namespace

Result<BackupManifest> backup_store(const StoreAddress& address, const fs::path& state, const fs::path& folder,
                                    const BackupOptions& options) {
  STEELYARD_TRY(StoreLink link, link_to_store(address, state, StoreWork::upkeep));
  STEELYARD_CHECK(prepare_session(link.session));
  STEELYARD_CHECK(check_one_server(link.session));
  // As the login itself, as pg_dump sees it: the least role may not see every row.
  link.session.act_as("");
  STEELYARD_TRY(Transaction transaction, Transaction::begin(link.session));
  STEELYARD_TRY(const Facts facts, facts_of(transaction));
  STEELYARD_TRY(const DumpPrograms programs, find_dump_programs(facts.server_major));
  const fs::path target = fs::absolute(folder).lexically_normal();
  STEELYARD_CHECK(check_place(target, facts.bytes));
  PartialFolder partial(target.string() + ".partial-" + std::to_string(getpid()));
  std::error_code trouble;
  if (!fs::create_directories(partial.path(), trouble)) {
    return input_error(partial.path().string(), trouble ? trouble.message() : "it is there already", "a new folder");
  }
  const fs::path file = partial.path() / kDumpFile;
  STEELYARD_CHECK(dump(link, facts, programs, file, options));
  STEELYARD_CHECK(flush(file));
  STEELYARD_TRY(BackupManifest manifest, describe(transaction, facts, programs, file, options));
  STEELYARD_CHECK(write_and_flush(partial.path() / kManifestFile, manifest_text(manifest)));
  fs::rename(partial.path(), target, trouble);
  if (trouble) return input_error(target.string(), trouble.message(), "a folder that does not exist yet");
  partial.keep();
  STEELYARD_CHECK(flush(target.parent_path()));
  return manifest;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLastOutputBytes = 4096;

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

std::optional<DumpPrograms> programs_in(const fs::path& folder, int major) {
  if (!is_program(folder / "pg_dump") || !is_program(folder / "pg_restore")) return std::nullopt;
  return DumpPrograms{folder / "pg_dump", folder / "pg_restore", major};
}

std::vector<std::string> environment_of(const SplitAddress& address) {
  std::vector<std::string> environment{"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool is_ours = text.starts_with("LC_ALL=") || (address.password && text.starts_with("PGPASSWORD="));
    if (!is_ours) environment.emplace_back(text);
  }
  if (address.password) environment.push_back("PGPASSWORD=" + *address.password);
  return environment;
}

}  // namespace

Result<DumpPrograms> find_dump_programs(int server_major, const fs::path& packaged, const std::string& search_path) {
  std::optional<DumpPrograms> best;
  std::error_code trouble;  // an unreadable or absent folder holds no programs
  for (fs::directory_iterator entry(packaged, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
    const std::string name = entry->path().filename().string();
    int major = 0;
    const auto [last, code] = std::from_chars(name.data(), name.data() + name.size(), major);
    if (code != std::errc() || last != name.data() + name.size() || major < server_major) continue;
    if (best && best->major <= major) continue;
    if (auto found = programs_in(entry->path() / "bin", major)) best = std::move(found);
  }
  if (best) return *best;
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!fs::path(folder).is_absolute()) continue;
    // Its version is not looked at: pg_dump itself refuses a server that is newer.
    if (auto found = programs_in(folder, server_major)) return *found;
  }
  const std::string version = std::to_string(server_major);
  return input_error("pg_dump", "none of version " + version + " or newer in " + packaged.string() + " and $PATH",
                     "PostgreSQL's client programs", "apt-get install postgresql-client-" + version);
}

Result<DumpPrograms> find_dump_programs(int server_major) {
  const char* path = std::getenv("PATH");
  return find_dump_programs(server_major, "/usr/lib/postgresql", path == nullptr ? "" : path);
}

Result<void> run_dump_command(const DumpCommand& command, const std::function<void()>& watch) {
  const std::string program = fs::path(command.words.front()).filename().string();
  STEELYARD_TRY(const SplitAddress address, split_password(command.url));
  std::vector<std::string> words = command.words;
  words.push_back("--dbname=" + address.url);
  words.emplace_back("--no-password");
  constexpr std::chrono::hours kNoLimit{24 * 365};  // a store may be large, and somebody watches
  STEELYARD_TRY(const ProgramAnswer answer,
                run_program(current_account(), words, {kNoLimit, environment_of(address), true, watch}));
  if (answer.status == 0) return {};
  const std::string last =
      answer.output.substr(answer.output.size() - std::min(answer.output.size(), kLastOutputBytes));
  return store_error(
      program, "exit status " + std::to_string(answer.status) + ": " + one_line_without_secrets(last, command.url));
}

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

// Programs of the server's version, or of that which wrote the dump where they cannot read it: looked at before
// anything is touched. Each version of pg_restore reads the files of all before it.
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
  error.fix = "nothing was touched; the dump is by pg_dump " + manifest.pg_dump + ": apt-get install " +
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
  STEELYARD_TRY(StoreLink link, link_to_store(address, state, StoreWork::upkeep));
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
  STEELYARD_CHECK(prepare_session(link.session));
  STEELYARD_CHECK(ensure_derived(link.session));
  STEELYARD_CHECK(note_restore(link.session, folder, options));
  return manifest;
}

}  // namespace steelyard::storage
