#include "storage/backup/backup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <utility>

#include "storage/backup/dump_program.hpp"
#include "storage/embedded/store_link.hpp"
#include "storage/place/file_descriptor.hpp"
#include "storage/postgres/access/login.hpp"
#include "storage/postgres/distributed/distribute.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {
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

// Also makes the transaction one that sees this moment's rows until it ends.
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
  manifest.made_at_unix_s =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
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
  STEELYARD_TRY(StoreLink link, link_to_store(address, state));
  STEELYARD_CHECK(make_ready(link.session));
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

}  // namespace steelyard
