// Processes that a build or a measured program left behind: there when it had ended, and then ended by the runner or,
// as those of another user, not. A fact of a run that is kept among its settings, so that every report can tell it.
//
//     keep_left_processes(left, run.header.settings);
//     const LeftProcesses left = left_processes_of(run.header.settings);
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace steelyard {

struct LeftProcesses {
  struct Count {
    std::int64_t ended = 0;    // by the runner, of all invocations together; at least so many
    std::int64_t running = 0;  // could not be ended
    bool any() const { return ended > 0 || running > 0; }
    Count& operator+=(const Count& other);
    bool operator==(const Count&) const = default;
  };
  Count build;
  std::map<std::string, Count> benchmarks;  // canonical text; empty: those that shared a process with others
  bool operator==(const LeftProcesses&) const = default;

  bool any() const;
  Count all() const;
};

// Adds to what the settings say already; nothing where nothing was left. The setting "left_processes" has lines of
// "build ENDED RUNNING" and "benchmark ENDED RUNNING NAME".
void keep_left_processes(const LeftProcesses& left, std::map<std::string, std::string>& settings);
// A line that cannot be read says nothing: settings may be anybody's.
LeftProcesses left_processes_of(const std::map<std::string, std::string>& settings);
inline constexpr const char* kLeftProcessesSetting = "left_processes";

}  // namespace steelyard
