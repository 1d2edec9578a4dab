#include "bench/runner/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "bench/formats/repetition_log.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/runner/child_start.hpp"
#include "bench/runner/supervisor.hpp"

namespace steelyard::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Between SIGTERM and SIGKILL: time to flush a file, short beside any time limit.
constexpr std::chrono::seconds kGrace{2};
// How late a cancellation may be noticed. Waking ten times a second disturbs no measurement.
constexpr std::chrono::milliseconds kLookAgain{100};
// Where the system gives no descriptor for a process (before Linux 5.3, or a seccomp filter).
constexpr std::chrono::milliseconds kLookAgainWithoutDescriptor{5};
// A pipe that an escaped grandchild floods is left after this much; a pipe holds 64 KiB by default, 1 MiB at most.
constexpr std::size_t kDrainLimit = std::size_t{2} << 20;
// Longer limits are no limits; keeps the arithmetic of the clock in range.
constexpr double kLongestTimeoutSeconds = 86400.0 * 365;

std::chrono::nanoseconds bounded_timeout(Nanoseconds timeout) {
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(std::clamp(timeout.count(), 0.0, seconds(kLongestTimeoutSeconds).count())));
}

Nanoseconds from(const timeval& time) {
  return seconds(static_cast<double>(time.tv_sec)) + microseconds(static_cast<double>(time.tv_usec));
}

