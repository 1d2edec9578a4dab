// The process that stands between us and a child. It is the parent of the child and, as a subreaper (prctl(2)), of
// everything that the child leaves behind, so that it can end all of it: also what left the child's process group, and
// also where we ourselves were killed. It is a fork of ours that executes nothing: no file has to be found, and none
// can be missing.
//
//     caller ── supervisor ── child (leads a process group) ── whatever it starts
//
// What the caller asks for, it asks by signals to the supervisor, which alone knows whether the child's number is still
// the child's.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>

namespace steelyard::bench {

inline constexpr int kAskChildToEnd = SIGTERM;    // passed on to the child and its group
inline constexpr int kEndChildByForce = SIGUSR1;  // SIGKILL to both

// What the supervisor writes at the child's end, all at once.
struct ChildEndReport {
  int status = 0;  // as of wait(2)
  rusage usage = {};
  std::int64_t ended_ns = 0;     // by the monotonic clock
  std::int64_t migrations = -1;  // of its first thread; -1: the system does not tell
  int left_ended = 0;            // descendants that lived on and were ended; at least: one that another of them reaps
  int left_running = 0;          // those that could not be ended: they run as another user, or cannot be told
};

// Of the process that forks the child, before it does so. All signals have to be blocked, and stay so. False: the
// caller is gone already, and nothing must be started.
bool become_supervisor(pid_t caller);

// Waits for the child, ends what it leaves, reports and ends. Where the caller is gone before that, ends the child,
// too. Between fork and exec only async-signal-safe calls are allowed, as another thread of ours may have held the
// allocator's lock; this keeps to them.
[[noreturn]] void supervise(pid_t child, pid_t caller, int report);

}  // namespace steelyard::bench
