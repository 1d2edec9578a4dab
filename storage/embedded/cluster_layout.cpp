#include "storage/embedded/cluster_layout.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "bench/model/sha256.hpp"
#include "storage/embedded/server_control.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/files.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/access/roles.hpp"

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;

// A Unix socket's address holds 108 bytes with its end; some systems have 104.
constexpr std::size_t kLongestSocketPath = 100;
constexpr const char* kSocketFile = "/.s.PGSQL.5432";
constexpr const char* kCommonHome = "/var/lib/steelyard";
constexpr std::size_t kHashDigits = 16;

fs::path location_note(const fs::path& state) { return state / "postgres.location"; }

std::string short_hash(const fs::path& folder) {
  const fs::path normal = fs::absolute(folder).lexically_normal();
  // "/a/b/" is "/a/b".
  return sha256_hex((normal.has_filename() ? normal : normal.parent_path()).string()).substr(0, kHashDigits);
}

Error cannot_create_folder(const fs::path& folder, const std::string& why) {
  return store_error("embedded store " + folder.string(), "cannot create the folder: " + why, "",
                     "set STEELYARD_STATE to a folder that you can write to");
}

}  // namespace

fs::path ClusterLayout::socket_folder() const {
  const fs::path inside = folder() / socket_name;
  const std::string text = inside.string();
  // libpq takes a comma for the border between two hosts.
  const bool fits = text.size() + std::strlen(kSocketFile) <= kLongestSocketPath && text.find(',') == std::string::npos;
  return fits ? inside : fs::path("/tmp/steelyard-" + short_hash(socket_name == "socket" ? folder() : inside));
}

namespace {

Result<std::string> url_of(const ClusterLayout& layout, const std::string& login_and_database,
                           const fs::path& password) {
  // Anyone may have put a socket of their own at a name that can be guessed: who answers must be who owns the cluster.
  STEELYARD_TRY(const ServerAccount server, account_of(layout.folder()));
  // What is not said here, libpq would take from PGPORT, PGOPTIONS and other variables.
  return "postgresql://" + login_and_database + "?host=" + percent_encode(layout.socket_folder().string()) +
         "&passfile=" + percent_encode(password.string()) +
         "&port=5432&sslmode=disable&gssencmode=disable&options=&target_session_attrs=any&requirepeer=" +
         percent_encode(server.name);
}

}  // namespace

Result<std::string> ClusterLayout::url(const std::string& database) const {
  return url_of(*this, "steelyard@/" + database, password_file());
}

Result<std::string> ClusterLayout::daily_url() const {
  return url_of(*this, std::string(kDailyLogin) + "@/steelyard", daily_password_file());
}

fs::path cluster_home(const fs::path& state, const ServerAccount& account) {
  const fs::path usual = fs::absolute(state) / "postgres";
  // A cluster stays where it once was, even if permissions change afterwards.
  if (!existing_majors(usual).empty()) return usual;
  std::ifstream note(location_note(state));
  if (std::string text; std::getline(note, text) && fs::path(text).is_absolute()) return text;
  if (!account.must_switch || can_reach(account, state)) return usual;
  return fs::path(kCommonHome) / ("postgres-" + short_hash(state));
}

Result<void> make_home(const fs::path& state, const fs::path& home, const ServerAccount& account) {
  std::error_code trouble;
  for (const fs::path& folder : {state, home}) {
    fs::create_directories(folder, trouble);
    if (trouble) return cannot_create_folder(folder, trouble.message());
  }
  // For root the server's account has to pass through; nobody needs to list it.
  const mode_t mode = account.must_switch ? S_IRWXU | S_IXGRP | S_IXOTH : S_IRWXU;
  if (chmod(home.c_str(), mode) != 0) return cannot_create_folder(home, std::strerror(errno));
  if (home == fs::absolute(state) / "postgres" || fs::exists(location_note(state), trouble)) return {};
  std::ofstream note(location_note(state));
  note << home.string() << '\n';
  note.close();
  if (!note) return cannot_create_folder(location_note(state), "its disk is full or not writable");
  return {};
}

