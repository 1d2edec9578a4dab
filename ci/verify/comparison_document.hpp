// Reads the interface steelyard.comparison/1 back: what compare, ab and gate wrote with --json, or beside the archives.
// Bounded; for replay, so what a replay computes itself (the summary, targets) is not read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

// `name` is named in errors. Error (input): no such document, a newer version, a field that is not as wanted.
Result<Comparison> parse_comparison(std::string_view text, const std::string& name);
// Error (input) also: no file, above 256 MiB.
Result<Comparison> read_comparison(const std::filesystem::path& file);

}  // namespace steelyard
