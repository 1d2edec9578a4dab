#include "storage/embedded/cluster.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "storage/embedded/cluster_layout.hpp"
#include "storage/embedded/server_account.hpp"
#include "storage/embedded/server_control.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/embedded/server_programs.hpp"
#include "storage/embedded/server_use.hpp"
#include "storage/file_lock.hpp"
#include "storage/postgres/session.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

// Longer than one start with recovery and one initdb take: whoever holds the lock is doing these.
constexpr std::chrono::minutes kLockPatience{4};

Error no_programs() {
  return store_error("embedded store", "no PostgreSQL server on this machine (initdb and postgres)",
                     "one in /usr/lib/postgresql or PATH",
                     "install the package postgresql, or set STEELYARD_STORE to a postgresql:// address");
}

// The newest version that has data here and programs, else the newest that has programs: an upgrade of the machine that
// leaves the old programs in place changes nothing.
std::optional<ServerPrograms> choose(const std::vector<ServerPrograms>& programs, const std::vector<int>& majors) {
  for (const ServerPrograms& candidate : programs) {
    if (std::find(majors.begin(), majors.end(), candidate.major) != majors.end()) return candidate;
  }
  if (programs.empty()) return std::nullopt;
  return programs.front();
}

EmbeddedServer described(const ClusterLayout& layout, const fs::path& state) {
  EmbeddedServer server{layout.url(), layout.data(), layout.major, {}};
  for (const int major : existing_majors(layout.home)) {
    if (major == layout.major) continue;
    server.notes.push_back("a cluster of PostgreSQL " + std::to_string(major) + " is kept in " +
                           (layout.home / std::to_string(major)).string() +
                           "; its runs are not in this store: steelyard db rebuild fills it from their archives in " +
                           (fs::absolute(state) / "runs").string());
  }
  if (layout.home.parent_path() != fs::absolute(state)) {
    server.notes.push_back("the server cannot reach " + fs::absolute(state).string() + "; its files are in " +
                           layout.home.string());
  }
  if (!open_keeper_program()) {
    server.notes.push_back(
        "the server does not end by itself: steelyard_keeper is not in ../lib/steelyard beside the "
        "program; steelyard db stop ends it");
  }
  return server;
}

// A folder of the account, closed to others. One that exists is used only if it is exactly that: below /tmp anyone
// could have put it there.
Result<void> make_private(const fs::path& folder, const ServerAccount& account) {
  if (mkdir(folder.c_str(), S_IRWXU) == 0) {
    if (!account.must_switch || lchown(folder.c_str(), account.user, account.group) == 0) return {};
  }
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0) {
    return store_error("embedded store " + folder.string(), "cannot create the folder: " + std::string(strerror(errno)),
                       "", "set STEELYARD_STATE to a folder that you can write to");
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != account.user || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return store_error("embedded store " + folder.string(), "something that others may have put there",
                       "a folder of user " + account.name + " that is closed to others",
                       "remove it, or set STEELYARD_STATE to another folder");
  }
  return {};
}

// All at once: initdb itself would flush a thousand files one by one.
Result<void> flush_disk_of(const fs::path& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened && ::syncfs(opened.number()) == 0) return {};
  return store_error("embedded store " + folder.string(),
                     "cannot be written to the disk: " + std::string(strerror(errno)), "",
                     "mend that, or set STEELYARD_STATE to a folder on another disk");
}

Result<void> create_cluster(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account) {
  // Renamed when complete: whatever ends us in between leaves no half cluster under the final name.
  const fs::path unfinished = layout.folder() / "data.new";
  std::error_code trouble;
  fs::remove_all(unfinished, trouble);
  STEELYARD_TRY(
      const ProgramAnswer answer,
      run_program(account, {(programs.folder / "initdb").string(), "--pgdata=" + unfinished.string(),
                            "--username=steelyard", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8",
                            "--locale=C", "--data-checksums", "--no-instructions", "--no-sync"}));
  if (answer.status == 0) STEELYARD_CHECK(flush_disk_of(unfinished));
  if (answer.status == 0) fs::rename(unfinished, layout.data(), trouble);
  if (answer.status == 0 && !trouble) return {};
  const std::string why = trouble ? trouble.message() : last_lines(answer.output);
  fs::remove_all(unfinished, trouble);
  return store_error("embedded store " + layout.folder().string(), "cannot create the cluster: " + why, "",
                     "mend that, or set STEELYARD_STATE to a folder on another disk");
}

Result<EmbeddedServer> start_chosen(const fs::path& state, const ClusterLayout& layout, const ServerPrograms& programs,
                                    const ServerAccount& account, std::chrono::milliseconds allowed) {
  STEELYARD_TRY(const auto lock, FileLock::take(layout.start_lock(), kLockPatience));
  if (!lock) {
    return store_error("embedded store " + layout.home.string(), "another steelyard that has been starting it for long",
                       "the lock on " + layout.start_lock().string(), "end that process and try again");
  }
  note_use(layout, allowed);
  if (answers(layout)) return described(layout, state);
  STEELYARD_CHECK(make_private(layout.folder(), account));
  STEELYARD_CHECK(make_private(layout.socket_folder(), account));
  std::error_code trouble;
  if (!fs::exists(layout.data(), trouble)) STEELYARD_CHECK(create_cluster(layout, programs, account));
  STEELYARD_CHECK(start_server(layout, programs, account));
  STEELYARD_CHECK(make_database(layout));
  return described(layout, state);
}

}  // namespace

Result<EmbeddedServer> ensure_embedded_running(const fs::path& state) {
  STEELYARD_TRY(const std::chrono::milliseconds allowed, allowed_idle_time());
  STEELYARD_TRY(ServerAccount account, account_for_server());
  ClusterLayout layout{cluster_home(state, account), 0};
  const std::vector<int> majors = existing_majors(layout.home);
  // The usual case costs one connection and looks at nothing else.
  for (const int major : majors) {
    layout.major = major;
    note_use(layout, allowed);
    if (answers(layout)) return described(layout, state);
  }
  const auto programs = choose(find_server_programs(), majors);
  if (!programs) return no_programs();
  layout.major = programs->major;
  STEELYARD_CHECK(make_home(state, layout.home, account));
  std::error_code trouble;
  if (fs::exists(layout.folder(), trouble)) {
    STEELYARD_TRY(account, account_of(layout.folder()));
  }
  if (account.must_switch && !can_reach(account, layout.home)) {
    return store_error("embedded store " + layout.home.string(), "a folder that user " + account.name + " cannot reach",
                       "one that the server's user may pass through",
                       "run chmod o+x on the folders above it, or set STEELYARD_STATE=/var/lib/steelyard");
  }
  return start_chosen(state, layout, *programs, account, allowed);
}

Result<bool> stop_embedded(const fs::path& state) {
  // Without an account there was no server either.
  ClusterLayout layout{cluster_home(state, account_for_server() ? *account_for_server() : current_account()), 0};
  bool any = false;
  for (const int major : existing_majors(layout.home)) {
    layout.major = major;
    STEELYARD_TRY(const bool ran, stop_server(layout));
    any = any || ran;
  }
  return any;
}

}  // namespace steelyard
