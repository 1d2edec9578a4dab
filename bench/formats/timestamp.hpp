// Reads the date and time that benchmark programs print: ISO 8601, to the second or finer, with or without an offset
// from UTC. Not a general date parser: no week dates, no month names.
//
//     parse_timestamp("2026-11-21T08:51:57+00:00")  // 1795251117000000000
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steelyard {

// Nanoseconds since 1970-01-01T00:00:00Z. The date and the time may be parted by 'T' or a blank (Google Benchmark
// before 1.5.1 wrote "2019-08-23 11:12:13"); without an offset the text is taken as UTC. Digits beyond the ninth of a
// fraction are dropped. Absent where the text is anything else, names no real day, or lies outside of 1970 to 2261.
std::optional<std::int64_t> parse_timestamp(std::string_view text);

}  // namespace steelyard
