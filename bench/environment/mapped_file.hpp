// A file's bytes mapped into memory, read only: not copied, so that a debug build larger than what memory has to spare
// can be looked at.
//
//     STEELYARD_TRY(const MappedFile file, MappedFile::open(path));
//     ... file.bytes() ...
#pragma once

#include <filesystem>
#include <string_view>

#include "bench/model/result.hpp"

namespace steelyard {

class MappedFile {
 public:
  // Error (input): it cannot be read, is no regular file, or is above 4 GiB.
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

}  // namespace steelyard
