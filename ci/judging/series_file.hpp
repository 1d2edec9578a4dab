// Reads plain series of numbers from JSON: one object, or an array of them.
//
//     {"name": "parse", "unit": "ns", "better": "lower", "commits": ["a1", "b2"], "values": [101.5, [103, 104, 102]]}
//
// `values` holds numbers, arrays of samples, or null for a gap; NaN and Infinity, which are no JSON but which many
// programs write, are read as absent. `commits` and `machines` are optional and as long as `values`; `metric`, `unit`
// and `better` are optional. Keys that are not known are left alone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/series.hpp"

namespace steelyard::ci {

// More than anyone keeps in one file, less than would fill the memory of a small machine.
inline constexpr std::size_t kMaxSeriesFileBytes = std::size_t{256} << 20;
inline constexpr std::size_t kMaxSeries = 1'000'000;

// `name` is for messages. Errors (input): not JSON, with the byte; a value that is no number, a list of another length,
// each with its place: "FILE: series 2 (parse): values[17]".
Result<std::vector<Series>> parse_series(std::string_view json, const std::string& name);

// "-": the stream.
Result<std::vector<Series>> read_series_file(const std::filesystem::path& file, std::istream& in);

}  // namespace steelyard::ci
