// The header lines of one part of a callgrind.out file ("events: Ir Dr", "positions: line", "cmd: ./program").
#pragma once

#include <cstddef>
#include <string_view>

#include "bench/counting/callgrind_reader.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

// Callgrind has 17 events with everything switched on.
constexpr std::size_t kMaximumCallgrindEvents = 64;

// Takes what one line says into `part`; a key that the format does not document is kept in other_headers. Error (input,
// without a place): a value that the key cannot have.
Result<void> read_callgrind_header(std::string_view key, std::string_view value, CallgrindPart& part);

}  // namespace steelyard
