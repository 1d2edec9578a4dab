// The command line of a device program: the part of Google Benchmark's that Steelyard uses, so that `steelyard run`,
// `ab` and `gate` take such a program as any other, and what a device needs besides. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/cuda/device_suite.hpp"
#include "bench/cuda/sampling.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

struct DeviceOptions {
  bool help = false;
  bool list_tests = false;
  bool list_devices = false;
  std::string filter;  // a regular expression; "-" before it: those that do not match
  bool json_on_stdout = false;
  std::string out;                                           // a file for the JSON; empty: none
  std::vector<std::pair<std::string, std::string>> context;  // facts of the user's
  CaseChoice choice;
  std::string device;  // a number, or the beginning of a UUID; empty: the first
  bool verify = true;
  bool launch_latency = false;
  std::optional<std::uint64_t> seed;   // of the inputs that verification draws
  Nanoseconds timeout = seconds(120);  // of one benchmark
  SamplingLimits limits;
  std::string profile;                  // the file that is recorded into, in place of measuring; empty: measure
  std::int64_t profile_iterations = 0;  // of a pass; 0: as many as take some milliseconds
  // Of the process that measures; see supervise.hpp.
  std::string worker_report;
  std::size_t worker_first = 0;
};

// Without the program's name. Error (input): an option that is none, or whose value is not understood.
Result<DeviceOptions> parse_device_options(const std::vector<std::string>& arguments);

// For --help.
std::string device_options_help(const std::string& program);

// The cases whose name the filter matches, anywhere in it, as Google Benchmark has it. Error (input): no expression.
Result<std::vector<DeviceCase>> matching(std::vector<DeviceCase> cases, const std::string& filter);

}  // namespace steelyard::cuda
