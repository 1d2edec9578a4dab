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
#include "bench/cuda/supervise.hpp"

namespace steelyard::cuda {

// The finished result of a device program: Google Benchmark's JSON, and a table for people.

struct ResultHeader {
  std::string date;  // "2026-11-22T07:30:00+00:00"
  std::string host_name;
  std::string executable;
  int cpus = 0;
};
// Of this moment and machine.
ResultHeader result_header(const std::string& executable);

std::string result_json(const ResultHeader& header, const Facts& facts, const std::vector<FinishedRow>& rows);

// One line a row: cold and hot time, rates, samples; under it why a row has none.
std::string result_table(const std::vector<FinishedRow>& rows);

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
  // In this process: plain iterations of the cases, recorded into options.profile. Empty: the program takes no
  // --steelyard_profile.
  std::function<int(const DeviceOptions&, const std::vector<DeviceCase>&)> profile = nullptr;
};

// The process's exit status. Errors go to stderr, in one sentence each.
int run_device_program(const DeviceProgram& program, const std::vector<std::string>& arguments);

}  // namespace steelyard::cuda
