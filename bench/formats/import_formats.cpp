#include "bench/formats/import_formats.hpp"

#include <array>

#include "bench/formats/google_benchmark.hpp"

namespace steelyard {

// Each defined by the file of its name.
Result<Run> load_hyperfine(const std::filesystem::path& path, std::vector<std::string>& warnings);

std::span<const ImportFormat> import_formats() {
  static constexpr std::array kFormats{
      ImportFormat{"google-benchmark", "JSON of Google Benchmark, or a folder with a file for each process",
                   load_google_benchmark},
      ImportFormat{"hyperfine", "JSON of hyperfine --export-json", load_hyperfine},
  };
  return kFormats;
}

}  // namespace steelyard
