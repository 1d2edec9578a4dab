#include "storage/place/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

namespace steelyard::storage {
namespace {

// flock has no time limit of its own, and a signal that ended a blocking one would have to be one of ours. Short beside
// what a holder does, long beside the cost of asking.
constexpr std::chrono::milliseconds kPauseForLock{10};
// Keeps the arithmetic of the clock in range.
constexpr std::chrono::nanoseconds kLongestPatience = std::chrono::hours(24 * 365);

Error cannot_lock(const std::filesystem::path& file, int code) {
  return store_error(file.string(), std::strerror(code), "a file that can be locked",
                     "set STEELYARD_STATE to a folder on a local disk that you can write to");
}

}  // namespace

Result<std::optional<FileLock>> FileLock::take(const std::filesystem::path& file, std::chrono::nanoseconds patience,
                                               mode_t mode) {
  FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!descriptor) return cannot_lock(file, errno);
  const auto deadline = std::chrono::steady_clock::now() + std::min(patience, kLongestPatience);
  while (::flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return cannot_lock(file, errno);
    if (std::chrono::steady_clock::now() >= deadline) return std::optional<FileLock>();
    std::this_thread::sleep_for(kPauseForLock);
  }
  return std::optional<FileLock>(FileLock(std::move(descriptor)));
}

namespace {

namespace fs = std::filesystem;

// A file under a name of its own until it is renamed; removed where that does not happen.
class PartialFile {
 public:
  explicit PartialFile(const fs::path& target) : path_(target.parent_path() / name_beside(target)) {}
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  const fs::path& path() const { return path_; }
  bool rename_to(const fs::path& target) { return renamed_ = ::rename(path_.c_str(), target.c_str()) == 0; }

 private:
  // Hidden, not ending in .syrun, and no two alike on this machine.
  static std::string name_beside(const fs::path& target) {
    static std::atomic<int> count{0};
    return '.' + target.filename().string() + '.' + std::to_string(::getpid()) + '.' + std::to_string(++count) +
           ".part";
  }

  fs::path path_;
  bool renamed_ = false;
};

Error write_error(const fs::path& path, int code) {
  const std::string found = std::strerror(code);
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return store_error(path.string(), found, "room for the run",
                         "free some space or name another place, then run again");
    case EIO:
      return store_error(path.string(), found, "a disk that keeps what is written", "name a place on another disk");
    default:
      return input_error(path.string(), found, "a place that can be written", "name another place");
  }
}

int flush_folder(const fs::path& folder) {
  FileDescriptor descriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor) return errno;
  // Some file systems cannot flush a folder and say so with EINVAL; there is nothing more to do on those.
  return ::fsync(descriptor.number()) == 0 || errno == EINVAL ? 0 : errno;
}

// At most `most` bytes; a file of more than `limit` is refused.
Result<std::string> read_regular(const fs::path& path, std::int64_t limit, std::int64_t most) {
  const auto refuse = [&](std::string found) {
    return input_error(path.string(), std::move(found), "a file that can be read", "");
  };
  // A pipe would block the open for ever.
  FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor) return refuse(std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) return refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return refuse(S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
  if (status.st_size > limit) {
    return input_error(path.string(), std::to_string(status.st_size) + " bytes", "at most " + std::to_string(limit),
                       "");
  }
  std::string bytes(static_cast<std::size_t>(std::min<std::int64_t>(status.st_size, most)), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(descriptor.number(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(std::strerror(errno));
    if (got == 0) break;  // it shrank meanwhile; what is missing will be noticed
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::int64_t limit) { return read_regular(path, limit, limit); }

Result<std::string> read_beginning(const fs::path& path, std::size_t most) {
  return read_regular(path, INT64_MAX, static_cast<std::int64_t>(most));
}

Result<std::vector<fs::path>> files_below(const fs::path& folder, const FileSearch& search) {
  std::vector<fs::path> paths;
  std::error_code trouble;
  for (fs::recursive_directory_iterator entry(folder, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    std::error_code own;
    if (entry->path().filename() == ".git" && entry->is_directory(own)) entry.disable_recursion_pending();
    if (entry->path().extension() != search.extension || entry->is_directory(own)) continue;
    if (paths.size() == search.most) {
      return input_error(folder.string(),
                         "more than " + std::to_string(search.most) + ' ' + std::string(search.counted),
                         std::string(search.wanted_of_more), std::string(search.fix_of_more));
    }
    paths.push_back(entry->path());
  }
  if (trouble) return input_error(folder.string(), trouble.message(), std::string(search.wanted));
  std::sort(paths.begin(), paths.end());
  return paths;
}

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Result<void> write_file(const fs::path& path, std::string_view bytes) {
  PartialFile part(path);
  FileDescriptor descriptor(::open(part.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!descriptor) return write_error(path, errno);
  if (const int code = write_all(descriptor.number(), bytes); code != 0) return write_error(path, code);
  if (::fsync(descriptor.number()) != 0) return write_error(path, errno);
  if (!descriptor.close()) return write_error(path, errno);
  if (!part.rename_to(path)) return write_error(path, errno);
  if (const int code = flush_folder(path.parent_path()); code != 0) return write_error(path, code);
  return {};
}

namespace {

// The system's own names, most of them links (/dev/stdout, /dev/fd/63); where everybody may write is none of them.
bool is_of_the_system(const fs::path& file) {
  std::error_code code;
  const std::string name = fs::absolute(file, code).lexically_normal().string();
  return name.starts_with("/proc/") || (name.starts_with("/dev/") && !name.starts_with("/dev/shm/"));
}

}  // namespace

fs::path place_of(const fs::path& file, LinkInPlace link) {
  constexpr int kMaxLinks = 40;  // as Linux has it
  fs::path place = file;
  std::error_code code;
  for (int i = 0; link == LinkInPlace::followed && i < kMaxLinks; ++i) {
    if (!fs::is_symlink(place, code) || is_of_the_system(place)) break;
    place = place.parent_path() / fs::read_symlink(place, code);
  }
  return place;
}

bool is_written_in_place(const fs::path& place) {
  std::error_code code;
  const fs::file_type type = fs::symlink_status(place, code).type();
  if (type == fs::file_type::symlink) return is_of_the_system(place);
  return type == fs::file_type::fifo || type == fs::file_type::character || type == fs::file_type::block ||
         type == fs::file_type::socket;
}

// A pipe's reader may come later; one that strangers' code left has none for ever.
int write_in_place(const fs::path& place, std::string_view bytes) {
  constexpr int kMaxTries = 100;
  const int links = is_of_the_system(place) ? 0 : O_NOFOLLOW;
  for (int tries = 1;; ++tries) {
    FileDescriptor file(::open(place.c_str(), O_WRONLY | O_TRUNC | O_NONBLOCK | O_CLOEXEC | links));
    if (file) {
      ::fcntl(file.number(), F_SETFL, ::fcntl(file.number(), F_GETFL) & ~O_NONBLOCK);
      if (const int code = write_all(file.number(), bytes); code != 0) return code;
      return file.close() ? 0 : errno;
    }
    if (errno != ENXIO || tries == kMaxTries) return errno;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Result<void> write_named_file(const fs::path& file, std::string_view bytes, LinkInPlace link) {
  const fs::path place = place_of(file, link);
  if (!is_written_in_place(place)) return write_file(place, bytes);
  const int code = write_in_place(place, bytes);
  return code == 0 ? Result<void>() : write_error(file, code);
}

Result<void> rename_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return write_error(to, errno);
  if (const int code = flush_folder(to.parent_path()); code != 0) return write_error(to, code);
  return {};
}

}  // namespace steelyard::storage
