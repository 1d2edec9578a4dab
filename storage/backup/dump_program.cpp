#include "storage/backup/dump_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include "storage/place/file_descriptor.hpp"
#include "storage/place/store_address.hpp"

extern char** environ;

namespace steelyard {
namespace {

namespace fs = std::filesystem;

constexpr int kWatchMilliseconds = 100;
constexpr std::size_t kLastWords = 4096;

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

std::optional<DumpPrograms> programs_in(const fs::path& folder, int major) {
  if (!is_program(folder / "pg_dump") || !is_program(folder / "pg_restore")) return std::nullopt;
  return DumpPrograms{folder / "pg_dump", folder / "pg_restore", major};
}

// What a child needs, made before the fork: nothing is allocated after it.
struct Launch {
  std::vector<std::string> words;
  std::vector<std::string> environment;
  std::vector<char*> word_pointers;
  std::vector<char*> environment_pointers;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Launch launch_of(const DumpCommand& command, const SplitAddress& address) {
  Launch launch;
  launch.words = command.words;
  launch.words.push_back("--dbname=" + address.url);
  launch.words.emplace_back("--no-password");
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (address.password && text.starts_with("PGPASSWORD=")) continue;
    if (!text.starts_with("LC_ALL=")) launch.environment.emplace_back(text);
  }
  launch.environment.emplace_back("LC_ALL=C");
  if (address.password) launch.environment.push_back("PGPASSWORD=" + *address.password);
  launch.word_pointers = pointers_to(launch.words);
  launch.environment_pointers = pointers_to(launch.environment);
  return launch;
}

// In the child; does not return.
[[noreturn]] void become(const Launch& launch, int errors, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execve(launch.words.front().c_str(), launch.word_pointers.data(), launch.environment_pointers.data());
  constexpr std::string_view kWords = "it could not be started";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kWords.data(), kWords.size());
  _exit(127);
}

// The last of what it wrote until it closed its error stream.
std::string watch_until_end(int errors, const std::function<void()>& watch) {
  std::string words;
  std::array<char, 1024> piece{};
  for (;;) {
    pollfd waiting{errors, POLLIN, 0};
    const int ready = poll(&waiting, 1, kWatchMilliseconds);
    if (watch) watch();
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = read(errors, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return words;
    words.append(piece.data(), static_cast<std::size_t>(count));
    if (words.size() > kLastWords) words.erase(0, words.size() - kLastWords);
  }
}

int exit_status(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace

Result<DumpPrograms> find_dump_programs(int server_major, const fs::path& packaged, const std::string& search_path) {
  std::optional<DumpPrograms> best;
  std::error_code trouble;  // an unreadable or absent folder holds no programs
  for (fs::directory_iterator entry(packaged, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
    const std::string name = entry->path().filename().string();
    int major = 0;
    const auto [last, code] = std::from_chars(name.data(), name.data() + name.size(), major);
    if (code != std::errc() || last != name.data() + name.size() || major < server_major) continue;
    if (best && best->major <= major) continue;
    if (auto found = programs_in(entry->path() / "bin", major)) best = std::move(found);
  }
  if (best) return *best;
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!fs::path(folder).is_absolute()) continue;
    // Its version is not looked at: pg_dump itself refuses a server that is newer.
    if (auto found = programs_in(folder, server_major)) return *found;
  }
  const std::string version = std::to_string(server_major);
  return input_error("pg_dump", "none of version " + version + " or newer in " + packaged.string() + " and $PATH",
                     "PostgreSQL's client programs", "apt-get install postgresql-client-" + version);
}

Result<DumpPrograms> find_dump_programs(int server_major) {
  const char* path = std::getenv("PATH");
  return find_dump_programs(server_major, "/usr/lib/postgresql", path == nullptr ? "" : path);
}

Result<void> run_dump_command(const DumpCommand& command, const std::function<void()>& watch) {
  const std::string program = fs::path(command.words.front()).filename().string();
  STEELYARD_TRY(const SplitAddress address, split_password(command.url));
  const Launch launch = launch_of(command, address);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return store_error(program, std::strerror(errno), "a pipe");
  const FileDescriptor reading(ends[0]);
  pid_t child = -1;
  {
    const FileDescriptor writing(ends[1]);
    const pid_t parent = getpid();
    child = fork();
    if (child == 0) become(launch, writing.number(), parent);
    if (child < 0) return store_error(program, std::strerror(errno), "a process for it");
  }
  const std::string words = watch_until_end(reading.number(), watch);
  const int status = exit_status(child);
  if (status == 0) return {};
  return store_error(program,
                     "exit status " + std::to_string(status) + ": " + one_line_without_secrets(words, command.url));
}

}  // namespace steelyard
