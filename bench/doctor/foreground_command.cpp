#include "bench/doctor/foreground_command.hpp"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bench/runner/descriptor.hpp"

namespace steelyard::bench {
namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

constexpr unsigned long kAskPersonality = 0xffffffff;

// False where it is forbidden.
bool fix_addresses() {
  const int current = ::personality(kAskPersonality);
  return current >= 0 && ::personality(static_cast<unsigned long>(current | ADDR_NO_RANDOMIZE)) >= 0;
}

[[noreturn]] void become(const ForegroundCommand& command, std::vector<char*>& arguments, const sigset_t& mask,
                         pid_t parent, int report) {
  // Without its parent the settings go back while it runs: its figures would be of two machines.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  if (!command.randomize_addresses) fix_addresses();
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execv(command.executable.c_str(), arguments.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
  ::_exit(127);
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
  const std::string where = command.executable.string();
  std::vector<std::string> texts{where};
  texts.insert(texts.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return program_error(where, std::strerror(errno), "a pipe");
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
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
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(command, arguments, signals.before(), parent, writing.number());
  const int fork_error = errno;
  writing.close();
  int status = 0;
  while (child > 0) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    siginfo_t info = {};
    const int number = ::sigwaitinfo(&waited, &info);
    // What the terminal sends reaches the whole group by itself.
    if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL) ::kill(child, number);
  }
  ::sigaction(SIGCHLD, &child_action, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (child < 0) return program_error(where, std::strerror(fork_error), "a process for the command");
  int error = 0;
  if (::read(reading.number(), &error, sizeof error) == ssize_t{sizeof error}) {
    return input_error(where, std::strerror(error), "a command that this machine can run");
  }
  return status_of(status);
}

}  // namespace steelyard::bench
