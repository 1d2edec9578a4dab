// The first half of a child's life: pipes, the supervisor between us and it, what has to be set between fork and exec,
// exec. Nothing here waits for its end; see child_process and foreground_command.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/descriptor.hpp"

namespace steelyard::bench {

struct StartedChild {
  pid_t supervisor = -1;  // bench/runner/supervisor.hpp
  Descriptor end_report;  // where that one writes a ChildEndReport
  Descriptor output;
  Descriptor error_output;
  std::int64_t executed_ns = 0;  // by the monotonic clock, when the new program replaced ours
  int core = -1;
  bool addresses_randomized = true;
};

// Returns once the new program has replaced ours (or could not, which is the error). Errors as of run_child. The caller
// has to reap pid.
Result<StartedChild> start_child(const ChildCommand& command);

// What runs in our place: with our streams, folder and process group, and no supervisor.
struct ForegroundCommand {
  std::filesystem::path executable;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // in place of ours of these names, beside all our others
  bool randomize_addresses = true;                 // false: the command and its children get one fixed layout
};

// As start_child. The command is killed with this process; it gets this mask of signals, and ignores what we ignore.
Result<pid_t> start_in_foreground(const ForegroundCommand& command, const sigset_t& mask);

}  // namespace steelyard::bench
