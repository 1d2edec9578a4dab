// Writes the fixtures of tests/golden/measurements: write_sample_measurements FOLDER VERSION. Run it when a class
// version rises, and keep the older files.
#include <cstdio>
#include <filesystem>
#include <string>

#include "bench/harness/measurement_archive.hpp"
#include "storage/archive/measurement_file.hpp"
#include "tests/bench/harness/sample_measurements.hpp"

int main(int argc, char** argv) {
  using namespace steelyard;
  if (argc != 3) return 3;
  const std::filesystem::path stem = std::filesystem::path(argv[1]) / argv[2];
  const auto list = sample_measurements();
  for (const auto& written : {write_measurements(stem.string() + ".txt", list, MeasurementFormat::text),
                              write_measurements(stem.string() + ".xml", list, MeasurementFormat::xml),
                              storage::write_measurement_file(stem.string() + ".syrun", list)}) {
    if (written) continue;
    std::fprintf(stderr, "%s\n", written.error().text().c_str());
    return 4;
  }
  return 0;
}
