// A run as the bytes of an archive's payload, and back. Not compressed, not checksummed: that is the container's.
// Internal to storage/archive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// Of what encode_payload() writes. Rises with every change of what is archived.
std::uint32_t payload_version();

std::string encode_payload(const Run& run);

// Error (input): damaged, written by a newer version, or with parts that point nowhere; `name` is the file's, the
// offset counts the bytes of the payload.
Result<Run> decode_payload(std::string_view payload, std::string_view name);

// The header of a payload of which only the beginning is there. Absent where decode_payload() has to say what is wrong,
// or where the beginning is too short.
std::optional<RunHeader> decode_header(std::string_view beginning);

// Error (bug) where some part of the run points to another that is not there, or lacks what every reader may rely on: a
// run that decode_payload() would refuse.
Result<void> check_run(const Run& run, std::string_view name);

}  // namespace steelyard
