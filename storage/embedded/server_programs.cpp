#include "storage/embedded/server_programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>

#include "storage/embedded/server_account.hpp"
#include "storage/embedded/server_process.hpp"

namespace steelyard {
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

}  // namespace steelyard
