// The command line of a device program: the part of Google Benchmark's that Steelyard uses, and what a device needs
// besides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/cuda/device_suite.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

struct DeviceOptions {
  bool help = false;
  bool list_tests = false;
  std::string filter;  // a regular expression; "-" before it: those that do not match
  CaseChoice choice;
};

// Without the program's name. Error (input): an option that is none, with its value as it was found.
Result<DeviceOptions> parse_device_options(const std::vector<std::string>& arguments);

// For --help.
std::string device_options_help(const std::string& program);

// The cases whose name the filter matches, anywhere in it, as Google Benchmark has it. Error (input): no expression.
Result<std::vector<DeviceCase>> matching(std::vector<DeviceCase> cases, const std::string& filter);

}  // namespace steelyard::cuda
