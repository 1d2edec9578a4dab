// The readers of other tools' results, one row each. Where results come from is theirs alone: `steelyard import`, its
// help and its messages follow from the rows.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

struct ImportFormat {
  std::string_view name;  // as people type it: "google-benchmark"
  std::string_view what;  // "JSON of Google Benchmark, or a folder with a file for each process"
  // A record that cannot be used is a failure of the run and a warning, and the rest is read. Error (input): no such
  // file, another format, above the reader's limits.
  Result<Run> (*load)(const std::filesystem::path& path, std::vector<std::string>& warnings);
};

std::span<const ImportFormat> import_formats();

}  // namespace steelyard
