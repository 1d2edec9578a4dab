// Measurements of the harness's Timer as a .syrun file: the container of the runs, with another kind of payload, so
// that one is never taken for the other. Magic, checksum, bounds and portability are those of archive.hpp. For files
// that people read or other programs parse, see bench/harness/measurement_archive.hpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/task_measurement.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {

// Precondition: none has a flaw().
std::string encode_measurement_file(const std::vector<TaskMeasurement>& measurements);
Result<std::vector<TaskMeasurement>> decode_measurement_file(std::string_view bytes, std::string_view name,
                                                             const ArchiveLimits& limits = {});

// True for an undamaged .syrun file that holds measurements and not a run.
bool holds_measurements(std::string_view bytes);

// As write_archive() and read_archive(). Error (input) also: a measurement with a flaw().
Result<void> write_measurement_file(const std::filesystem::path& path,
                                    const std::vector<TaskMeasurement>& measurements);
Result<std::vector<TaskMeasurement>> read_measurement_file(const std::filesystem::path& path,
                                                           const ArchiveLimits& limits = {});

}  // namespace steelyard
