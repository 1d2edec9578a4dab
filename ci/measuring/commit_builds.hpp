// Commits of one repository, each built once in a work tree of its own, for who measures many against each other: a
// bisect, a backfill. What a build added to its tree is kept (kept_builds.hpp), so that one that was interrupted builds
// nothing twice. At most kMaxTrees trees lie on the disk at once: the one that nobody asked for the longest goes first,
// and is checked out again, with its kept build, when it is asked for.
//
//     STEELYARD_TRY(CommitBuilds builds, CommitBuilds::create(repository, {configuration, programs}, app, cancelled));
//     STEELYARD_TRY(const std::filesystem::path tree, builds.tree_of(commit));
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/runner/confinement.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "ci/git/repository.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard::ci {

class CommitBuilds {
 public:
  // The two of a pair, and two that the next pair is likely to have.
  static constexpr std::size_t kMaxTrees = 4;
  // What is asked of every commit. `keeps`: in the store.
  struct Plan {
    const Configuration& configuration;
    const std::vector<ConfiguredProgram>& programs;
    bool keeps = false;
  };
  // The plan, the app and `cancelled` outlive this. Error (input).
  static Result<CommitBuilds> create(const GitRepository& repository, const Plan& plan, const App& app,
                                     const std::atomic<bool>* cancelled);

  // Its tree with the build in it, which stays until kMaxTrees others were asked for. Error (program): it cannot be
  // checked out, its submodules neither, does not build, or lacks a program afterwards, as far as it was cancelled;
  // asked again it is the same error. Error (input): no tree can be made, as the disk is full.
  Result<std::filesystem::path> tree_of(const Commit& commit);
  // Of two trees, one pair a program.
  Result<std::vector<ProgramPair>> pairs_of(const Commit& baseline, const Commit& candidate);

  std::int64_t builds() const { return builds_; }  // that ran a command, failed ones too
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  CommitBuilds(WorkTrees trees, const Plan& plan, const App& app, const std::atomic<bool>* cancelled);
  Result<std::filesystem::path> build_in(const std::filesystem::path& tree, const Commit& commit);
  void make_room();
  Result<void> check_programs(const std::filesystem::path& tree, const Commit& commit) const;

  WorkTrees trees_;
  Plan plan_;
  const App* app_;
  const std::atomic<bool>* cancelled_;
  std::filesystem::path kept_;
  bench::SharedConfinement confinement_;
  std::vector<std::string> warnings_;
  std::map<std::string, Result<std::filesystem::path>> known_;  // by sha: trees that are there, and errors
  std::vector<std::string> trees_by_use_;                       // their shas, the one asked for last at the end
  std::int64_t builds_ = 0;
};

}  // namespace steelyard::ci
