#include "bench/cuda/worker_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

extern char** environ;

namespace steelyard::cuda {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{10};
constexpr std::chrono::seconds kGrace{2};  // between asking it to end and ending it

// A process of ours that is still running when its owner goes is ended.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // True once it has ended.
  bool has_ended(int& status) {
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended != pid_) return false;
    pid_ = -1;
    return true;
  }
  void signal(int number) const { ::kill(pid_, number); }

 private:
  pid_t pid_;
};

Result<pid_t> start(const WorkerCommand& command) {
  std::vector<std::string> texts{command.executable.string()};
  texts.insert(texts.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Its standard output is ours for the result; what it says there goes beside.
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, texts.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return program_error(texts.front(), std::string("it cannot be started: ") + std::strerror(failure));
  }
  return pid;
}

// What was appended to a file since the last look.
class Tail {
 public:
  explicit Tail(const std::filesystem::path& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Tail() {
    if (file_ >= 0) ::close(file_);
  }
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  bool is_open() const { return file_ >= 0; }
  bool read_into(WorkerReport& report) const {
    std::array<char, 1 << 16> block{};
    bool has_more = false;
    for (ssize_t n = ::read(file_, block.data(), block.size()); n > 0; n = ::read(file_, block.data(), block.size())) {
      report.add({block.data(), static_cast<std::size_t>(n)});
      has_more = true;
    }
    return has_more;
  }

 private:
  int file_;
};

WorkerEnd end_of(int status) {
  WorkerEnd end;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace

std::string WorkerEnd::describe() const {
  if (was_silent) return "was ended: it ran past its limit of " + to_text(longest_silence);
  if (was_cancelled) return "was cancelled";
  if (signal != 0) return "was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  return "ended with status " + std::to_string(exit_code);
}

Result<WorkerEnd> run_worker(const WorkerCommand& command, WorkerReport& report, const WorkerProgress& progress,
                             const std::atomic<int>* cancelled) {
  const int made = ::open(command.report.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
  const Tail tail(command.report);
  if (made < 0 || !tail.is_open()) {
    return program_error(command.report.string(), std::string("it cannot be written: ") + std::strerror(errno));
  }
  STEELYARD_TRY(const pid_t pid, start(command));
  Child child(pid);
  const auto silence = std::chrono::nanoseconds(static_cast<std::int64_t>(command.longest_silence.count()));
  auto last = Clock::now();
  bool was_silent = false;
  bool was_cancelled = false;
  Clock::time_point asked;
  while (true) {
    int status = 0;
    const bool ended = child.has_ended(status);
    if (tail.read_into(report)) {
      last = Clock::now();
      if (progress) progress(report);
    }
    if (ended) {
      WorkerEnd end = end_of(status);
      end.was_silent = was_silent;
      end.longest_silence = command.longest_silence;
      // A signal to the whole group of processes may end it before ours is looked at.
      end.was_cancelled = was_cancelled || (cancelled != nullptr && cancelled->load() != 0);
      return end;
    }
    const bool is_asked = was_silent || was_cancelled;
    if (!is_asked && cancelled != nullptr && cancelled->load() != 0) was_cancelled = true;
    if (!is_asked && Clock::now() - last > silence) was_silent = true;
    if (!is_asked && (was_silent || was_cancelled)) {
      child.signal(SIGTERM);
      asked = Clock::now();
    }
    if (is_asked && Clock::now() - asked > kGrace) child.signal(SIGKILL);
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace steelyard::cuda
