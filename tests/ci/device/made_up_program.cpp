// Stands for a benchmark program of a device: takes the options of Google Benchmark that steelyard uses and writes
// made-up figures. What differs between two builds of it is in made_up_variant.cpp.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/ci/device/device_json.hpp"
#include "tests/ci/device/made_up_variant.hpp"

// How steelyard knows it without a library of the device's.
__attribute__((section(".steelyard_device"), used)) const char kUsesADevice[] = "made up";

namespace {

using steelyard::testkit::kMadeUpVariant;
using steelyard::testkit::MadeUpKernel;

std::vector<MadeUpKernel> kernels() {
  MadeUpKernel product{"matmul/dtype:bf16/n:1024", kMadeUpVariant.ns, 6.3e6, 2.1e9, "", kMadeUpVariant.clock, 70500, 1};
  product.label = std::string("kernels: ") + kMadeUpVariant.kernel + ";stopped: relative deviation";
  MadeUpKernel add{"add/dtype:f32/n:65536", 4000, 786432, 65536, "", 1.41e9, 5640, 1};
  add.label = "kernels: add_f32";
  return {product, add};
}

std::string value_of(const std::string& argument, const std::string& name) {
  return argument.rfind(name + '=', 0) == 0 ? argument.substr(name.size() + 1) : "";
}

}  // namespace

int main(int argc, char** argv) {
  std::string filter = ".";
  std::string out;
  bool lists = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (const std::string value = value_of(argument, "--benchmark_filter"); !value.empty()) filter = value;
    if (const std::string value = value_of(argument, "--benchmark_out"); !value.empty()) out = value;
    if (argument == "--benchmark_list_tests" || argument == "--benchmark_list_tests=true") lists = true;
    if (argument == "--benchmark_list_tests=false") lists = false;
  }
  std::vector<MadeUpKernel> chosen;
  for (const MadeUpKernel& kernel : kernels()) {
    if (std::regex_search(kernel.name, std::regex(filter))) chosen.push_back(kernel);
  }
  if (chosen.empty()) {
    std::fprintf(stderr, "Failed to match any benchmarks against regex: %s\n", filter.c_str());
    return 0;
  }
  if (lists) {
    for (const MadeUpKernel& kernel : chosen) std::puts(kernel.name.c_str());
    return 0;
  }
  steelyard::testkit::MadeUpDevice device;
  device.uuid = kMadeUpVariant.uuid;
  // Processes differ a little, as on a device; by less than what would show in three digits of a change.
  const double factor = 1 + 0.00005 * static_cast<double>(::getpid() % 7 - 3);
  std::ofstream(out) << steelyard::testkit::made_up_file(device, chosen, factor);
  return 0;
}
