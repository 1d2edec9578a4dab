// The calibration that the comparisons of one command are told of: the file that the policy names, else the one kept
// for the machine. However often a measurement is looked at, each file is read once.
//
//     STEELYARD_TRY(KnownCalibration known, KnownCalibration::of(configuration));   // before anything is measured
//     compare_runs(baseline, candidate, policy, known.find(baseline, candidate, warnings));
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

class KnownCalibration {
 public:
  // Error (input): the named file is absent, damaged or of a newer version.
  static Result<KnownCalibration> of(const Configuration& configuration);

  // Null: none is known of the candidate's machine and the two runs' layout. A named file of another machine is not
  // used, and one in the state folder that cannot be read neither: `warnings` says so. It says, too, where a named file
  // is of another concurrent layout; that one is used. Valid as long as this object.
  const Calibration* find(const Run& baseline, const Run& candidate, std::vector<std::string>& warnings);

 private:
  std::filesystem::path file_;                                                         // that the policy names
  std::optional<Calibration> named_;                                                   // what it holds
  std::map<std::pair<std::string, Layout>, Result<std::optional<Calibration>>> kept_;  // by fingerprint
};

}  // namespace steelyard
