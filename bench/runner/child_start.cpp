#include "bench/runner/child_start.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "bench/runner/supervisor.hpp"

namespace steelyard::bench {
namespace {

// What the new process tells its parent through a pipe that exec closes: no report is good news.
enum class Step : int { fork, descriptors, confine, enter_directory, pin, randomization, executing, execute };
struct StartReport {
  Step step = Step::execute;
  int error = 0;
  std::int64_t at_ns = 0;  // of the last that says it is executing
};

// What the child needs, made before the fork: between fork and exec only async-signal-safe calls are allowed,
// because another thread of ours may have held the allocator's lock at the fork.
struct ProgramWords {
  std::vector<std::string> texts;
  std::vector<char*> arguments;  // the executable first
  std::vector<char*> environment;

  ProgramWords() = default;
  ProgramWords(const std::string& executable, const std::vector<std::string>& words,
               const std::map<std::string, std::string>& variables) {
    texts.reserve(1 + words.size() + variables.size());
    texts.push_back(executable);
    texts.insert(texts.end(), words.begin(), words.end());
    for (const auto& [name, value] : variables) texts.push_back(name + '=' + value);
    const std::size_t first_variable = 1 + words.size();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      (i < first_variable ? arguments : environment).push_back(texts[i].data());
    }
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
  }
  ProgramWords(ProgramWords&&) = default;
  ProgramWords& operator=(ProgramWords&&) = default;
};

struct Prepared {
  ProgramWords program;
  std::string working_directory;
  int core = -1;
  bool randomize_addresses = true;
  Descriptor input;
  Descriptor output_read, output_write;
  Descriptor error_read, error_write;
  Descriptor report_read, report_write;
  Descriptor end_read, end_write;
  const Confinement* confinement = nullptr;
  pid_t caller = 0;
};

[[noreturn]] void give_up(int report, Step step) {
  const StartReport message{step, errno, 0};
  // Smaller than PIPE_BUF, so it arrives whole; if it cannot be written, the exit code still tells.
  [[maybe_unused]] const ssize_t written = ::write(report, &message, sizeof message);
  ::_exit(127);
}

void tell(int report, Step step) {
  const StartReport message{step, errno, 0};
  [[maybe_unused]] const ssize_t written = ::write(report, &message, sizeof message);
}

// Handlers of ours must not run in the child, and what we ignore the child must not ignore.
void reset_signals() {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A descriptor numbered 0 to 2 would be overwritten by the others' dup2, or keep its close-on-exec: first lift all.
int lifted(int number, int report) {
  const int copy = ::fcntl(number, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) give_up(report, Step::descriptors);
  return copy;
}

int connect_descriptors(const Prepared& prepared) {
  const int report = ::fcntl(prepared.report_write.number(), F_DUPFD_CLOEXEC, 3);
  if (report < 0) ::_exit(127);
  const int input = lifted(prepared.input.number(), report);
  const int output = lifted(prepared.output_write.number(), report);
  const int error = lifted(prepared.error_write.number(), report);
  if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(error, 2) < 0) give_up(report, Step::descriptors);
  // Descriptors that some library opened without close-on-exec end here too.
  if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    constexpr int kDescriptorsToMark = 4096;  // a kernel before 5.11: as many as such a process plausibly has
    for (int number = 3; number < kDescriptorsToMark; ++number) ::fcntl(number, F_SETFD, FD_CLOEXEC);
  }
  return report;
}

void set_randomization(bool wanted, int report) {
  const int current = ::personality(0xffffffffUL);
  if (current < 0) {
    if (!wanted) tell(report, Step::randomization);  // else it is as the caller has it, which nobody tells
    return;
  }
  const int changed = wanted ? current & ~ADDR_NO_RANDOMIZE : current | ADDR_NO_RANDOMIZE;
  if (changed != current && ::personality(static_cast<unsigned long>(changed)) < 0) tell(report, Step::randomization);
}

void pin(int core, int report) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) tell(report, Step::pin);
}

