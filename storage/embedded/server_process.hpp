// Child processes of the store: programs that run to their end, and the embedded server, which outlives us. Not the
// runner's (bench/runner/child_start.hpp), which the store may not know: what it starts runs as another user, or
// detached.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::storage {

// The operating-system user that the embedded server runs as. PostgreSQL refuses to run as root, and its initdb refuses
// a user without an entry in the password database.

struct ServerAccount {
  uid_t user = 0;
  gid_t group = 0;
  std::string name;
  bool must_switch = false;  // we are root and it is not
};

// The user we are, whether or not a server could run as it.
ServerAccount current_account();
// Ourselves, or where we are root an unprivileged user that exists: postgres, else nobody. None is created.
Result<ServerAccount> account_for_server();
// The one that owns `folder`, of a cluster that exists already.
Result<ServerAccount> account_of(const std::filesystem::path& folder);

// Whether the account may pass through `folder` and every folder above it. Access lists are not looked at.
bool can_reach(const ServerAccount& account, const std::filesystem::path& folder);

struct ProgramAnswer {
  int status = 0;      // exit status; 128 + signal where one ended it
  std::string output;  // standard output and error, its last 64 KiB
};

// initdb takes a second; on a loaded machine with a slow disk, tens of them.
inline constexpr std::chrono::minutes kLongestProgram{2};

struct ProgramSettings {
  std::chrono::minutes longest = kLongestProgram;  // then it is ended by force
  std::vector<std::string> environment{};          // "NAME=value", all of it; empty: a small fixed one
  // With our folder and umask; else in /, and what it makes is for the account alone.
  bool in_callers_place = false;
  std::function<void()> watch{};  // called about ten times a second
};
// Runs command[0] (a full path) as the account. It is ended by force where we are killed.
Result<ProgramAnswer> run_program(const ServerAccount& account, const std::vector<std::string>& command,
                                  const ProgramSettings& settings = {});

struct DetachedProgram {
  std::vector<std::string> command;
  std::filesystem::path log;            // appended to
  std::vector<int> kept_descriptors{};  // stay open in the program, under their numbers, and in its children
  int opened_program = -1;              // run instead of the file command[0], which need not be reachable
};
// Starts it in a session of its own with no descriptor of ours but the kept ones, so that neither a terminal's hang-up
// nor a reader of our output is tied to it. The process id, once the program has replaced the fork of us.
Result<pid_t> start_detached(const ServerAccount& account, const DetachedProgram& program);

// Whether the process runs (is no zombie) and was started with `argument` among its arguments.
bool runs_with_argument(pid_t process, const std::string& argument);

// Where PostgreSQL's server programs are on this machine. Found, not demanded.

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

}  // namespace steelyard::storage
