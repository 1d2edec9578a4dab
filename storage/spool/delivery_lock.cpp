#include "storage/spool/delivery_lock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace steelyard {
namespace {

// Longer waits are no limit; keeps the conversion to whole nanoseconds in range.
constexpr Nanoseconds kLongestWait = seconds(86400.0 * 365);
// Whoever may write into the spool may deliver from it.
constexpr mode_t kMode = 0666;

std::chrono::nanoseconds bounded(Nanoseconds wait) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::clamp(wait.count(), 0.0, kLongestWait.count())));
}

}  // namespace

Result<DeliveryLock> DeliveryLock::take(const std::filesystem::path& folder, Nanoseconds longest_wait) {
  const std::filesystem::path path = folder / ".lock";
  Result<std::optional<FileLock>> lock = FileLock::take(path, bounded(longest_wait), kMode);
  if (!lock) {
    Error why = std::move(lock).error();
    why.mend = "what waits stays where it is; " + why.mend;
    return why;
  }
  if (!lock->has_value()) {
    return store_error(path.string(), "another process that delivers, for longer than " + to_text(longest_wait),
                       "the lock", "what waits stays where it is; the next command delivers it");
  }
  return DeliveryLock(std::move(**lock));
}

}  // namespace steelyard
