#include "storage/embedded/server_process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/place/files.hpp"

namespace steelyard::storage {
namespace {

// Entries are a line of /etc/passwd or what a directory service makes of it.
constexpr std::size_t kLongestEntry = 64 * 1024;

template <class Find>
std::optional<ServerAccount> look_up(Find find) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(kLongestEntry);
  if (find(&entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return std::nullopt;
  return ServerAccount{entry.pw_uid, entry.pw_gid, entry.pw_name, geteuid() == 0 && entry.pw_uid != 0};
}

std::optional<ServerAccount> account_by_id(uid_t user) {
  return look_up([user](auto... rest) { return getpwuid_r(user, rest...); });
}
std::optional<ServerAccount> account_by_name(const char* name) {
  return look_up([name](auto... rest) { return getpwnam_r(name, rest...); });
}

Error no_entry(uid_t user) {
  return store_error("embedded store", "user id " + std::to_string(user) + " without an entry in the password database",
                     "a user that PostgreSQL's initdb accepts",
                     "add the user to /etc/passwd, or set STEELYARD_STORE to a postgresql:// address");
}

}  // namespace

ServerAccount current_account() {
  return account_by_id(geteuid()).value_or(ServerAccount{geteuid(), getegid(), std::to_string(geteuid()), false});
}

Result<ServerAccount> account_for_server() {
  if (geteuid() != 0) {
    const auto self = account_by_id(geteuid());
    if (!self) return no_entry(geteuid());
    return *self;
  }
  for (const char* name : {"postgres", "nobody"}) {
    const auto account = account_by_name(name);
    if (account && account->user != 0) return *account;
  }
  return store_error("embedded store", "neither a user \"postgres\" nor \"nobody\"",
                     "an unprivileged user to run PostgreSQL as",
                     "install the package postgresql, or run steelyard as another user than root");
}

Result<ServerAccount> account_of(const std::filesystem::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) {
    return store_error("embedded store " + folder.string(), "a folder that cannot be read", "a PostgreSQL cluster");
  }
  const auto owner = account_by_id(status.st_uid);
  if (!owner) return no_entry(status.st_uid);
  if (owner->user == 0 || (geteuid() != 0 && owner->user != geteuid())) {
    return store_error("embedded store " + folder.string(), "a folder of user " + owner->name,
                       geteuid() == 0 ? "an unprivileged owner" : "a folder of your own",
                       "set STEELYARD_STATE to another folder");
  }
  return *owner;
}

bool can_reach(const ServerAccount& account, const std::filesystem::path& folder) {
  for (std::filesystem::path at = std::filesystem::absolute(folder);; at = at.parent_path()) {
    struct stat status {};
    // What does not exist yet will be made by us, open enough.
    if (stat(at.c_str(), &status) == 0) {
      const mode_t needed = status.st_uid == account.user    ? S_IXUSR
                            : status.st_gid == account.group ? S_IXGRP
                                                             : S_IXOTH;
      if ((status.st_mode & needed) == 0) return false;
    }
    if (at == at.root_path()) return true;
  }
}

namespace {

constexpr std::size_t kKeptOutput = 64 * 1024;
constexpr std::chrono::milliseconds kWatchEvery{100};

Error cannot(const std::string& what, const std::string& program) {
  return store_error("embedded store", "cannot " + what + " for " + program + ": " + std::strerror(errno));
}

// What the child needs, made before the fork: after it, only what is safe in a signal handler may be called.
struct Preparation {
  Preparation(const std::vector<std::string>& command, std::vector<std::string> environment)
      : arguments(command), variables(std::move(environment)) {
    for (std::string& text : arguments) argument_pointers.push_back(text.data());
    for (std::string& text : variables) variable_pointers.push_back(text.data());
    argument_pointers.push_back(nullptr);
    variable_pointers.push_back(nullptr);
  }
  std::vector<std::string> arguments;
  std::vector<std::string> variables;
  std::vector<char*> argument_pointers;
  std::vector<char*> variable_pointers;
};

// Nothing of the caller's: PGDATA, PGOPTIONS, LC_ALL and their like would change what the server does.
std::vector<std::string> fixed_environment() {
  std::vector<std::string> variables{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"};
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH")) {
    variables.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
  }
  return variables;
}

// The functions up to the next empty comment run between fork and exec.
// `kept`: ascending.
void close_others(const int* kept, std::size_t count) {
  const auto close_between = [](int first, int last) {
    if (first > last) return;
    if (close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0) == 0) return;
    // A kernel before 5.9.
    constexpr int kUsualLimit = 4096;
    for (int number = first; number <= std::min(last, kUsualLimit); ++number) close(number);
  };
  int next = STDERR_FILENO + 1;
  for (std::size_t i = 0; i < count; ++i) {
    close_between(next, kept[i] - 1);
    next = std::max(next, kept[i] + 1);
  }
  close_between(next, INT32_MAX);
}

void forget_callers_signals_and_cores() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD, SIGALRM, SIGUSR1, SIGUSR2}) {
    signal(number, SIG_DFL);
  }
  // We may be pinned beside a measured program; a server that inherits the pin would share its core.
  cpu_set_t all;
  std::memset(&all, 0xFF, sizeof all);
  sched_setaffinity(0, sizeof all, &all);
}

