// Where PostgreSQL's server programs are on this machine. Found, not demanded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace steelyard {

struct ServerPrograms {
  std::filesystem::path folder;  // holds both initdb and postgres
  int major = 0;                 // 15, 17, ...
  bool packaged = false;         // in the system's own place, not only in someone's search path
  bool operator==(const ServerPrograms&) const = default;
};

// Newest first: the folders N/bin below `packaged` (Debian's /usr/lib/postgresql) that hold both programs, then the
// folders of `search_path` (colons between them). Each major version once.
std::vector<ServerPrograms> find_server_programs(const std::filesystem::path& packaged, const std::string& search_path);

// On this machine: /usr/lib/postgresql and $PATH.
std::vector<ServerPrograms> find_server_programs();

}  // namespace steelyard
