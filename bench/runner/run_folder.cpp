#include "bench/runner/run_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/model/sha256.hpp"

namespace steelyard::bench {

void remove_whole(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  fs::remove_all(folder, trouble);
  if (!trouble) return;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    std::error_code unknown;
    if (!fs::is_directory(entry->symlink_status(unknown))) continue;
    fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, unknown);
  }
  fs::remove_all(folder, ignored);
}

namespace {

// Of its own: nothing else of ours is called so, and nothing of an older version, which holds no locks.
constexpr std::string_view kPrefix = "steelyard-run-";
constexpr std::size_t kDrawn = 6;  // characters that mkdtemp() draws
constexpr int kTries = 20;

enum class FolderLock { taken, held_by_another, not_to_be_had };

// A lock belongs to what was opened: processes that inherit the descriptor hold it, too.
FolderLock try_lock(const Descriptor& folder) {
  if (::flock(folder.number(), LOCK_EX | LOCK_NB) == 0) return FolderLock::taken;
  return errno == EWOULDBLOCK ? FolderLock::held_by_another : FolderLock::not_to_be_had;
}

Descriptor opened(const std::filesystem::path& folder) {
  return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void clear_abandoned(const std::filesystem::path& parent) {
  std::error_code trouble;
  for (std::filesystem::directory_iterator entry(parent, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    if (!RunFolder::is_named_so(entry->path())) continue;
    const Descriptor folder = opened(entry->path());
    struct stat status = {};
    if (!folder.is_open() || ::fstat(folder.number(), &status) != 0 || status.st_uid != ::geteuid()) continue;
    if (try_lock(folder) == FolderLock::taken) remove_whole(entry->path());
  }
}

// Between its making and its locking somebody may have taken it for abandoned.
bool is_still_there(const Descriptor& folder) {
  struct stat status = {};
  return ::fstat(folder.number(), &status) == 0 && status.st_nlink > 0;
}

}  // namespace

bool RunFolder::is_named_so(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return name.size() == kPrefix.size() + kDrawn && name.starts_with(kPrefix);
}

std::string lack_of_space(const std::filesystem::path& folder) {
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  return unknown ? "" : lack_of_space(folder, space);
}

std::string lack_of_space(const std::filesystem::path& folder, const std::filesystem::space_info& space) {
  constexpr std::uintmax_t kBlock = 4096;
  // A file system without any size, as that of the kernel's own, has no limit.
  if (space.capacity == 0 || space.available >= kBlock) return "";
  std::filesystem::path shown = folder;
  for (std::filesystem::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    if (RunFolder::is_named_so(at)) shown = at.parent_path();
  }
  return "no space is left in " + shown.string() + " (TMPDIR)";
}

Result<RunFolder> RunFolder::create(const std::string& purpose) {
  std::error_code failure;
  std::filesystem::path parent = std::filesystem::temp_directory_path(failure);
  if (failure) parent = "/tmp";
  clear_abandoned(parent);
  const auto named = [&parent](const std::string& end) { return (parent / (std::string(kPrefix) + end)).string(); };
  for (int i = 0; i < kTries; ++i) {
    std::string pattern = named(sha256_hex(purpose).substr(0, kDrawn));
    const bool has_its_own = i == 0 && !purpose.empty() && ::mkdir(pattern.c_str(), S_IRWXU) == 0;
    if (!has_its_own) pattern = named(std::string(kDrawn, 'X'));
    if (!has_its_own && ::mkdtemp(pattern.data()) == nullptr) {
      return input_error(parent.string(), std::strerror(errno), "a folder for temporary files",
                         "free space there, or set TMPDIR");
    }
    Descriptor folder = opened(pattern);
    if (!folder.is_open() || try_lock(folder) == FolderLock::held_by_another || !is_still_there(folder)) continue;
    return RunFolder(pattern, std::move(folder));
  }
  return input_error(parent.string(), "folders that are gone as soon as they are made", "a folder for temporary files",
                     "set TMPDIR to another one");
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

RunFolder::~RunFolder() {
  if (!path_.empty()) remove_whole(path_);
}

}  // namespace steelyard::bench
