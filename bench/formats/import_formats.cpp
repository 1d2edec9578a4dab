#include "bench/formats/import_formats.hpp"

#include <array>

#include "bench/formats/google_benchmark.hpp"

namespace steelyard {

std::span<const ImportFormat> import_formats() {
  static constexpr std::array kFormats{
      ImportFormat{"google-benchmark", "JSON of Google Benchmark, or a folder with a file for each process",
                   load_google_benchmark},
  };
  return kFormats;
}

}  // namespace steelyard
