#include "bench/runner/foreground_command.hpp"

#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace steelyard::bench {
namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

constexpr unsigned long kAskPersonality = 0xffffffff;

// False where it is forbidden.
bool fix_addresses() {
  const int current = ::personality(kAskPersonality);
  return current >= 0 && ::personality(static_cast<unsigned long>(current | ADDR_NO_RANDOMIZE)) >= 0;
}

int status_of(int status) {
  constexpr int kBySignal = 128;  // as shells have it
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

EndingSignalsBlocked::EndingSignalsBlocked() {
  ::sigemptyset(&blocked_);
  for (const int number : kEndingSignals) ::sigaddset(&blocked_, number);
  ::pthread_sigmask(SIG_BLOCK, &blocked_, &before_);
}

EndingSignalsBlocked::~EndingSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int EndingSignalsBlocked::take_pending() const {
  constexpr timespec kNow = {0, 0};
  const int number = ::sigtimedwait(&blocked_, nullptr, &kNow);
  return number > 0 ? number : 0;
}

bool may_fix_addresses() {
  const int before = ::personality(kAskPersonality);
  const bool may = fix_addresses();
  if (may) ::personality(static_cast<unsigned long>(before));  // of programs that are started from here on
  return may;
}

Result<int> run_in_foreground(const ForegroundCommand& command, const EndingSignalsBlocked& signals) {
  sigset_t waited = signals.blocked();
  ::sigaddset(&waited, SIGCHLD);
  // Held back as well, so that waiting for it cannot miss it; the command gets the mask from before.
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, &waited, &mask);
  // Where the caller ignores it, the system would forget the command's status.
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  struct sigaction child_action = {};
  ::sigaction(SIGCHLD, &standard, &child_action);
  const Result<pid_t> child = start_in_foreground(command, signals.before());
  int status = 0;
  while (child) {
    const pid_t ended = ::waitpid(*child, &status, WNOHANG);
    if (ended == *child || (ended < 0 && errno != EINTR)) break;
    siginfo_t info = {};
    const int number = ::sigwaitinfo(&waited, &info);
    // What the terminal sends reaches the whole group by itself.
    if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL) ::kill(*child, number);
  }
  ::sigaction(SIGCHLD, &child_action, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (!child) return child.error();
  return status_of(status);
}

}  // namespace steelyard::bench
