#include "ci/judging/known_calibration.hpp"

#include <filesystem>
#include <utility>

#include "regress/ab/rounds.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard {
namespace {

// A path of steelyard.toml is relative to that file, one of the command line to the current folder.
std::filesystem::path named_file(const Configuration& configuration) {
  const std::filesystem::path path(configuration.policy.calibration);
  const bool from_file = !configuration.policy.calibration_where.starts_with("--");
  return from_file && path.is_relative() ? configuration.root / path : path;
}

}  // namespace

Result<std::optional<Calibration>> known_calibration(const Configuration& configuration, const Run& baseline,
                                                     const Run& candidate, std::vector<std::string>& warnings) {
  const std::string fingerprint = candidate.environment.fingerprint();
  if (configuration.policy.calibration.empty()) {
    const Layout layout = mutual_layout(baseline.header, candidate.header);
    auto kept = find_calibration(state_folder(), fingerprint, layout);
    if (kept) return std::move(kept).value();
    warnings.push_back("the machine's calibration was not used: " + kept.error().text());
    return std::optional<Calibration>();
  }
  const std::filesystem::path file = named_file(configuration);
  STEELYARD_TRY(Calibration calibration, read_calibration(file));
  if (calibration.fingerprint == fingerprint) {
    const Layout layout = mutual_layout(baseline.header, candidate.header);
    if (is_concurrent(layout) && calibration.layout != layout) {
      const std::string measured(to_text(layout));
      warnings.push_back("the calibration " + file.string() + " is of gates measured " +
                         std::string(to_text(calibration.layout)) + ", and this was measured " + measured +
                         ": its noise floors and error rates may be others here; steelyard calibrate --layout " +
                         measured + " makes one that fits");
    }
    return std::optional(std::move(calibration));
  }
  warnings.push_back("the calibration " + file.string() + " was not used: it is of machine " +
                     calibration.fingerprint.substr(0, 12) + ", and this was measured on " +
                     (fingerprint.empty() ? "one that is not named" : fingerprint.substr(0, 12)));
  return std::optional<Calibration>();
}

Result<void> check_named_calibration(const Configuration& configuration) {
  if (configuration.policy.calibration.empty()) return {};
  STEELYARD_CHECK(read_calibration(named_file(configuration)));
  return {};
}

}  // namespace steelyard
