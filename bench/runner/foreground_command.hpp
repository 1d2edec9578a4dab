// Runs a command as a shell would: with this process's streams, environment and folder, in its process group, so that
// Ctrl-C reaches it. Signals that would end this process are passed on to the command, and this process lives until the
// command ends. Not for measured programs: see bench/runner/child_process.hpp.
#pragma once

#include <signal.h>

#include "bench/model/result.hpp"
#include "bench/runner/child_start.hpp"

namespace steelyard::bench {

// Holds back SIGINT, SIGTERM, SIGHUP and SIGQUIT, as take and run_in_foreground need it; what came meanwhile arrives at
// the end.
class EndingSignalsBlocked {
 public:
  EndingSignalsBlocked();
  ~EndingSignalsBlocked();
  EndingSignalsBlocked(const EndingSignalsBlocked&) = delete;
  EndingSignalsBlocked& operator=(const EndingSignalsBlocked&) = delete;

  // The number of one that waits, which is taken; 0: none.
  int take_pending() const;
  const sigset_t& before() const { return before_; }
  const sigset_t& blocked() const { return blocked_; }

 private:
  sigset_t blocked_;
  sigset_t before_;
};

// Whether this process may run a command without address randomization; containers often forbid it.
bool may_fix_addresses();

// The status that a shell would give: what it exited with, or 128 and the signal that ended it. The command is killed
// with this process. Error (input): it cannot be executed. Error (program): no process could be started.
Result<int> run_in_foreground(const ForegroundCommand& command, const EndingSignalsBlocked& signals);

}  // namespace steelyard::bench
