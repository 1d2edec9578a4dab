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

namespace steelyard::bench {

struct ImportFormat {
  std::string_view name;  // as people type it: "google-benchmark"
  std::string_view what;  // "JSON of Google Benchmark, or a folder with a file for each process"
  // Members that the outermost object of its JSON has, blanks between them: by these a file is recognised.
  std::string_view members;
  // A record that cannot be used is a failure of the run and a warning, and the rest is read. Error (input): no such
  // file, another format, above the reader's limits.
  Result<Run> (*load)(const std::filesystem::path& path, std::vector<std::string>& warnings);
};

std::span<const ImportFormat> import_formats();

// The row that a file is of; of a folder the one of its first .json file by name. Linear in the file. Error (input): no
// such file, or of none of them.
Result<const ImportFormat*> recognise_format(const std::filesystem::path& path);

}  // namespace steelyard::bench
