#include "bench/formats/google_benchmark_side.hpp"

#include <algorithm>
#include <fstream>

#include "bench/model/sha256.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 10'000;
constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{256} << 20;
constexpr std::uintmax_t kMostFolderBytes = std::uintmax_t{4} << 30;

Error cannot_read(const fs::path& path, const std::string& why) {
  return input_error(path.string(), why, "a readable Google Benchmark JSON file or a folder of them", "");
}

Result<std::string> read_whole(const fs::path& path) {
  std::error_code code;
  const std::uintmax_t size = fs::file_size(path, code);
  if (code) return cannot_read(path, code.message());
  if (size > kMostFileBytes) {
    return input_error(path.string(), std::to_string(size) + " bytes", "at most " + std::to_string(kMostFileBytes),
                       "split it with --benchmark_filter");
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!in) return cannot_read(path, "a file that could not be read to its end");
  return bytes;
}

Result<std::vector<fs::path>> files_of(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::uintmax_t bytes = 0;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() != ".json" || entry->is_directory(code)) continue;
    paths.push_back(entry->path());
    std::error_code unsized;
    const std::uintmax_t size = entry->file_size(unsized);
    bytes += unsized ? 0 : size;
    if (paths.size() > kMostFiles || bytes > kMostFolderBytes) {
      return input_error(
          folder.string(), std::to_string(paths.size()) + " files of " + std::to_string(bytes) + " bytes",
          "at most " + std::to_string(kMostFiles) + " files of " + std::to_string(kMostFolderBytes) + " bytes together",
          "move some of them to another folder");
    }
  }
  if (code) return cannot_read(folder, code.message());
  if (paths.empty()) {
    return input_error(folder.string(), "a folder without .json files", "one Google Benchmark JSON file per invocation",
                       "write them with --benchmark_out=FOLDER/N.json --benchmark_out_format=json");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Result<GoogleBenchmarkSide> load_side(const fs::path& path) {
  GoogleBenchmarkSide side{path, false, {}};
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) {
    return input_error(path.string(), "no such file", "a Google Benchmark JSON file or a folder of them", "");
  }
  side.is_folder = fs::is_directory(status);
  std::vector<fs::path> paths{path};
  if (side.is_folder) {
    STEELYARD_TRY(paths, files_of(path));
  } else if (!fs::is_regular_file(status)) {
    return cannot_read(path, "neither a file nor a folder");
  }
  for (const fs::path& file : paths) {
    STEELYARD_TRY(const std::string bytes, read_whole(file));
    STEELYARD_TRY(GoogleBenchmarkFile content, parse_google_benchmark(bytes, file.string()));
    side.files.push_back({file.filename().string(), sha256_hex(bytes), std::move(content)});
  }
  return side;
}

}  // namespace steelyard
