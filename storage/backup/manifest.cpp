#include "storage/backup/manifest.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "storage/document/json.hpp"

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxManifestBytes = 1 << 20;
constexpr std::size_t kMaxTables = 1000;
constexpr std::size_t kPieceBytes = 1 << 20;

bool is_sha256(const std::string& text) { return text.size() == 64 && is_hex(text); }

}  // namespace

std::string manifest_text(const BackupManifest& manifest) {
  nlohmann::ordered_json json;
  json["schema"] = "steelyard.backup/1";
  json["tool"] = manifest.tool;
  json["server_version"] = manifest.server_version;
  json["pg_dump"] = manifest.pg_dump;
  json["schema_version"] = manifest.schema_version;
  json["made_at_unix_s"] = manifest.made_at_unix_s;
  json["dump"] = {{"file", kDumpFile}, {"bytes", manifest.dump_bytes}, {"sha256", manifest.dump_sha256}};
  json["tables"] = nlohmann::ordered_json::array();
  for (const TableContent& table : manifest.tables) {
    json["tables"].push_back({{"table", table.table}, {"rows", table.rows}, {"hash", table.hash}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<BackupManifest> read_manifest(const fs::path& folder) {
  const fs::path file = folder / kManifestFile;
  std::error_code trouble;
  const std::uintmax_t bytes = fs::file_size(file, trouble);
  if (trouble) {
    return input_error(file.string(), trouble.message(), "the manifest of a backup",
                       "a backup that was broken off has none: take another");
  }
  if (bytes > kMaxManifestBytes) {
    return input_error(file.string(), std::to_string(bytes) + " bytes", "at most " + std::to_string(kMaxManifestBytes));
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_manifest(text, file.string());
}

Result<BackupManifest> parse_manifest(std::string_view text, const std::string& name) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, name, "steelyard.backup/1"));
  const JsonValue root = document.root();
  BackupManifest manifest;
  manifest.tool = root.at("tool").text();
  manifest.server_version = root.at("server_version").text();
  manifest.pg_dump = root.at("pg_dump").text();
  manifest.schema_version = static_cast<int>(root.at("schema_version").integer(1, 1'000'000));
  manifest.made_at_unix_s = root.at("made_at_unix_s").integer(0, INT64_MAX);
  manifest.dump_bytes = root.at("dump").at("bytes").integer(0, INT64_MAX);
  manifest.dump_sha256 = root.at("dump").at("sha256").text();
  if (!is_sha256(manifest.dump_sha256)) root.at("dump").at("sha256").refuse("a SHA-256");
  for (const JsonValue& table : root.at("tables").items(kMaxTables)) {
    manifest.tables.push_back(
        {table.at("table").text(), table.at("rows").integer(0, INT64_MAX), table.at("hash").text()});
  }
  if (manifest.tables.empty()) root.at("tables").refuse("at least one table");
  STEELYARD_CHECK(document.check());
  return manifest;
}

Result<std::string> sha256_of_file(const fs::path& file, const std::function<void(double)>& progress) {
  std::error_code trouble;
  const auto size = static_cast<double>(fs::file_size(file, trouble));
  std::ifstream stream(file, std::ios::binary);
  if (trouble || !stream) {
    return input_error(file.string(), trouble ? trouble.message() : "a file that cannot be read", "the dump");
  }
  Sha256 hash;
  std::string piece(kPieceBytes, '\0');
  double done = 0;
  while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())) || stream.gcount() > 0) {
    hash.add(std::string_view(piece).substr(0, static_cast<std::size_t>(stream.gcount())));
    done += static_cast<double>(stream.gcount());
    if (progress && size > 0) progress(done / size);
  }
  if (stream.bad()) return input_error(file.string(), "an error while it was read", "the dump");
  return hash.hex();
}

Result<void> check_dump(const fs::path& folder, const BackupManifest& manifest,
                        const std::function<void(double)>& progress) {
  const fs::path file = folder / kDumpFile;
  std::error_code trouble;
  const std::uintmax_t bytes = fs::file_size(file, trouble);
  const std::string wanted = std::to_string(manifest.dump_bytes) + " bytes, as its manifest says";
  if (trouble) return input_error(file.string(), trouble.message(), wanted, "restore another backup");
  if (bytes != static_cast<std::uintmax_t>(manifest.dump_bytes)) {
    return input_error(file.string(), std::to_string(bytes) + " bytes: it is damaged", wanted,
                       "restore another backup; the store is as it was");
  }
  STEELYARD_TRY(const std::string sha256, sha256_of_file(file, progress));
  if (sha256 == manifest.dump_sha256) return {};
  return input_error(file.string(), "other contents than were written: it is damaged",
                     "SHA-256 " + manifest.dump_sha256, "restore another backup; the store is as it was");
}

}  // namespace steelyard::storage
