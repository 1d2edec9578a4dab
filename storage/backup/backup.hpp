// A store as a folder on disk, and back: what pg_dump wrote (custom format), and a manifest with the number of rows and
// a content hash of every table as they were in the same snapshot. A restored store is held to that manifest before
// anybody hears that it is restored.
//
//     STEELYARD_TRY(const BackupManifest made, backup_store(address, state, "/backup/monday", options));
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "bench/model/result.hpp"
#include "storage/backup/manifest.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard {

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

}  // namespace steelyard
