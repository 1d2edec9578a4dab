// PostgreSQL's pg_dump and pg_restore: where they are, and running one to its end with somebody watching. Found, not
// demanded. Passwords go through the child's environment, never its command line.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

struct DumpPrograms {
  std::filesystem::path dump;
  std::filesystem::path restore;
  int major = 0;
};

// Of the server's own major version, else the next newer one: an older pg_dump refuses the server, and what a newer one
// writes an older server may not understand. Looks in `packaged`/N/bin (Debian's /usr/lib/postgresql), then in the
// folders of `search_path`. Error (input): there is none; it names the package.
Result<DumpPrograms> find_dump_programs(int server_major, const std::filesystem::path& packaged,
                                        const std::string& search_path);
// On this machine: /usr/lib/postgresql and $PATH.
Result<DumpPrograms> find_dump_programs(int server_major);

struct DumpCommand {
  std::vector<std::string> words;  // the program's full path first
  std::string url;                 // given as --dbname; its password through the environment
};
// Ends with us: a killed steelyard leaves no pg_dump behind. `watch` is called about ten times a second. Error (store):
// it failed; with its own last words, and no password in them.
Result<void> run_dump_command(const DumpCommand& command, const std::function<void()>& watch);

}  // namespace steelyard