// Owns one running child from its start to its reaping.
class Watched {
 public:
  Watched(const ChildCommand& command, StartedChild started, std::int64_t at_unix_ns, Clock::time_point at)
      : child_(std::move(started)),
        descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, child_.supervisor, 0))),
        started_(at),
        deadline_(at + bounded_timeout(std::min(command.timeout, command.rest_of_budget.value_or(command.timeout)))),
        limit_(command.output_limit) {
    result_.started_at_unix_ns = at_unix_ns;
    result_.core = child_.core;
    result_.addresses_randomized = child_.addresses_randomized;
    result_.timeout = command.timeout;
    const bool is_cut = command.rest_of_budget && *command.rest_of_budget < command.timeout;
    if (is_cut) result_.rest_of_budget = command.rest_of_budget;
    result_.ignore_failure = command.ignore_failure;
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  // Reached with a running child only where memory ran out on the way.
  ~Watched() {
    if (ended_) return;
    ::kill(child_.supervisor, kEndChildByForce);
    while (::waitpid(child_.supervisor, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  bool ended() const { return ended_; }
  ChildResult take() { return std::move(result_); }

  void add_to(std::vector<pollfd>& watched) const {
    for (const Descriptor* d : {&descriptor_, &child_.output, &child_.error_output}) {
      if (d->is_open()) watched.push_back({d->number(), POLLIN, 0});
    }
  }

  Clock::time_point wake_at(Clock::time_point now) const {
    const auto pause = descriptor_.is_open() ? kLookAgain : kLookAgainWithoutDescriptor;
    return std::min(now + pause, stopping_ ? std::max(kill_at_, now) : deadline_);
  }

  void stop_if_due(Clock::time_point now, bool cancelled) {
    if (!stopping_ && (cancelled || now >= deadline_)) {
      stopping_ = true;
      result_.end = cancelled ? ChildEnd::cancelled : ChildEnd::timed_out;
      kill_at_ = now + kGrace;
      ::kill(child_.supervisor, kAskChildToEnd);
    } else if (stopping_ && now >= kill_at_) {
      ::kill(child_.supervisor, kEndChildByForce);
      kill_at_ = now + kGrace;
    }
  }

  void read_what_is_there() {
    read_some(child_.output, result_.output, false);
    read_some(child_.error_output, result_.error_output, true);
  }

  void reap_if_ended() {
    const pid_t reaped = ::waitpid(child_.supervisor, nullptr, WNOHANG);
    // Where someone set SIGCHLD to be ignored, nothing is there to be reaped; how the child ended is written anyway.
    if (reaped != child_.supervisor && !(reaped < 0 && errno == ECHILD)) return;
    read_what_is_there();
    trim();
    child_.output.close();
    child_.error_output.close();
    ChildEndReport report;
    const bool is_told = ::read(child_.end_report.number(), &report, sizeof report) == ssize_t{sizeof report};
    is_told ? take(report) : note_lost_supervisor();
    child_.end_report.close();
    ended_ = true;
  }

 private:
  void take(const ChildEndReport& report) {
    result_.duration_ns =
        report.ended_ns - std::chrono::duration_cast<std::chrono::nanoseconds>(started_.time_since_epoch()).count();
    result_.use.executed_ns = report.ended_ns - child_.executed_ns;
    if (report.migrations >= 0) result_.migrations = report.migrations;
    if (!stopping_) result_.left_ended = report.left_ended;
    result_.left_running = report.left_running;
    if (WIFEXITED(report.status)) result_.exit_code = WEXITSTATUS(report.status);
    if (WIFSIGNALED(report.status)) {
      result_.signal = WTERMSIG(report.status);
      if (!stopping_) result_.end = ChildEnd::signalled;
    }
    const rusage& usage = report.usage;
    result_.voluntary_switches = usage.ru_nvcsw;
    result_.involuntary_switches = usage.ru_nivcsw;
    result_.minor_faults = usage.ru_minflt;
    result_.major_faults = usage.ru_majflt;
    result_.use.peak_resident_bytes = std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts it in KiB
    result_.use.user_time = from(usage.ru_utime);
    result_.use.system_time = from(usage.ru_stime);
  }

  // The child ended with it, and nobody knows how.
  void note_lost_supervisor() {
    result_.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count();
    result_.exit_code = -1;
    result_.error_output += "\nits exit status was lost: the process that watches it was killed";
  }

  // The beginning of stdout and the end of stderr are kept; the rest is read and dropped, so that the child never waits
  // for us.
  void read_some(Descriptor& source, std::string& kept, bool keep_end) {
    std::array<char, 65536> buffer;
    for (std::size_t total = 0; source.is_open() && total < kDrainLimit;) {
      const ssize_t got = ::read(source.number(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (got <= 0) return source.close();
      const auto count = static_cast<std::size_t>(got);
      total += count;
      if (keep_end) {
        kept.append(buffer.data(), count);
        if (kept.size() > 2 * limit_ + buffer.size()) trim();
      } else {
        const std::size_t taken = std::min(count, limit_ - std::min(limit_, kept.size()));
        kept.append(buffer.data(), taken);
        result_.output_truncated = result_.output_truncated || taken < count;
      }
    }
  }

  void trim() {
    if (result_.error_output.size() <= limit_) return;
    result_.error_output.erase(0, result_.error_output.size() - limit_);
  }

  StartedChild child_;
  Descriptor descriptor_;
  Clock::time_point started_;
  Clock::time_point deadline_;
  Clock::time_point kill_at_;
  std::size_t limit_;
  bool stopping_ = false;
  bool ended_ = false;
  ChildResult result_;
};

void wait_for_all(const std::vector<std::unique_ptr<Watched>>& children, const std::atomic<bool>* cancelled) {
  std::vector<pollfd> descriptors;
  while (true) {
    const Clock::time_point now = Clock::now();
    Clock::time_point wake_at = Clock::time_point::max();
    descriptors.clear();
    for (const std::unique_ptr<Watched>& child : children) {
      if (!child || child->ended()) continue;
      child->stop_if_due(now, cancelled != nullptr && cancelled->load());
      child->add_to(descriptors);
      wake_at = std::min(wake_at, child->wake_at(now));
    }
    if (wake_at == Clock::time_point::max()) return;
    const auto pause = std::chrono::ceil<std::chrono::milliseconds>(wake_at - now).count();
    ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max<std::int64_t>(pause, 0)));
    for (const std::unique_ptr<Watched>& child : children) {
      if (!child || child->ended()) continue;
      child->read_what_is_there();
      child->reap_if_ended();
    }
  }
}

std::string ending(const ChildResult& child) {
  switch (child.end) {
    case ChildEnd::exited:
      return "exited with " + std::to_string(child.exit_code);
    case ChildEnd::signalled:
      return "was ended by signal " + std::to_string(child.signal) + " (" + ::strsignal(child.signal) +
             (child.signal == SIGKILL ? ", as the system does where memory runs out)" : ")");
    case ChildEnd::timed_out:
      return "ran past its limit of " +
             (child.rest_of_budget
                  ? to_text(*child.rest_of_budget) + ", the rest of the budget; its own is " + to_text(child.timeout)
                  : to_text(child.timeout));
    case ChildEnd::cancelled:
      return "was cancelled";
    case ChildEnd::not_run:
      return "was not run, as what it is measured beside could not be prepared";
  }
  return "";
}

}  // namespace

std::vector<Result<ChildResult>> run_children(const std::vector<ChildCommand>& commands,
                                              const std::atomic<bool>* cancelled) {
  std::vector<std::unique_ptr<Watched>> children;
  std::vector<std::optional<Error>> errors(commands.size());
  children.reserve(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::int64_t at_unix_ns = now_unix_ns();
    const Clock::time_point at = Clock::now();
    Result<StartedChild> started = start_child(commands[i]);
    children.emplace_back();
    if (started) {
      children.back() = std::make_unique<Watched>(commands[i], std::move(started).value(), at_unix_ns, at);
    } else {
      errors[i] = started.error();
    }
  }
  wait_for_all(children, cancelled);
  std::vector<Result<ChildResult>> results;
  results.reserve(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (children[i]) {
      results.emplace_back(children[i]->take());
    } else {
      results.emplace_back(*errors[i]);
    }
  }
  return results;
}

Result<ChildResult> run_child(const ChildCommand& command, const std::atomic<bool>* cancelled) {
  return std::move(run_children({command}, cancelled).front());
}

namespace {

constexpr const char* kShell = "/bin/sh";

// Of one after the other of an invocation.
void add_process(const Result<ChildResult>& next, Result<ChildResult>& whole) {
  if (!next || !next->succeeded()) {
    whole = next;
    return;
  }
  whole->uses.push_back(next->use);
  whole->duration_ns += next->duration_ns;
  whole->voluntary_switches += next->voluntary_switches;
  whole->involuntary_switches += next->involuntary_switches;
  whole->minor_faults += next->minor_faults;
  whole->major_faults += next->major_faults;
  if (whole->migrations && next->migrations) *whole->migrations += *next->migrations;
  whole->left_ended += next->left_ended;
  whole->left_running += next->left_running;
}

// How a command's preparation was cancelled, which is nobody's failure. Absent: it is ready, or asks for nothing.
Result<std::optional<ChildResult>> prepare_process(const ChildCommand& command, const std::atomic<bool>* cancelled) {
  if (command.prepare.empty()) return std::optional<ChildResult>();
  ChildCommand line = command;
  line.executable = kShell;
  line.arguments = {"-c", command.prepare};
  line.core.reset();
  line.discards_output = true;
  line.ignore_failure = false;
  STEELYARD_TRY(ChildResult child, run_child(line, cancelled));
  if (child.end == ChildEnd::cancelled) return std::optional(std::move(child));
  if (child.succeeded()) return std::optional<ChildResult>();
  return program_error('"' + command.prepare + '"', "it " + child.describe(), "a preparation that succeeds");
}

// Of `count` commands, one of which could not be prepared.
std::vector<Result<ChildResult>> only_failed(std::size_t which, const Error& error, std::size_t count) {
  ChildResult not_run;
  not_run.end = ChildEnd::not_run;
  std::vector<Result<ChildResult>> results(count, Result<ChildResult>(not_run));
  results[which] = error;
  return results;
}

}  // namespace

std::vector<Result<ChildResult>> run_invocations(const std::vector<ChildCommand>& commands,
                                                 const std::atomic<bool>* cancelled) {
  int processes = 1;
  for (const ChildCommand& command : commands) processes = std::max(processes, command.processes);
  std::vector<Result<ChildResult>> whole;
  for (int i = 0; i < processes; ++i) {
    for (std::size_t k = 0; k < commands.size(); ++k) {
      const Result<std::optional<ChildResult>> ended = prepare_process(commands[k], cancelled);
      if (!ended) return only_failed(k, ended.error(), commands.size());
      if (*ended) return std::vector<Result<ChildResult>>(commands.size(), Result<ChildResult>(**ended));
    }
    std::vector<Result<ChildResult>> children = run_children(commands, cancelled);
    if (i == 0) {
      whole = std::move(children);
      for (Result<ChildResult>& child : whole) {
        if (child && processes > 1) child->uses.push_back(child->use);
      }
    } else {
      for (std::size_t k = 0; k < whole.size(); ++k) add_process(children[k], whole[k]);
    }
    if (!std::all_of(whole.begin(), whole.end(), [](const auto& child) { return child && child->succeeded(); })) break;
  }
  return whole;
}

std::string ChildResult::describe() const {
  const std::string line = last_line(error_output);
  return line.empty() ? ending(*this) : ending(*this) + "; its last line of stderr: \"" + line + "\"";
}

std::string last_line(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  while (!text.empty()) {
    const std::size_t start = text.find_last_of("\n\r") + 1;  // npos + 1 is 0
    std::string line;
    for (const char c : text.substr(start)) {
      if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) line += c;
    }
    // What Google Benchmark and OpenBLAS log because we asked for it is not the program's last word.
    const bool is_asked_for = line.starts_with(kPassLogMark) || line.starts_with(kOpenBlasCoreMark);
    if (line.find_first_not_of(' ') != std::string::npos && !is_asked_for) {
      if (line.size() <= kLongest) return line;
      std::size_t cut = kLongest;
      while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80) --cut;  // not inside a UTF-8 character
      return line.substr(0, cut) + "...";
    }
    text = text.substr(0, start == 0 ? 0 : start - 1);
  }
  return "";
}

