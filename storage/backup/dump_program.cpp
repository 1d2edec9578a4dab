#include "storage/backup/dump_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "storage/embedded/server_process.hpp"
#include "storage/place/store_address.hpp"

extern char** environ;

namespace steelyard {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLastWords = 4096;

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

std::optional<DumpPrograms> programs_in(const fs::path& folder, int major) {
  if (!is_program(folder / "pg_dump") || !is_program(folder / "pg_restore")) return std::nullopt;
  return DumpPrograms{folder / "pg_dump", folder / "pg_restore", major};
}

std::vector<std::string> environment_of(const SplitAddress& address) {
  std::vector<std::string> environment{"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool is_ours = text.starts_with("LC_ALL=") || (address.password && text.starts_with("PGPASSWORD="));
    if (!is_ours) environment.emplace_back(text);
  }
  if (address.password) environment.push_back("PGPASSWORD=" + *address.password);
  return environment;
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
  std::vector<std::string> words = command.words;
  words.push_back("--dbname=" + address.url);
  words.emplace_back("--no-password");
  constexpr std::chrono::hours kNoLimit{24 * 365};  // a store may be large, and somebody watches
  STEELYARD_TRY(const ProgramAnswer answer,
                run_program(current_account(), words, {kNoLimit, environment_of(address), true, watch}));
  if (answer.status == 0) return {};
  const std::string last = answer.output.substr(answer.output.size() - std::min(answer.output.size(), kLastWords));
  return store_error(
      program, "exit status " + std::to_string(answer.status) + ": " + one_line_without_secrets(last, command.url));
}

}  // namespace steelyard
