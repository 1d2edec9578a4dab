// The right to deliver from one spool: one process at a time has it, and loses it when it ends, however it ends.
// Internal to storage/spool.
//
//     STEELYARD_TRY(const DeliveryLock lock, DeliveryLock::take(folder, seconds(60)));
#pragma once

#include <filesystem>
#include <utility>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "storage/place/file_lock.hpp"

namespace steelyard {

class DeliveryLock {
 public:
  // Error (store): another process still has it after `longest_wait`; or the lock file cannot be made.
  static Result<DeliveryLock> take(const std::filesystem::path& folder, Nanoseconds longest_wait);

 private:
  explicit DeliveryLock(FileLock lock) : lock_(std::move(lock)) {}
  FileLock lock_;
};

}  // namespace steelyard
