// Measurements of the harness as the bytes of an archive's payload, and back: what run_payload.hpp is for runs.
// Internal to storage/archive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard {

// Rises with every change of what is archived.
std::uint32_t measurement_payload_version();

std::string encode_measurement_payload(const std::vector<TaskMeasurement>& measurements);

// Error (input): damaged, newer, or a measurement with a flaw(). `name` is the file's.
Result<std::vector<TaskMeasurement>> decode_measurement_payload(std::string_view payload, std::string_view name);

}  // namespace steelyard
