// Measurements of the Timer as files that other programs, or this one tomorrow, read again: Boost.Serialization's text
// and XML archives, with class versions. A file of an older version is read for ever (tests/golden/measurements). The
// compact and checksummed form is the .syrun archive (storage/archive/measurement_file.hpp).
//
//     STEELYARD_CHECK(write_measurements("before.xml", {before}, MeasurementFormat::xml));
//     STEELYARD_TRY(const auto all, read_measurements("before.xml"));
//
// What a file claims is never allocated ahead of what stands in it: a bad one costs memory in
// proportion to its own length, and yields one Error (input) that names it, no half-read list. No Boost header comes
// along.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard {

enum class MeasurementFormat { text, xml };

struct MeasurementLimits {
  std::int64_t file_bytes = std::int64_t{64} << 20U;
};

// Error (input): a measurement with a flaw(); its title and the flaw are named.
Result<std::string> encode_measurements(const std::vector<TaskMeasurement>& measurements, MeasurementFormat format);

// Either format; told by how it opens. `name` is the file's, for messages.
Result<std::vector<TaskMeasurement>> decode_measurements(std::string_view bytes, std::string_view name,
                                                         const MeasurementLimits& limits = {});

// True for what opens like a file of encode_measurements(), damaged or not.
bool opens_like_measurements(std::string_view bytes);

// Written beside the target and renamed into place.
Result<void> write_measurements(const std::filesystem::path& path, const std::vector<TaskMeasurement>& measurements,
                                MeasurementFormat format);
Result<std::vector<TaskMeasurement>> read_measurements(const std::filesystem::path& path,
                                                       const MeasurementLimits& limits = {});

}  // namespace steelyard
