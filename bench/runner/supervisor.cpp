#include "bench/runner/supervisor.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "bench/runner/disturbance.hpp"

namespace steelyard::bench {
namespace {

// A process that is in the midst of a system call ends when that does.
constexpr std::int64_t kPatienceNs = 2'000'000'000;
constexpr timespec kPause = {0, 1'000'000};
// What the child ended itself just before its own end needs as long to be gone, and was not left behind.
constexpr int kMomentsForOthers = 5;
constexpr std::size_t kMaxAtOnce = 4096;      // bytes of the list of children; what is left comes with the next look
constexpr std::size_t kMaxSchedBytes = 8192;  // bytes of /proc/PID/sched

std::int64_t monotonic_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The beginning of a file of /proc, into a buffer; its length.
std::size_t read_into(const char* path, char* buffer, std::size_t size) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::size_t total = 0;
  while (total < size) {
    const ssize_t got = ::read(file, buffer + total, size - total);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    total += static_cast<std::size_t>(got);
  }
  ::close(file);
  return total;
}

// "/proc/NUMBER/REST", without an allocation.
struct ProcPath {
  ProcPath(pid_t process, const char* rest) {
    char digits[16];
    int count = 0;
    for (long left = process; left > 0 || count == 0; left /= 10) digits[count++] = static_cast<char>('0' + left % 10);
    std::size_t at = 0;
    for (const char* c = "/proc/"; *c != '\0'; ++c) text[at++] = *c;
    while (count > 0) text[at++] = digits[--count];
    for (; *rest != '\0' && at + 1 < sizeof text; ++rest) text[at++] = *rest;
    text[at] = '\0';
  }
  char text[64];
};

std::int64_t read_migrations(pid_t process) {
  char buffer[kMaxSchedBytes];
  const std::size_t length = read_into(ProcPath(process, "/sched").text, buffer, sizeof buffer);
  return migrations_in({buffer, length}).value_or(-1);
}

// How many of them SIGKILL had ended.
int reap_what_ended() {
  int killed = 0;
  int status = 0;
  while (::waitpid(-1, &status, WNOHANG) > 0) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ++killed;
  }
  return killed;
}

struct Signalled {
  int killed = 0;
  int refused = 0;
};

// All that are our children now; those of one that ends become ours.
template <class Visit>
void for_each_child(Visit visit) {
  char list[kMaxAtOnce];
  const std::size_t length = read_into("/proc/thread-self/children", list, sizeof list);
  pid_t number = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (list[i] >= '0' && list[i] <= '9') {
      number = number * 10 + (list[i] - '0');
      continue;
    }
    if (number > 0) visit(number);
    number = 0;
  }
}

Signalled kill_children() {
  Signalled children;
  for_each_child(
      [&](pid_t one) { ++(::kill(one, SIGKILL) != 0 && errno == EPERM ? children.refused : children.killed); });
  return children;
}

// Returns when nothing but the child, which is not reaped, is left of it, or after some moments.
void await_others(pid_t child) {
  for (int moment = 0; moment < kMomentsForOthers; ++moment) {
    bool any_lives = false;
    for_each_child([&](pid_t one) {
      if (one != child && ::waitpid(one, nullptr, WNOHANG) == 0) any_lives = true;
    });
    if (!any_lives) return;
    ::nanosleep(&kPause, nullptr);
  }
}

bool has_children() {
  siginfo_t info = {};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

// After the child has been reaped.
void end_descendants(ChildEndReport& report) {
  const std::int64_t deadline = monotonic_ns() + kPatienceNs;
  Signalled last;
  report.left_ended = reap_what_ended();
  while (has_children() && monotonic_ns() < deadline) {
    last = kill_children();
    if (last.refused > 0 && last.killed == 0) break;
    ::nanosleep(&kPause, nullptr);
    report.left_ended += reap_what_ended();
  }
  report.left_running = has_children() ? std::max(1, last.refused + last.killed) : 0;
}

bool has_ended(pid_t child) {
  siginfo_t info = {};
  // WNOWAIT keeps the zombie, and with it the number of the group, until the group has been ended.
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

// Orphans that ended while the child runs; the child itself is left.
void reap_orphans(pid_t child) {
  for (;;) {
    siginfo_t info = {};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid <= 0 || info.si_pid == child) return;
    ::waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

// Its group, and the child itself, which may have joined another group. Not reaped yet, its number is its own.
void end_by_force(pid_t child) {
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);
}

// Each process once: a handler that is there for one signal must not meet a second.
void ask_to_end(pid_t child) {
  ::kill(-child, SIGTERM);
  if (::getpgid(child) != child) ::kill(child, SIGTERM);
}

void wait_for_end(pid_t child, pid_t caller) {
  sigset_t all;
  ::sigfillset(&all);
  while (!has_ended(child)) {
    reap_orphans(child);
    siginfo_t info = {};
    const int number = ::sigwaitinfo(&all, &info);
    if (number == kAskChildToEnd) ask_to_end(child);
    if (number == kEndChildByForce || ::getppid() != caller) end_by_force(child);
  }
}

}  // namespace

bool become_supervisor(pid_t caller) {
  // Ours are the signals of the group that a terminal's Ctrl-C reaches; the caller decides.
  ::setpgid(0, 0);
  // Where the caller ignores it, children's statuses would be lost. Blocked signals wait, whatever their disposition.
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (const int number : {SIGCHLD, SIGHUP, kAskChildToEnd, kEndChildByForce}) {
    ::sigaction(number, &standard, nullptr);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  ::prctl(PR_SET_NAME, "steelyard-reap");  // 15 characters at most
  return ::getppid() == caller;
}

void supervise(pid_t child, pid_t caller, int report) {
  wait_for_end(child, caller);
  ChildEndReport ended;
  ended.ended_ns = monotonic_ns();
  ended.migrations = read_migrations(child);
  await_others(child);
  ::kill(-child, SIGKILL);
  while (::wait4(child, &ended.status, 0, &ended.usage) < 0 && errno == EINTR) {
  }
  end_descendants(ended);
  // Smaller than PIPE_BUF, so it arrives whole.
  [[maybe_unused]] const ssize_t written = ::write(report, &ended, sizeof ended);
  ::_exit(0);
}

}  // namespace steelyard::bench
