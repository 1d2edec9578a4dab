// What a backup says of itself: manifest.json beside store.dump. It is written last, so that a folder without one is no
// backup.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/upkeep/table_contents.hpp"

namespace steelyard::storage {

inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kDumpFile = "store.dump";

struct BackupManifest {
  std::string tool;            // that wrote it: "steelyard 0.1.0"
  std::string server_version;  // of the server it is of
  std::string pg_dump;         // major version of the program
  int schema_version = 0;
  std::int64_t made_at_unix_s = 0;  // by the clock of the machine that made it
  std::int64_t dump_bytes = 0;
  std::string dump_sha256;
  std::vector<TableContent> tables;
};

std::string manifest_text(const BackupManifest& manifest);  // schema steelyard.backup/1
// `folder`: of a backup. Error (input): no such folder, no manifest in it, or not one of ours.
Result<BackupManifest> read_manifest(const std::filesystem::path& folder);
// Of its text; `name` is named in errors.
Result<BackupManifest> parse_manifest(std::string_view text, const std::string& name);
// Whether the dump beside it is the one that the manifest is of. `progress` as in BackupOptions. Error (input): cut off
// or changed.
Result<void> check_dump(const std::filesystem::path& folder, const BackupManifest& manifest,
                        const std::function<void(double)>& progress);
// SHA-256 of a file, in pieces.
Result<std::string> sha256_of_file(const std::filesystem::path& file, const std::function<void(double)>& progress);

}  // namespace steelyard::storage
