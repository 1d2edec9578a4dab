// A temporary folder of one run of ours, readable by this user only, and gone when the object is. A lock is held on it
// for as long as anything of the run lives, so that a later run can tell what a killed one has left, and clears that;
// a living run's is never touched.
//
//     STEELYARD_TRY(const RunFolder folder, RunFolder::create());
//     folder.path()
#pragma once

#include <filesystem>
#include <string>

#include "bench/model/result.hpp"
#include "bench/runner/descriptor.hpp"

namespace steelyard::bench {

// With what lies in folders that may not be written to, as builds leave them (caches of modules). What cannot be
// removed stays.
void remove_whole(const std::filesystem::path& folder);

// Why nothing could be written in `folder`: "no space is left in /tmp (TMPDIR)", with the folder that a run's own is
// in. Empty: there is room, or nobody can tell.
std::string lack_of_space(const std::filesystem::path& folder);
std::string lack_of_space(const std::filesystem::path& folder, const std::filesystem::space_info& space);

class RunFolder {
 public:
  // In $TMPDIR, else /tmp. First clears there what killed runs of this user have left. Runs of one `purpose` have the
  // same path one after the other; of several at once the first has it. Error (input): it cannot be made.
  static Result<RunFolder> create(const std::string& purpose = "");
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();  // removes all of it

  // Empty: moved from.
  const std::filesystem::path& path() const { return path_; }

  // Whether a path has the name of such a folder, wherever it lies.
  static bool is_named_so(const std::filesystem::path& folder);

 private:
  RunFolder(std::filesystem::path path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace steelyard::bench