std::vector<fs::path> replaced_clusters(const fs::path& home) {
  std::vector<fs::path> folders;
  std::error_code trouble;
  for (fs::directory_iterator entry(home, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
    if (entry->path().filename().string().find(kReplaced) != std::string::npos) folders.push_back(entry->path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<int> existing_majors(const fs::path& home) {
  std::vector<int> majors;
  std::error_code trouble;  // no such folder: no cluster
  for (fs::directory_iterator entry(home, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
    const std::string name = entry->path().filename().string();
    const bool number = !name.empty() && name.size() < 4 &&
                        std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
    std::error_code unreadable;
    if (number && fs::exists(entry->path() / "data", unreadable)) majors.push_back(std::stoi(name));
  }
  std::sort(majors.rbegin(), majors.rend());
  return majors;
}

namespace {

namespace fs = std::filesystem;

// Whoever has so many replaced clusters has another trouble.
constexpr int kMaxOfOneName = 1000;

Error cannot_create_cluster(const ClusterLayout& layout, const std::string& why) {
  return store_error("embedded store " + layout.folder().string(), "cannot create the cluster: " + why, "",
                     "fix that, or set STEELYARD_STATE to a folder on another disk");
}

}  // namespace

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

namespace {

FileDescriptor opened_folder(const fs::path& folder) {
  return FileDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// Whether what was opened is what lies there now.
bool is_still(const fs::path& folder, const FileDescriptor& opened) {
  struct stat was {};
  struct stat is {};
  return ::fstat(opened.number(), &was) == 0 && ::lstat(folder.c_str(), &is) == 0 && was.st_dev == is.st_dev &&
         was.st_ino == is.st_ino;
}

}  // namespace

FileDescriptor hold_socket_folder(const ClusterLayout& layout, const ServerAccount& account, bool makes) {
  constexpr int kTries = 10;  // it may be removed before it is held
  const fs::path folder = layout.socket_folder();
  for (int left = layout.has_sockets_outside() ? kTries : 0; left > 0; --left) {
    if (makes && !make_private(folder, account)) break;
    FileDescriptor opened = opened_folder(folder);
    if (opened && ::flock(opened.number(), LOCK_SH) == 0 && is_still(folder, opened)) return opened;
  }
  return FileDescriptor();
}

void remove_socket_folder(const ClusterLayout& layout) {
  if (!layout.has_sockets_outside()) return;
  const fs::path folder = layout.socket_folder();
  const FileDescriptor opened = opened_folder(folder);
  if (opened && ::flock(opened.number(), LOCK_EX | LOCK_NB) == 0) ::rmdir(folder.c_str());
}

Result<void> initialise_data(const ClusterLayout& layout, const ServerPrograms& programs,
                             const ServerAccount& account) {
  std::error_code trouble;
  fs::remove_all(layout.data(), trouble);
  STEELYARD_TRY(
      const ProgramAnswer answer,
      run_program(account, {(programs.folder / "initdb").string(), "--pgdata=" + layout.data().string(),
                            "--username=steelyard", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8",
                            "--locale=C", "--data-checksums", "--no-instructions", "--no-sync"}));
  if (answer.status == 0) return {};
  fs::remove_all(layout.data(), trouble);
  return cannot_create_cluster(layout, last_lines(answer.output));
}

// All at once: initdb itself would flush a thousand files one by one.
Result<void> flush_disk_of(const fs::path& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened && ::syncfs(opened.number()) == 0) return {};
  return store_error("embedded store " + folder.string(),
                     "cannot be written to the disk: " + std::string(strerror(errno)), "",
                     "fix that, or set STEELYARD_STATE to a folder on another disk");
}

Result<void> create_cluster(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account) {
  // Renamed when complete: whatever ends us in between leaves no half cluster under the final name.
  ClusterLayout unfinished = layout;
  unfinished.data_name = kUnfinished;
  STEELYARD_CHECK(initialise_data(unfinished, programs, account));
  STEELYARD_CHECK(flush_disk_of(unfinished.data()));
  std::error_code trouble;
  fs::rename(unfinished.data(), layout.data(), trouble);
  if (!trouble) return {};
  std::error_code ignored;
  fs::remove_all(unfinished.data(), ignored);
  return cannot_create_cluster(layout, trouble.message());
}

Result<fs::path> set_cluster_aside(const fs::path& home, int major) {
  const ClusterLayout layout{home, major};
  std::error_code trouble;
  if (!fs::exists(layout.data(), trouble)) return fs::path();
  STEELYARD_TRY(const auto lock, FileLock::take(layout.server_lock(), std::chrono::seconds(0)));
  if (!lock) return fs::path();
  const std::string name = layout.folder().string() + kReplaced;
  fs::path target = name;
  for (int i = 2; fs::exists(target, trouble) && i < kMaxOfOneName; ++i) target = name + '.' + std::to_string(i);
  fs::rename(layout.folder(), target, trouble);
  if (!trouble) return target;
  return store_error("embedded store " + layout.folder().string(), "cannot be renamed: " + trouble.message(),
                     target.string(), "rename it by hand");
}

}  // namespace steelyard::storage
