// The calibration that a comparison is told of: the file that the policy names, else the one kept for this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

// Absent: none is known of the candidate's machine and the two runs' layout. A named file of another machine is not
// used, and one in the state folder that cannot be read neither: `warnings` says so. It says, too, where a named file
// is of another concurrent layout; that one is used. Error (input): the named file is absent, damaged or of a newer
// version.
Result<std::optional<Calibration>> known_calibration(const Configuration& configuration, const Run& baseline,
                                                     const Run& candidate, std::vector<std::string>& warnings);

// For verbs to find out before they measure. Error (input): as above.
Result<void> check_named_calibration(const Configuration& configuration);

}  // namespace steelyard
