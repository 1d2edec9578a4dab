// One side of a comparison as its files hold it: a single Google Benchmark JSON file, or a folder with one for each
// invocation. What the files mean for each other (rounds, layout) is google_benchmark_pair's. Internal to
// bench/formats.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/formats/google_benchmark.hpp"

namespace steelyard {

struct LoadedFile {
  std::string name;  // of the file without its folder: what pairs it
  std::string sha256;
  GoogleBenchmarkFile content;
};

struct GoogleBenchmarkSide {
  std::filesystem::path path;
  bool is_folder = false;
  std::vector<LoadedFile> files;  // by name
};

// Reads every .json file of a folder, by name; at most 10,000 files of 4 GiB together. Error (input): there is none,
// one of them cannot be read or is no Google Benchmark file.
Result<GoogleBenchmarkSide> load_side(const std::filesystem::path& path);

}  // namespace steelyard
