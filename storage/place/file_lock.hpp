// An advisory lock on a file (flock): held until it goes out of scope, by every process that inherits its descriptor as
// well, and gone with the last of them, however that ends. Works between containers that share the folder. The file
// stays: removing it would let two processes lock two files of one name.
//
//     STEELYARD_TRY(const auto lock, FileLock::take(folder / "lock", std::chrono::seconds(5)));
//     if (!lock) ...  // another has it
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "bench/model/result.hpp"
#include "storage/place/file_descriptor.hpp"

namespace steelyard {

class FileLock {
 public:
  // Absent where another holds it still after `patience` (from 0 to a year). `mode`: of the file where it is created;
  // a link in its place is not followed. Error (store): no file that can be locked.
  static Result<std::optional<FileLock>> take(const std::filesystem::path& file, std::chrono::nanoseconds patience,
                                              mode_t mode = 0600);
  int descriptor() const { return descriptor_.number(); }  // for a child to inherit, which then holds the lock too

 private:
  explicit FileLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  FileDescriptor descriptor_;  // closing it gives the lock back
};

}  // namespace steelyard
