// A calibration as the JSON document steelyard.calibration/1, and back. What is absent is null, but for
// `copies`, `processes` and `rounds` of a benchmark, which are left out. Numbers are written
// with the digits that read back to the same double: a calibration that was kept judges as the one that was made.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/calibration.hpp"
#include "bench/model/result.hpp"
#include "storage/document/json.hpp"

namespace steelyard::storage {

inline constexpr const char* kCalibrationSchema = "steelyard.calibration/1";

std::string calibration_document(const Calibration& calibration);  // a newline at the end
// `name` is named in errors. Error (input): no such document, a newer version, a field that is not as wanted.
Result<Calibration> parse_calibration(std::string_view text, const std::string& name);
// A calibration as a part of another document, whose errors it has.
JsonWriter calibration_object(const Calibration& calibration);
Calibration read_calibration_value(const JsonValue& value);

// Where calibrations are kept: a file of its own for each machine (fingerprint) and layout, in the state folder.
//
//     STEELYARD_TRY(const auto known, find_calibration(state_folder(), fingerprint, Layout::duet));

// state/calibrations/<fingerprint>-<layout>.json. What is no letter or digit in the fingerprint becomes '_'.
std::filesystem::path calibration_file(const std::filesystem::path& state, const std::string& fingerprint,
                                       Layout layout);

// Whole or not at all; makes the folder where it is missing. Error (input): it has no fingerprint, a full disk.
Result<void> write_calibration(const std::filesystem::path& file, const Calibration& calibration);
Result<std::filesystem::path> keep_calibration(const std::filesystem::path& state, const Calibration& calibration);

// Error (input): no file, above 16 MiB, damaged, a newer version.
Result<Calibration> read_calibration(const std::filesystem::path& file);

// The layout's calibration. Where the sides of a comparison were not measured together (sequential, separate) what is
// known of the machine in any layout serves: duet before interleaved. Absent: none was ever made. Error (input): the
// file is damaged, a newer version, or another machine's.
Result<std::optional<Calibration>> find_calibration(const std::filesystem::path& state, const std::string& fingerprint,
                                                    Layout layout);

}  // namespace steelyard::storage
