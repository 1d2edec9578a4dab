// An advisory lock on a file (flock): held until it goes out of scope, by every process that inherits its descriptor as
// well, and gone with the last of them, however that ends. Works between containers that share the folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "bench/model/result.hpp"

namespace steelyard {

class FileLock {
 public:
  // Absent where another holds it still after `patience`.
  static Result<std::optional<FileLock>> take(const std::filesystem::path& file, std::chrono::milliseconds patience);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  // Closes the descriptor; a child that inherited it keeps the lock.
  ~FileLock();
  int descriptor() const { return descriptor_; }

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace steelyard