Result<std::string> read_left_file(const std::filesystem::path& file, std::size_t most, PartOfFile part) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!opened.is_open()) {
    return program_error("", errno == ENOENT ? "no file" : errno == ELOOP ? "a link" : std::strerror(errno));
  }
  struct stat status = {};
  if (::fstat(opened.number(), &status) != 0 || !S_ISREG(status.st_mode)) return program_error("", "no regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  std::size_t at = part == PartOfFile::end && size > most ? size - most : 0;
  std::string text(std::min(size, most), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::pread(opened.number(), text.data() + have, text.size() - have, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return program_error("", std::strerror(errno));
    if (got == 0) break;  // it shrank meanwhile
    have += static_cast<std::size_t>(got);
    at += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

std::optional<std::filesystem::path> find_in_path(std::string_view name) {
  const auto usable = [](const std::filesystem::path& file) {
    std::error_code failure;
    return std::filesystem::is_regular_file(file, failure) && ::access(file.c_str(), X_OK) == 0;
  };
  const auto absolute = [](const std::filesystem::path& file) {
    std::error_code failure;
    const std::filesystem::path result = std::filesystem::absolute(file, failure);
    return failure ? file : result;
  };
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    return usable(name) ? std::optional(absolute(name)) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (true) {
    const std::size_t colon = folders.find(':');
    const std::filesystem::path folder = folders.substr(0, colon).empty() ? "." : folders.substr(0, colon);
    if (usable(folder / name)) return absolute(folder / name);
    if (colon == std::string_view::npos) return std::nullopt;
    folders.remove_prefix(colon + 1);
  }
}

namespace {

constexpr std::array<std::string_view, 9> kAllowedNames = {
    "PATH",           "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "TZ", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS"};
constexpr std::string_view kAllowedPrefix = "LC_";

bool is_allowed(std::string_view name) {
  return name.starts_with(kAllowedPrefix) ||
         std::find(kAllowedNames.begin(), kAllowedNames.end(), name) != kAllowedNames.end();
}

}  // namespace

std::map<std::string, std::string> child_environment(const Program& program) {
  std::map<std::string, std::string> environment = program.environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_allowed(text.substr(0, equals))) continue;
    // emplace keeps what is there: the Program's own value wins.
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

ChildCommand command_of(const Program& program) {
  ChildCommand command;
  command.executable = program.executable;
  command.arguments = program.arguments;
  command.environment = child_environment(program);
  command.working_directory = program.working_directory;
  command.confinement = program.confinement;
  return command;
}

}  // namespace steelyard::bench
