#include "storage/place/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

namespace steelyard {
namespace {

// flock has no time limit of its own, and a signal that ended a blocking one would have to be one of ours. Short beside
// what a holder does, long beside the cost of asking.
constexpr std::chrono::milliseconds kPause{10};
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
    std::this_thread::sleep_for(kPause);
  }
  return std::optional<FileLock>(FileLock(std::move(descriptor)));
}

}  // namespace steelyard
