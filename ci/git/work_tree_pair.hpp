// Two commits checked out side by side in a private temporary folder, under paths of equal length (.../base and
// .../head), so that neither side's paths are longer in its environment or its binaries. Gone, with git's own record of
// them, when the object is destroyed.
#pragma once

#include <filesystem>
#include <string>

#include "bench/model/result.hpp"
#include "ci/git/repository.hpp"

namespace steelyard {

class WorkTreePair {
 public:
  // shas as resolve() gives them. Submodules are checked out too where a commit has some. Error (input).
  static Result<WorkTreePair> create(const GitRepository& repository, const std::string& base_sha,
                                     const std::string& head_sha);
  WorkTreePair(WorkTreePair&& other) noexcept;
  WorkTreePair& operator=(WorkTreePair&& other) = delete;
  ~WorkTreePair();

  std::filesystem::path base() const { return folder_ / "base"; }
  std::filesystem::path head() const { return folder_ / "head"; }

 private:
  WorkTreePair(std::filesystem::path repository, std::filesystem::path folder)
      : repository_(std::move(repository)), folder_(std::move(folder)) {}
  std::filesystem::path repository_;
  std::filesystem::path folder_;  // empty: moved from
};

}  // namespace steelyard
