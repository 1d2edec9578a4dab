// A calibration as the JSON document steelyard.calibration/1, and back. What is absent is null, but for
// `copies` and `processes` of a benchmark, which are left out. Numbers are written
// with the digits that read back to the same double: a calibration that was kept judges as the one that was made.
#pragma once

#include <string>
#include <string_view>

#include "bench/model/calibration.hpp"
#include "bench/model/result.hpp"
#include "storage/document/json_fields.hpp"

namespace steelyard {

inline constexpr const char* kCalibrationSchema = "steelyard.calibration/1";

std::string calibration_document(const Calibration& calibration);  // a newline at the end
// `name` is named in errors. Error (input): no such document, a newer version, a field that is not as wanted.
Result<Calibration> parse_calibration(std::string_view text, const std::string& name);
// As a part of another document. Errors are that document's.
JsonWriter calibration_object(const Calibration& calibration);
Calibration read_calibration_value(const JsonValue& value);

}  // namespace steelyard
