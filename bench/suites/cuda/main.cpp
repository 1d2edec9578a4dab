// steelyard_cuda_suite: measures on one device and writes what Google Benchmark would have written.
#include <cublasLt.h>

#include <string>
#include <vector>

#include "bench/cuda/device_program.hpp"
#include "bench/cuda/measure_cases.hpp"
#include "bench/suites/cuda/suite.hpp"

namespace {

using namespace steelyard;

// By this section `steelyard` knows that two copies of the program must not run side by side: they would share the
// device.
__attribute__((section(".steelyard_device"), used)) const char kDeviceMark[] = "cuda";

// "13.0.2" of 130002.
std::string cublas_version() {
  const std::size_t version = cublasLtGetVersion();
  return std::to_string(version / 10000) + '.' + std::to_string(version % 10000 / 100) + '.' +
         std::to_string(version % 100);
}

}  // namespace

int main(int argc, char** argv) {
  asm volatile("" : : "r"(kDeviceMark));  // or the linker leaves it out
  const cuda::DeviceSuite suite = cuda_suite::make_suite();
  return cuda::run_device_program(
      {.name = "steelyard_cuda_suite",
       .suite = suite,
       .work =
           [](const cuda::DeviceOptions& options, const std::vector<cuda::DeviceCase>& cases) {
             return cuda::measure_cases(options, cases, {{"gpu.cublas", cublas_version()}});
           },
       .list_devices = cuda::list_devices,
       .profile = cuda::profile_cases},
      {argv + 1, argv + argc});
}
