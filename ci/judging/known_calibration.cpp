#include "ci/judging/known_calibration.hpp"

#include <filesystem>
#include <utility>

#include "regress/ab/rounds.hpp"
#include "storage/calibration/calibration_file.hpp"
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

Result<KnownCalibration> KnownCalibration::of(const Configuration& configuration) {
  KnownCalibration known;
  if (configuration.policy.calibration.empty()) return known;
  known.file_ = named_file(configuration);
  STEELYARD_TRY(known.named_, read_calibration(known.file_));
  return known;
}

const Calibration* KnownCalibration::find(const Run& baseline, const Run& candidate,
                                          std::vector<std::string>& warnings) {
  const std::string fingerprint = candidate.environment.fingerprint();
  const Layout layout = mutual_layout(baseline.header, candidate.header);
  if (!named_) {
    auto at = kept_.find({fingerprint, layout});
    if (at == kept_.end()) {
      auto found = find_calibration(state_folder(), fingerprint, layout);
      at = kept_.emplace(std::pair(fingerprint, layout), std::move(found)).first;
    }
    const Result<std::optional<Calibration>>& kept = at->second;
    if (kept) return *kept ? &**kept : nullptr;
    warnings.push_back("the machine's calibration was not used: " + kept.error().text());
    return nullptr;
  }
  if (named_->fingerprint != fingerprint) {
    warnings.push_back("the calibration " + file_.string() + " was not used: it is of machine " +
                       named_->fingerprint.substr(0, 12) + ", and this was measured on " +
                       (fingerprint.empty() ? "one that is not named" : fingerprint.substr(0, 12)));
    return nullptr;
  }
  if (is_concurrent(layout) && named_->layout != layout) {
    const std::string measured(to_text(layout));
    warnings.push_back("the calibration " + file_.string() + " is of gates measured " +
                       std::string(to_text(named_->layout)) + ", and this was measured " + measured +
                       ": its noise floors and error rates may be others here; steelyard calibrate --layout " +
                       measured + " makes one that fits");
  }
  return &*named_;
}

}  // namespace steelyard