[[noreturn]] void execute(ProgramWords& program, int report) {
  // "Text file busy" passes: a process that another thread forked may still hold the file open for a moment.
  constexpr int kTriesWhenBusy = 40;
  constexpr timespec kPauseWhenBusy = {0, 5'000'000};
  for (int tries = 0; tries < kTriesWhenBusy; ++tries) {
    timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const StartReport begins{Step::executing, 0, std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
    [[maybe_unused]] const ssize_t written = ::write(report, &begins, sizeof begins);
    ::execve(program.arguments.front(), program.arguments.data(), program.environment.data());
    if (errno != ETXTBSY) break;
    ::nanosleep(&kPauseWhenBusy, nullptr);
  }
  give_up(report, Step::execute);
}

[[noreturn]] void become(Prepared& prepared, pid_t supervisor) {
  ::setpgid(0, 0);
  reset_signals();
  const int report = connect_descriptors(prepared);
  if (prepared.confinement != nullptr && !enter(*prepared.confinement)) give_up(report, Step::confine);
  // Without its supervisor nobody would end it. To enter a user namespace clears it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(127);
  if (!prepared.working_directory.empty() && ::chdir(prepared.working_directory.c_str()) != 0) {
    give_up(report, Step::enter_directory);
  }
  if (prepared.core >= 0) pin(prepared.core, report);
  set_randomization(prepared.randomize_addresses, report);
  execute(prepared.program, report);
}

// Of a command in the foreground.
[[noreturn]] void become_foreground(ProgramWords& program, bool randomize_addresses, const sigset_t& mask, pid_t caller,
                                    int report) {
  // Without its caller, what that has set up for it would go back while it runs.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != caller) ::_exit(127);
  if (!randomize_addresses) set_randomization(false, report);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  execute(program, report);
}

// Whoever reads from a pipe of ours, or executes a file that we are writing, must not wait for the supervisor. What is
// open for reading stays: a lock on a folder is held until everything that works in it has ended (run_folder.hpp).
void let_go_of_what_is_written(int kept) {
  constexpr int kMaxLookedAt = 4096;
  rlimit limit = {};
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kMaxLookedAt;
  const int end = is_known ? static_cast<int>(limit.rlim_cur) : kMaxLookedAt;
  for (int number = 0; number < end; ++number) {
    const int flags = number == kept ? -1 : ::fcntl(number, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) ::close(number);
  }
}

// Between the fork of the supervisor and its end.
[[noreturn]] void start_and_supervise(Prepared& prepared) {
  const int report = prepared.report_write.number();
  if (!become_supervisor(prepared.caller)) ::_exit(127);
  const pid_t supervisor = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(prepared, supervisor);
  if (child < 0) give_up(report, Step::fork);
  ::setpgid(child, child);  // before its group is signalled, whoever of the two is first
  let_go_of_what_is_written(prepared.end_write.number());
  supervise(child, prepared.caller, prepared.end_write.number());
}

Result<void> open_pipe(Descriptor& read_end, Descriptor& write_end, const std::string& where) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return program_error(where, std::string("no pipe could be opened: ") + std::strerror(errno), "",
                         "raise the limit on open files (ulimit -n)");
  }
  read_end = Descriptor(ends[0]);
  write_end = Descriptor(ends[1]);
  return {};
}

Result<Prepared> prepare(const ChildCommand& command) {
  Prepared prepared;
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(command.executable, failure);
  const std::string executable = failure ? command.executable.string() : absolute.string();
  prepared.program = ProgramWords(executable, command.arguments, command.environment);
  prepared.working_directory = command.working_directory.string();
  prepared.confinement = command.confinement.get();
  // To enter another view leaves the folder for the root of it.
  if (prepared.confinement != nullptr) {
    const std::filesystem::path folder =
        std::filesystem::absolute(command.working_directory.empty() ? "." : command.working_directory, failure);
    if (failure) return input_error("current folder", failure.message(), "a folder that exists");
    prepared.working_directory = folder.string();
  }
  prepared.core = command.core.value_or(-1);
  prepared.randomize_addresses = command.randomize_addresses;
  prepared.caller = ::getpid();

  prepared.input = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!prepared.input.is_open()) return program_error("/dev/null", std::strerror(errno), "a readable device");
  const std::string where = command.executable.string();
  if (command.discards_output) {
    prepared.output_write = Descriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (!prepared.output_write.is_open())
      return program_error("/dev/null", std::strerror(errno), "a device to write to");
  } else {
    STEELYARD_CHECK(open_pipe(prepared.output_read, prepared.output_write, where));
  }
  STEELYARD_CHECK(open_pipe(prepared.error_read, prepared.error_write, where));
  STEELYARD_CHECK(open_pipe(prepared.report_read, prepared.report_write, where));
  STEELYARD_CHECK(open_pipe(prepared.end_read, prepared.end_write, where));
  for (const Descriptor* end : {&prepared.output_read, &prepared.error_read, &prepared.end_read}) {
    if (end->is_open()) ::fcntl(end->number(), F_SETFL, O_NONBLOCK);
  }
  return prepared;
}

Error execute_error(const std::string& where, int error) {
  const std::string wanted = "a program that this machine can run";
  switch (error) {
    case ENOEXEC:
      return input_error(where, "a file in no format this machine can run", wanted,
                         "name the built program; begin a script with #! and its interpreter");
    case ENOENT:
      return input_error(where, "an interpreter or loader that is missing", wanted,
                         "check the #! line, or that the program was built for this system");
    case E2BIG:
      return input_error(where, "arguments and environment above the system's limit", "shorter ones", "");
    default:
      return input_error(where, std::strerror(error), wanted, "");
  }
}

