// A private temporary folder with a folder for each side's copy of its program and a place for its output, under paths
// of equal length: the length of a path reaches the program's stack and heap, and moves what is measured.
#pragma once

#include <filesystem>

#include "bench/model/result.hpp"

namespace steelyard {

enum class Side { baseline, candidate };

class PrivateFolder {
 public:
  // In $TMPDIR, else /tmp; readable by this user only. Error (input): it cannot be made.
  static Result<PrivateFolder> create();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();  // removes all of it

  // A link to the executable, to run it by where it need not be copied (fresh_copy.hpp): for counting. A script is run
  // by its own path, because it may look for files beside itself; a program's $ORIGIN and /proc/self/exe lead to the
  // real place through the link.
  Result<std::filesystem::path> place(Side side, const std::filesystem::path& executable) const;
  std::filesystem::path of(Side side) const;
  std::filesystem::path output_file(Side side) const;

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Begins with "#!".
bool is_script(const std::filesystem::path& file);

}  // namespace steelyard
