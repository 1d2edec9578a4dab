#include "storage/spool/delivery_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace steelyard {
namespace {

// Short beside the delivery of one run, long beside the cost of asking.
constexpr std::chrono::milliseconds kPause{20};

}  // namespace

Result<DeliveryLock> DeliveryLock::take(const std::filesystem::path& folder, Nanoseconds longest_wait) {
  const std::filesystem::path path = folder / ".lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return store_error(path.string(), std::strerror(errno), "a file that can be locked",
                       "the runs wait where they are; make the folder writable");
  }
  DeliveryLock lock(descriptor);
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(longest_wait.count()));
  // A blocking flock() would have no limit, and a signal that ended it would have to be one of ours.
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return store_error(path.string(), std::strerror(errno), "a file that can be locked",
                         "the runs wait where they are");
    }
    if (Clock::now() >= deadline) {
      return store_error(path.string(), "another process that delivers runs, for longer than " + to_text(longest_wait),
                         "the lock", "the runs wait where they are; the next command delivers them");
    }
    std::this_thread::sleep_for(kPause);
  }
  return lock;
}

DeliveryLock::DeliveryLock(DeliveryLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

DeliveryLock::~DeliveryLock() {
  // Closing gives the lock back. The file stays: removing it would let two processes lock two files of one name.
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace steelyard
