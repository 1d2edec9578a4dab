// The main of a device program: lists, or has the benchmarks measured in processes of their own and writes the result.
// What touches a device is handed in, so that all the rest runs, and is tested, without one.
//
//     int main(int argc, char** argv) {
//       return run_device_program({.name = "my_suite", .suite = suite, .work = measure_cases, .list_devices = ...},
//                                 {argv + 1, argv + argc});
//     }
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/cuda/device_options.hpp"
#include "bench/cuda/device_suite.hpp"

namespace steelyard::cuda {

enum DeviceExit : int {
  kDone = 0,        // rows were written, failed ones among them perhaps
  kBadInput = 3,    // the command line
  kNotWritten = 4,  // the result could not be written
  kNoDevice = 6,    // no driver, no device, or one that this program cannot use
};

struct DeviceProgram {
  std::string name;
  const DeviceSuite& suite;
  // In a process of its own: measures the cases from options.worker_first on, and reports to options.worker_report.
  std::function<int(const DeviceOptions&, const std::vector<DeviceCase>&)> work;
  std::function<int()> list_devices;
};

// The process's exit status. Errors go to stderr, in one sentence each.
int run_device_program(const DeviceProgram& program, const std::vector<std::string>& arguments);

}  // namespace steelyard::cuda