bool leave_callers_place() {
  umask(S_IRWXG | S_IRWXO);
  return chdir("/") == 0;
}

bool become(const ServerAccount& account) {
  if (!account.must_switch) return true;
  return setgroups(1, &account.group) == 0 && setgid(account.group) == 0 && setuid(account.user) == 0;
}

bool set_standard_streams(int output) {
  const int input = open("/dev/null", O_RDONLY);
  return input >= 0 && output >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
         dup2(output, STDERR_FILENO) >= 0;
}
//

std::string read_until_end(int descriptor, const ProgramSettings& settings, bool& late) {
  const auto deadline = std::chrono::steady_clock::now() + settings.longest;
  std::string output;
  std::array<char, 4096> block{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    late = left.count() <= 0;
    if (late) return output;
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min(left, kWatchEvery).count()));
    if (settings.watch) settings.watch();
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return output;
    const ssize_t count = read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return output;
    output.append(block.data(), static_cast<std::size_t>(count));
    if (output.size() > 2 * kKeptOutput) output.erase(0, output.size() - kKeptOutput);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;
};
Result<Pipe> open_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return cannot("open a pipe", program);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// What the detached child tells us before and instead of becoming the program.
struct StartMessage {
  pid_t process = 0;
  int error = 0;
};

[[noreturn]] void become_detached(const ServerAccount& account, const DetachedProgram& program,
                                  const Preparation& prepared, int answers, const std::vector<int>& kept) {
  setsid();
  // The second fork: the server is no session leader, and whoever reaps orphans reaps it, not we.
  if (fork() != 0) _exit(0);
  StartMessage message{getpid(), 0};
  forget_callers_signals_and_cores();
  const bool ready = become(account) && leave_callers_place() &&
                     set_standard_streams(open(program.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600));
  if (ready) {
    close_others(kept.data(), kept.size());
    for (const int number : program.kept_descriptors) fcntl(number, F_SETFD, 0);
    [[maybe_unused]] const ssize_t sent = write(answers, &message, sizeof message);
    char* const* const arguments = prepared.argument_pointers.data();
    char* const* const variables = prepared.variable_pointers.data();
    if (program.opened_program >= 0) {
      fexecve(program.opened_program, arguments, variables);
    } else {
      execve(arguments[0], arguments, variables);
    }
  }
  message.error = errno;
  [[maybe_unused]] const ssize_t sent = write(answers, &message, sizeof message);
  _exit(127);
}

}  // namespace

Result<ProgramAnswer> run_program(const ServerAccount& account, const std::vector<std::string>& command,
                                  const ProgramSettings& settings) {
  const Preparation prepared(command, settings.environment.empty() ? fixed_environment() : settings.environment);
  STEELYARD_TRY(Pipe pipe, open_pipe(command[0]));
  const pid_t ourselves = getpid();
  const pid_t child = fork();
  if (child < 0) return cannot("start a process", command[0]);
  if (child == 0) {
    forget_callers_signals_and_cores();
    // After a change of the user, which clears it. Who comes after us would make the same files.
    const auto dies_with_us = [ourselves] { return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == ourselves; };
    if (become(account) && dies_with_us() && (settings.in_callers_place || leave_callers_place()) &&
        set_standard_streams(pipe.writing.number())) {
      close_others(nullptr, 0);
      execve(prepared.argument_pointers[0], prepared.argument_pointers.data(), prepared.variable_pointers.data());
      constexpr std::string_view kWords = "it could not be started";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kWords.data(), kWords.size());
    }
    _exit(127);
  }
  pipe.writing.close();
  bool late = false;
  ProgramAnswer answer;
  answer.output = read_until_end(pipe.reading.number(), settings, late);
  if (late) kill(child, SIGKILL);
  answer.status = wait_for(child);
  return answer;
}

