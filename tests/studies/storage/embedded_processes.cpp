#include "tests/studies/storage/embedded_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace steelyard::storage_study {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(pid_t process) { return "/proc/" + std::to_string(process); }

// The fields of /proc/PID/stat from the third on; empty where there is no such process.
std::vector<std::string> stat_fields(pid_t process) {
  std::ifstream file(folder_of(process) / "stat");
  std::string text;
  if (!std::getline(file, text)) return {};
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  std::vector<std::string> fields;
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

std::string name_of(pid_t process) {
  std::ifstream file(folder_of(process) / "comm");
  std::string name;
  std::getline(file, name);
  return name;
}

// Where smaps has a mapping's file.
constexpr std::size_t kNameColumn = 73;

bool is_shared_memory(const std::string& mapping) { return mapping.find("/dev/zero") != std::string::npos; }

}  // namespace

std::vector<pid_t> server_processes(const fs::path& data) {
  std::ifstream note(data / "postmaster.pid");
  pid_t server = 0;
  if (!(note >> server) || server <= 1) return {};
  std::vector<pid_t> processes{server};
  std::ifstream children(folder_of(server) / "task" / std::to_string(server) / "children");
  for (pid_t child = 0; children >> child;) processes.push_back(child);
  const std::vector<std::string> fields = stat_fields(server);
  if (fields.size() > 1 && std::stoi(fields[1]) > 1) processes.push_back(std::stoi(fields[1]));
  return processes;
}

HeldMemory held_memory(const std::vector<pid_t>& processes) {
  // By address and file: the server's children are forks of it, so that equal mappings have equal addresses.
  std::map<std::string, std::int64_t> shared;
  HeldMemory held;
  for (const pid_t process : processes) {
    std::ifstream file(folder_of(process) / "smaps");
    std::map<std::string, std::int64_t> own;
    std::string mapping;
    for (std::string line; std::getline(file, line);) {
      if (std::isupper(static_cast<unsigned char>(line[0])) == 0) {
        mapping = line.substr(0, line.find('-')) + line.substr(std::min(line.size(), kNameColumn));
        continue;
      }
      const std::size_t colon = line.find(':');
      const std::string what = line.substr(0, colon);
      if (what == "Pss") held.proportional += std::stoll(line.substr(colon + 1));
      if (what.rfind("Private_", 0) == 0 && !is_shared_memory(mapping))
        held.at_most += std::stoll(line.substr(colon + 1));
      if (what == "Size" && is_shared_memory(mapping)) own[mapping] = std::stoll(line.substr(colon + 1));
      if (what.rfind("Shared_", 0) == 0 && !is_shared_memory(mapping))
        own[mapping] += std::stoll(line.substr(colon + 1));
    }
    for (const auto& [name, kib] : own) shared[name] = std::max(shared[name], kib);
  }
  for (const auto& [name, kib] : shared) held.at_most += kib;
  return held;
}

std::int64_t processor_ms(const std::vector<pid_t>& processes) {
  constexpr std::size_t kUserTicks = 11;  // fields 14 and 15 of proc(5), counted from the third
  std::int64_t ticks = 0;
  for (const pid_t process : processes) {
    const std::vector<std::string> fields = stat_fields(process);
    if (fields.size() > kUserTicks + 1) ticks += std::stoll(fields[kUserTicks]) + std::stoll(fields[kUserTicks + 1]);
  }
  return ticks * 1000 / sysconf(_SC_CLK_TCK);
}

int other_postgres(const std::vector<pid_t>& processes) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    const pid_t process = std::stoi(name);
    if (name_of(process) == "postgres" && std::find(processes.begin(), processes.end(), process) == processes.end()) {
      ++count;
    }
  }
  return count;
}

}  // namespace steelyard::storage_study
