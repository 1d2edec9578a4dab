// Where calibrations are kept: a file of its own for each machine (fingerprint) and layout, in the state folder.
//
//     STEELYARD_TRY(const auto known, find_calibration(state_folder(), fingerprint, Layout::duet));
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/model/calibration.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

// state/calibrations/<fingerprint>-<layout>.json. What is no letter or digit in the fingerprint becomes '_'.
std::filesystem::path calibration_file(const std::filesystem::path& state, const std::string& fingerprint,
                                       Layout layout);

// Whole or not at all; makes the folder where it is missing. Error (input): it has no fingerprint, a full disk.
Result<void> write_calibration(const std::filesystem::path& file, const Calibration& calibration);
Result<std::filesystem::path> keep_calibration(const std::filesystem::path& state, const Calibration& calibration);

// Error (input): no file, above 16 MiB, damaged, a newer version.
Result<Calibration> read_calibration(const std::filesystem::path& file);

// That of the layout. Where the sides of a comparison were not measured together (sequential, separate) what is known
// of the machine in any layout serves: duet before interleaved. Absent: none was ever made. Error (input): the file is
// damaged, a newer version, or another machine's.
Result<std::optional<Calibration>> find_calibration(const std::filesystem::path& state, const std::string& fingerprint,
                                                    Layout layout);

}  // namespace steelyard