Error fork_error(const std::string& where, int error) {
  return program_error(where, std::string("no process could be started: ") + std::strerror(error), "",
                       "raise the limit on processes (ulimit -u) or free memory");
}

Error error_of(const StartReport& report, const ChildCommand& command) {
  switch (report.step) {
    case Step::enter_directory:
      return input_error(command.working_directory.string(), std::strerror(report.error),
                         "a folder to run " + command.executable.string() + " in", "");
    case Step::execute:
      return execute_error(command.executable.string(), report.error);
    case Step::confine:
      return program_error(command.executable.string(),
                           std::string("its view of the file system cannot be entered: ") + std::strerror(report.error),
                           "", "set STEELYARD_CONFINE=no, and run no code of strangers");
    case Step::fork:
      return fork_error(command.executable.string(), report.error);
    case Step::descriptors:
    case Step::pin:
    case Step::randomization:
    case Step::executing:
      break;
  }
  return program_error(command.executable.string(), std::strerror(report.error), "free descriptors", "");
}

// Said before the fork, in better words than errno has.
Result<void> check_file(const std::filesystem::path& executable) {
  const std::string where = executable.string();
  struct stat status = {};
  if (where.empty()) return input_error("program", "an empty name", "the path of a program", "");
  if (::stat(where.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      const auto in_path = executable.has_parent_path() ? std::nullopt : find_in_path(where);
      if (in_path) return input_error(where, "no such file here", "a program by its path", "name " + in_path->string());
      return input_error(where, "no such file", "a program", "build it first, or correct the path");
    }
    return input_error(where, std::strerror(errno), "a program", "");
  }
  if (S_ISDIR(status.st_mode)) return input_error(where, "a folder", "a program", "name the file inside it");
  if (!S_ISREG(status.st_mode)) return input_error(where, "a device, pipe or socket", "a program", "");
  if (::access(where.c_str(), X_OK) != 0) {
    return input_error(where, "a file without permission to be executed", "a program", "chmod +x " + where);
  }
  return {};
}

// Signals of ours must not find the child before it has reset its handlers.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

ssize_t read_report(const Descriptor& from, StartReport& report) {
  ssize_t got = 0;
  do {
    got = ::read(from.number(), &report, sizeof report);
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

Result<StartedChild> start_child(const ChildCommand& command) {
  STEELYARD_CHECK(check_file(command.executable));
  STEELYARD_TRY(Prepared prepared, prepare(command));
  StartedChild child;
  {
    const SignalsBlocked blocked;
    child.supervisor = ::fork();
    if (child.supervisor == 0) start_and_supervise(prepared);
  }
  if (child.supervisor < 0) return fork_error(command.executable.string(), errno);
  prepared.report_write.close();
  prepared.end_write.close();
  child.core = prepared.core;
  child.addresses_randomized = prepared.randomize_addresses;
  for (StartReport report; read_report(prepared.report_read, report) == ssize_t{sizeof report};) {
    if (report.step == Step::executing) {
      child.executed_ns = report.at_ns;
    } else if (report.step == Step::pin) {
      child.core = -1;
    } else if (report.step == Step::randomization) {
      child.addresses_randomized = !prepared.randomize_addresses;
    } else {
      while (::waitpid(child.supervisor, nullptr, 0) < 0 && errno == EINTR) {
      }
      return error_of(report, command);
    }
  }
  child.output = std::move(prepared.output_read);
  child.error_output = std::move(prepared.error_read);
  child.end_report = std::move(prepared.end_read);
  return child;
}

Result<pid_t> start_in_foreground(const ForegroundCommand& command, const sigset_t& mask) {
  const std::string where = command.executable.string();
  STEELYARD_CHECK(check_file(command.executable));
  std::map<std::string, std::string> environment = command.environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t end = std::min(text.find('='), text.size());
    environment.emplace(text.substr(0, end), text.substr(std::min(end + 1, text.size())));
  }
  ProgramWords program(where, command.arguments, environment);
  Descriptor report_read;
  Descriptor report_write;
  STEELYARD_CHECK(open_pipe(report_read, report_write, where));
  const pid_t caller = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    become_foreground(program, command.randomize_addresses, mask, caller, report_write.number());
  }
  if (child < 0) return fork_error(where, errno);
  report_write.close();
  for (StartReport report; read_report(report_read, report) == ssize_t{sizeof report};) {
    if (report.step != Step::execute) continue;
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return execute_error(where, report.error);
  }
  return child;
}

}  // namespace steelyard::bench
