// Builds of baselines, kept from gate to gate by commit and command: a request that is pushed again is compared with
// the same baseline. Kept is what the build added to its work tree, which stands under the same path the next time
// (WorkTreePair). Whoever sets $STEELYARD_BUILD_CACHE to a folder has it; nothing is kept without it.
//
//     const KeptBuilds kept(KeptBuilds::folder());
//     const std::string name = name_of({sha, command, tree}, cancelled);
//     if (!*kept.put_into(tree, name)) ... build, then kept.keep(tree, name) ...
//
// Nothing here is history, and all of it may be deleted at any time. Safe with several processes: an entry is written
// beside its place and renamed.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "bench/model/result.hpp"
#include "bench/runner/confinement.hpp"

namespace steelyard::ci {

struct BuildIdentity {
  std::string commit;
  std::string command;
  std::filesystem::path tree;
  bool has_submodules = true;
};
// 64 hex digits of it and of what else a build depends on as far as it can be told: the system's packages, compilers
// and their versions, the processor (a build may be for this one alone), and the variables that compilers and CMake
// read.
std::string name_of(const BuildIdentity& identity, const std::atomic<bool>* cancelled);

struct KeptBuildLimits {
  std::uintmax_t bytes_of_one = std::uintmax_t{512} << 20;
  std::uintmax_t bytes = std::uintmax_t{2} << 30;
};

// What a build added to its work tree, into another one that is a fresh checkout, and is one again after an error.
// Error (input): it changed files of the commit, or is too large. `confinement`: in which it was built.
Result<void> copy_build(const std::filesystem::path& from_tree, const std::filesystem::path& to_tree,
                        const bench::SharedConfinement& confinement);

class KeptBuilds {
 public:
  explicit KeptBuilds(std::filesystem::path folder, KeptBuildLimits limits = {});
  static std::filesystem::path folder();  // $STEELYARD_BUILD_CACHE; empty: builds are not kept

  // Whether it was there; the tree, a fresh checkout, has it now. Error (input): it was, and could not be read; the
  // tree is as before.
  Result<bool> put_into(const std::filesystem::path& tree, const std::string& name) const;
  // Then the oldest beyond the limits are removed. Error (input): it is not kept, and why: a build that changed files
  // of the commit, or is too large. `confinement`: in which it was built.
  Result<void> keep(const std::filesystem::path& tree, const std::string& name,
                    const bench::SharedConfinement& confinement = {}) const;

 private:
  void remove_oldest() const;

  std::filesystem::path folder_;
  KeptBuildLimits limits_;
};

}  // namespace steelyard::ci
