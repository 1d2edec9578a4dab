// Measurements of the harness's Timer as a .syrun file: the container of the runs, with another kind of payload, so
// that one is never taken for the other. Magic, checksum, bounds and portability are those of archive.hpp. For files
// that people read or other programs parse, see bench/harness/measurement_archive.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/task_measurement.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::storage {

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

// Measurements of the harness as the bytes of an archive's payload, and back.
// Internal to storage/archive.

// Rises with every change of what is archived.
std::uint32_t measurement_payload_version();

std::string encode_measurement_payload(const std::vector<TaskMeasurement>& measurements);

// Error (input): damaged, newer, or a measurement with a flaw(). `name` is the file's.
Result<std::vector<TaskMeasurement>> decode_measurement_payload(std::string_view payload, std::string_view name,
                                                                const ArchiveLimits& limits = {});

}  // namespace steelyard::storage
