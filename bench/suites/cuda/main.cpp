// steelyard_cuda_suite: measures on one device and writes what Google Benchmark would have written.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cuda/device_options.hpp"
#include "bench/suites/cuda/suite.hpp"

namespace {

using namespace steelyard;

int fail(const Error& error) {
  std::fprintf(stderr, "steelyard_cuda_suite: %s\n", error.text().c_str());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = cuda::parse_device_options({argv + 1, argv + argc});
  if (!options) return fail(options.error());
  if (options->help) {
    std::fputs(cuda::device_options_help("steelyard_cuda_suite").c_str(), stdout);
    return 0;
  }
  auto cases = cuda_suite::make_suite().cases(options->choice);
  if (!cases) return fail(cases.error());
  const auto chosen = cuda::matching(std::move(cases).value(), options->filter);
  if (!chosen) return fail(chosen.error());
  if (chosen->empty()) std::fputs("Failed to match any benchmarks against the filter\n", stderr);
  for (const cuda::DeviceCase& one : *chosen) std::printf("%s\n", one.name.c_str());
  return 0;
}
