#include "storage/archive/container.hpp"
#include "storage/backup/manifest.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison/history_document.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {

BrokenClaim broken_claim_about_comparison(const std::string& text) {
  storage::comparison_version(text);
  const Result<Comparison> read = storage::parse_comparison(text, "file");
  if (!read) return broken_claim_about_error(read.error());
  const std::string written = storage::comparison_document(*read);
  const Result<Comparison> again = storage::parse_comparison(written, "file");
  if (!again) return "a comparison can be written and read: " + again.error().text();
  if (*again != *read) return "a comparison is the same after it was written";
  if (storage::comparison_document(*again) != written) return "a comparison is written in one way";
  const Result<Comparison> kept = storage::as_kept(*read);
  if (!kept || *kept != *read) return "what was read is as it is kept";
  if (storage::comparison_id(*again) != storage::comparison_id(*read)) return "a comparison has one identity";
  return std::nullopt;
}

BrokenClaim broken_claim_about_calibration(const std::string& text) {
  const Result<Calibration> read = storage::parse_calibration(text, "file");
  if (!read) return broken_claim_about_error(read.error());
  const Result<Calibration> again = storage::parse_calibration(storage::calibration_document(*read), "file");
  if (!again) return "a calibration can be written and read: " + again.error().text();
  if (*again != *read) return "a calibration is the same after it was written";
  // A fingerprint that a stranger chose leads nowhere else.
  const std::filesystem::path folder = "/state";
  const std::filesystem::path place = storage::calibration_file(folder, read->fingerprint, read->layout);
  if (place.lexically_normal().parent_path() != folder / "calibrations") return "a calibration has its place";
  return std::nullopt;
}

BrokenClaim broken_claim_about_judged_history(const std::string& text) {
  const storage::PackedHistory packed{storage::compress(text), static_cast<std::int64_t>(text.size())};
  const Result<JudgedHistory> read = storage::unpack_history(packed, "file");
  if (!read) return broken_claim_about_error(read.error());
  const Result<storage::PackedHistory> written = storage::pack_history(*read);
  if (!written) return "a history can be packed: " + written.error().text();
  const Result<JudgedHistory> again = storage::unpack_history(*written, "file");
  if (!again) return "a history that was packed can be read: " + again.error().text();
  if (*again != *read) return "a history is the same after it was packed";
  return std::nullopt;
}

BrokenClaim broken_claim_about_backup_manifest(const std::string& text) {
  const Result<storage::BackupManifest> read = storage::parse_manifest(text, "file");
  if (!read) return broken_claim_about_error(read.error());
  if (read->tables.empty() || read->dump_bytes < 0) return "a manifest is of a dump of tables";
  const std::string written = storage::manifest_text(*read);
  const Result<storage::BackupManifest> again = storage::parse_manifest(written, "file");
  if (!again) return "a manifest can be written and read: " + again.error().text();
  if (storage::manifest_text(*again) != written) return "a manifest is the same after it was written";
  return std::nullopt;
}

}  // namespace steelyard::testkit
