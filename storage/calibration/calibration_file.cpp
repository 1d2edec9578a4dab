#include "storage/calibration/calibration_file.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <vector>

#include "storage/calibration/calibration_document.hpp"
#include "storage/place/whole_file.hpp"

namespace steelyard {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;

std::string file_name(const std::string& fingerprint) {
  std::string name = fingerprint;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_plain(c); }, '_');
  return name;
}

}  // namespace

std::filesystem::path calibration_file(const std::filesystem::path& state, const std::string& fingerprint,
                                       Layout layout) {
  return state / "calibrations" / (file_name(fingerprint) + '-' + std::string(to_text(layout)) + ".json");
}

Result<void> write_calibration(const std::filesystem::path& file, const Calibration& calibration) {
  std::error_code code;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), code);
  if (code) return input_error(file.parent_path().string(), code.message(), "a folder for calibrations");
  return write_file(file, calibration_document(calibration));
}

Result<std::filesystem::path> keep_calibration(const std::filesystem::path& state, const Calibration& calibration) {
  if (calibration.fingerprint.empty()) {
    return input_error("calibration", "no fingerprint of the machine", "one", "write it to a file: --output FILE");
  }
  const std::filesystem::path file = calibration_file(state, calibration.fingerprint, calibration.layout);
  STEELYARD_CHECK(write_calibration(file, calibration));
  return file;
}

Result<Calibration> read_calibration(const std::filesystem::path& file) {
  STEELYARD_TRY(const std::string text, read_file(file, kMostBytes));
  return parse_calibration(text, file.string());
}

Result<std::optional<Calibration>> find_calibration(const std::filesystem::path& state, const std::string& fingerprint,
                                                    Layout layout) {
  if (fingerprint.empty()) return std::optional<Calibration>();
  std::vector<Layout> layouts{layout};
  if (!is_concurrent(layout)) layouts = {layout, Layout::duet, Layout::interleaved};
  for (const Layout wanted : layouts) {
    const std::filesystem::path file = calibration_file(state, fingerprint, wanted);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    STEELYARD_TRY(Calibration calibration, read_calibration(file));
    if (calibration.fingerprint != fingerprint) {
      return input_error(file.string(), "the calibration of machine " + calibration.fingerprint.substr(0, 12),
                         "that of " + fingerprint.substr(0, 12), "remove the file and run steelyard calibrate");
    }
    return std::optional(std::move(calibration));
  }
  return std::optional<Calibration>();
}

}  // namespace steelyard
