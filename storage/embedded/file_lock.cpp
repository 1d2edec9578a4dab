#include "storage/embedded/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace steelyard {

Result<std::optional<FileLock>> FileLock::take(const std::filesystem::path& file, std::chrono::milliseconds patience) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) {
    return store_error("embedded store " + file.string(), "cannot open the lock file: " + std::string(strerror(errno)),
                       "", "set STEELYARD_STATE to a folder that you can write to");
  }
  FileLock lock(descriptor);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return store_error("embedded store " + file.string(), "cannot lock: " + std::string(strerror(errno)), "",
                         "set STEELYARD_STATE to a folder on a local disk");
    }
    if (std::chrono::steady_clock::now() >= deadline) return std::optional<FileLock>();
    // flock has no time limit of its own; this is short beside what a holder does.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::optional(std::move(lock));
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace steelyard
