#include "storage/embedded/cluster_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>

#include "storage/embedded/server_control.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/files.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

// Whoever has so many replaced clusters has another trouble.
constexpr int kMostOfOneName = 1000;

Error cannot_create(const ClusterLayout& layout, const std::string& why) {
  return store_error("embedded store " + layout.folder().string(), "cannot create the cluster: " + why, "",
                     "mend that, or set STEELYARD_STATE to a folder on another disk");
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
  return cannot_create(layout, last_lines(answer.output));
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
  ClusterLayout unfinished = layout;
  unfinished.data_name = kUnfinished;
  STEELYARD_CHECK(initialise_data(unfinished, programs, account));
  STEELYARD_CHECK(flush_disk_of(unfinished.data()));
  std::error_code trouble;
  fs::rename(unfinished.data(), layout.data(), trouble);
  if (!trouble) return {};
  std::error_code ignored;
  fs::remove_all(unfinished.data(), ignored);
  return cannot_create(layout, trouble.message());
}

Result<fs::path> set_cluster_aside(const fs::path& home, int major) {
  const ClusterLayout layout{home, major};
  std::error_code trouble;
  if (!fs::exists(layout.data(), trouble)) return fs::path();
  STEELYARD_TRY(const auto lock, FileLock::take(layout.server_lock(), std::chrono::seconds(0)));
  if (!lock) return fs::path();
  const std::string name = layout.folder().string() + kReplaced;
  fs::path target = name;
  for (int i = 2; fs::exists(target, trouble) && i < kMostOfOneName; ++i) target = name + '.' + std::to_string(i);
  fs::rename(layout.folder(), target, trouble);
  if (!trouble) return target;
  return store_error("embedded store " + layout.folder().string(), "cannot be renamed: " + trouble.message(),
                     target.string(), "rename it by hand");
}

}  // namespace steelyard