Result<pid_t> start_detached(const ServerAccount& account, const DetachedProgram& program) {
  const std::string& name = program.command[0];
  const Preparation prepared(program.command, fixed_environment());
  STEELYARD_TRY(Pipe pipe, open_pipe(name));
  std::vector<int> kept = program.kept_descriptors;
  kept.push_back(pipe.writing.number());
  kept.push_back(program.opened_program);  // -1, where there is none, changes nothing
  std::sort(kept.begin(), kept.end());
  const pid_t child = fork();
  if (child < 0) return cannot("start a process", name);
  if (child == 0) become_detached(account, program, prepared, pipe.writing.number(), kept);
  pipe.writing.close();
  wait_for(child);
  bool late = false;
  const std::string answers = read_until_end(pipe.reading.number(), {}, late);
  std::array<StartMessage, 2> messages{};
  std::memcpy(messages.data(), answers.data(), std::min(answers.size(), sizeof messages));
  const int error = messages[0].error != 0 ? messages[0].error : messages[1].error;
  if (answers.empty() || late || error != 0) {
    errno = error;
    return cannot("start the program", name);
  }
  return messages[0].process;
}

bool runs_with_argument(pid_t process, const std::string& argument) {
  // A zombie has no command line left. Of a process that ends meanwhile it cannot be read: an iterator over it throws.
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::ostringstream line;
  line << file.rdbuf();
  return ('\0' + line.str()).find('\0' + argument + '\0') != std::string::npos;
}

namespace {

namespace fs = std::filesystem;

std::optional<int> leading_number(std::string_view text) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || number <= 0) return std::nullopt;
  return number;
}

bool holds_both(const fs::path& folder) {
  return access((folder / "initdb").c_str(), X_OK) == 0 && access((folder / "postgres").c_str(), X_OK) == 0;
}

// "postgres (PostgreSQL) 15.18 (Debian ...)"
std::optional<int> major_of(const fs::path& folder) {
  const auto answer = run_program(current_account(), {(folder / "postgres").string(), "--version"});
  if (!answer || answer->status != 0) return std::nullopt;
  const std::string_view text = answer->output;
  const std::size_t at = text.find_first_of("0123456789");
  return at == std::string_view::npos ? std::nullopt : leading_number(text.substr(at));
}

}  // namespace

std::vector<ServerPrograms> find_server_programs(const fs::path& packaged, const std::string& search_path) {
  std::vector<ServerPrograms> found;
  const auto add = [&found](const fs::path& folder, std::optional<int> major, bool is_packaged) {
    const auto same = [&](const ServerPrograms& known) { return known.major == major; };
    if (major && std::none_of(found.begin(), found.end(), same)) found.push_back({folder, *major, is_packaged});
  };
  std::error_code trouble;  // an unreadable or absent folder holds no programs
  for (fs::directory_iterator entry(packaged, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
    const fs::path folder = entry->path() / "bin";
    const std::string name = entry->path().filename().string();
    const auto major = leading_number(name);
    if (major && std::to_string(*major) == name && holds_both(folder)) add(folder, major, true);
  }
  std::istringstream folders(search_path);
  for (std::string text; std::getline(folders, text, ':');) {
    if (!fs::path(text).is_absolute() || !holds_both(text)) continue;
    // initdb looks for postgres beside itself, where a link in a folder of links would mislead it.
    const fs::path program = fs::canonical(fs::path(text) / "postgres", trouble);
    const fs::path folder = !trouble && holds_both(program.parent_path()) ? program.parent_path() : fs::path(text);
    const auto known = [&](const ServerPrograms& programs) { return fs::equivalent(programs.folder, folder, trouble); };
    if (std::none_of(found.begin(), found.end(), known)) add(folder, major_of(folder), false);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.major > b.major; });
  return found;
}

std::vector<ServerPrograms> find_server_programs() {
  const char* path = std::getenv("PATH");
  return find_server_programs("/usr/lib/postgresql", path == nullptr ? "" : path);
}

}  // namespace steelyard::storage
