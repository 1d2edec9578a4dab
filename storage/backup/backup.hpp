// A store as a folder on disk, and back: what pg_dump wrote (custom format), and a manifest with the number of rows and
// a content hash of every table as they were in the same snapshot. A restored store is held to that manifest before
// anybody hears that it is restored.
//
//     STEELYARD_TRY(const BackupManifest made, backup_store(address, state, "/backup/monday", options));
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/backup/manifest.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::storage {

struct BackupOptions {
  std::string tool;  // name and version of the program
  std::string who;   // for the audit trail
  // Told what is being done and the part of it that is done, from 0 to 1; empty: nobody.
  std::function<void(const std::string& what, double part)> progress{};
};

// Into `folder`, which must not exist or be empty; nothing is there until all of it is. Writers are not held up.
// Errors: input where the place, the room on the disk or pg_dump is missing; store.
Result<BackupManifest> backup_store(const StoreAddress& address, const std::filesystem::path& state,
                                    const std::filesystem::path& folder, const BackupOptions& options);

// Into a store that holds no run and no comparison. All or nothing: after an error the store is empty as before. The
// schema is brought up to date afterwards. Errors: input where the backup is damaged, newer than the program, or the
// store is not empty; store.
Result<BackupManifest> restore_store(const StoreAddress& address, const std::filesystem::path& state,
                                     const std::filesystem::path& folder, const BackupOptions& options);

// PostgreSQL's pg_dump and pg_restore: where they are, and running one to its end with somebody watching. Found, not
// demanded. Passwords go through the child's environment, never its command line.

struct DumpPrograms {
  std::filesystem::path dump;
  std::filesystem::path restore;
  int major = 0;
};

// Of the server's own major version, else the next newer one: an older pg_dump refuses the server, and what a newer one
// writes an older server may not understand. Looks in `packaged`/N/bin (Debian's /usr/lib/postgresql), then in the
// folders of `search_path`. Error (input): there is none; it names the package.
Result<DumpPrograms> find_dump_programs(int server_major, const std::filesystem::path& packaged,
                                        const std::string& search_path);
// On this machine: /usr/lib/postgresql and $PATH.
Result<DumpPrograms> find_dump_programs(int server_major);

struct DumpCommand {
  std::vector<std::string> words;  // the program's full path first
  std::string url;                 // given as --dbname; its password through the environment
};
// Ends with us: a killed steelyard leaves no pg_dump behind. `watch` is called about ten times a second. Error (store):
// it failed; with its own last words, and no password in them.
Result<void> run_dump_command(const DumpCommand& command, const std::function<void()>& watch);

}  // namespace steelyard::storage
