// A git repository as the gate needs it: which commit a name means, what is known of that commit, whether history was
// cut off. Every question is one bounded run of the git program; nothing is cached, nothing is written but what fetch
// brings.
//
//     STEELYARD_TRY(GitRepository repository, GitRepository::find(std::filesystem::current_path()));
//     STEELYARD_TRY(std::string sha, repository.resolve("HEAD^1"));
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/runner/confinement.hpp"
#include "bench/runner/run_folder.hpp"
#include "storage/model/history.hpp"

namespace steelyard::ci {

struct GitAnswer {
  bool succeeded = false;
  std::string output;    // stdout without its last newline
  std::string trouble;   // last line of stderr
  std::string messages;  // all of stderr
};

// Whether git may ask a remote: what a partial clone left out is fetched by any command that misses it. Without secrets
// it may, and has none to ask with: strangers' settings may be in force.
enum class GitReach { local, without_secrets, remote };

// Runs git in `folder` with the caller's environment, less the variables by which a hook would bind it to another
// repository, and runs no hook and no file system monitor. Locally it has no secrets, either, and starts no transport:
// a build of strangers may have written the repository's settings by then. Error (input): git is missing or could not
// be started.
Result<GitAnswer> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                          GitReach reach = GitReach::local, Nanoseconds timeout = seconds(60));
// Locally, in the view of strangers' code: for what looks at files (status), where settings that such code wrote have
// git run a program of theirs on each (filter.NAME.clean).
Result<GitAnswer> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                          const bench::SharedConfinement& confinement);

// A tag whose name ends in a version: "v1.2", "lib-2.0.1"; no candidate ("v1.2-rc1") and no date ("nightly-2026.1.2").
struct Release {
  std::string name;
  std::string commit;  // the newest one it has that was asked about
  std::int64_t at_unix_s = 0;
};
bool is_release_name(const std::string& tag);

class GitRepository {
 public:
  // The one that `folder` lies in. Error (input): none; git is missing; git refuses because of who owns the folder.
  static Result<GitRepository> find(const std::filesystem::path& folder);

  const std::filesystem::path& root() const { return root_; }

  // Full sha of the commit that a branch, tag, sha or expression means. Error (input): there is none.
  Result<std::string> resolve(const std::string& name) const;
  Result<std::vector<std::string>> parents(const std::string& sha) const;
  // Of a commit that resolve() gave. `branch`: the current branch where the commit lies on it, else empty; always empty
  // in the pipeline of a pull request, so that a run of it is never taken for a branch's history.
  Result<Commit> describe(const std::string& sha) const;
  // describe() of the commit that a change is compared with. In the pipeline of a pull request `branch` is the one that
  // the request is to be merged into (left empty where the remote shows that the commit does not lie on it), so that
  // the history of neither branch is mixed with the other's.
  Result<Commit> describe_baseline(const std::string& sha) const;
  // The newest commits that `sha` reaches with all their parents: on the line of first parents, and around it. Bounded;
  // where a shallow clone was cut off, the parents are not known and the commit is left out.
  Result<std::vector<storage::CommitParents>> recent_history(const std::string& sha) const;
  // First parents, up to that commit, oldest first; the newest 5000 of them.
  Result<std::vector<std::string>> line_to(const std::string& sha) const;
  // The line of first parents of `to` back to what `from` reaches: that commit first, `to` last. `from` is the first
  // only where it lies on the line. One commit alone: `from` reaches `to`. Error (input): more than 5000 behind it.
  Result<std::vector<std::string>> line_between(const std::string& from, const std::string& to) const;
  // The newest 20 of the repository that have one of these commits (full hashes).
  std::vector<Release> releases(const std::set<std::string>& commits) const;
  Result<bool> is_dirty() const;  // tracked files of the work tree differ from HEAD
  // Whether a file of the work tree that the commit has too is another one there; false where that is not known.
  bool differs_from(const std::string& commit, const std::filesystem::path& file) const;
  bool is_ancestor(const std::string& sha, const std::string& of) const;
  // The newest commit that both reach; empty: they share none here.
  std::string merge_base(const std::string& a, const std::string& b) const;
  bool is_shallow() const;
  std::optional<std::string> remote() const;  // "origin" where there is one, else the first

 private:
  explicit GitRepository(std::filesystem::path root) : root_(std::move(root)) {}
  std::string current_branch() const;
  std::filesystem::path root_;
};

// resolve() that, in a shallow clone with a remote, fetches more history once before it gives up. Error (input): the
// commit is not there; in a shallow clone the fix names the depth to check out with. What is no name (resolve() refuses
// it) is not fetched, and an expression or refspec is not sent to the remote as if it were one. `what`: how the error
// of a shallow clone calls it; empty: by its name.
Result<std::string> resolve_deepening(const GitRepository& repository, const std::string& name,
                                      const std::string& what = "");

// Whether one commit lies in the other's history, of which a shallow clone fetches more before the answer is no. Error
// (input): it has to and cannot.
Result<bool> is_ancestor_deepening(const GitRepository& repository, const std::string& sha, const std::string& of);

// Where a commit left a branch of the remote: the newest commit that both have (git-merge-base(1)). The branch is
// fetched first, since what a runner's kept or single-branch clone knows of it may be old, or nothing; a shallow
// clone's history as well where it does not reach so far.
struct BranchPoint {
  std::string sha;
  std::string stale;  // why the branch could not be fetched, so that it is as it was known before; empty: it was
};
// Error (input): there is no such commit, or no remote.
Result<BranchPoint> branch_point(const GitRepository& repository, const std::string& sha, const std::string& branch);

// resolve() in the repository of the current folder. Outside of one, and where it knows no such commit, the name as it
// is: it may be the store's to find.
std::string commit_named_here(const std::string& name);

// HEAD of the work tree that `folder` lies in, for a run of a program that was built there; an empty Commit outside of
// any repository.
Commit commit_of_folder(const std::filesystem::path& folder);
// Beside a commit of this job's checkout that is on no branch: storage::kRequestSetting, where the job is of a request.
void keep_request(RunHeader& header);

// Commits checked out beside each other in a private temporary folder. A repository's next ones have the same paths, so
// that a kept build and a compiler's cache fit them. Gone, with git's own record of them, when the object is destroyed;
// what a killed run left is gone when the next ones of its repository are made.
class WorkTrees {
 public:
  enum class Submodules { checked_out, none };
  // Error (input).
  static Result<WorkTrees> create(const GitRepository& repository, Submodules submodules = Submodules::checked_out);
  WorkTrees(WorkTrees&& other) noexcept;
  WorkTrees& operator=(WorkTrees&& other) = delete;
  ~WorkTrees();

  const std::filesystem::path& folder() const { return folder_.path(); }
  // folder() / name. sha as resolve() gives it. Error (input).
  Result<std::filesystem::path> add(const std::string& name, const std::string& sha);
  // One that add() made, of which nothing is good any more. False: something in it cannot be removed; it goes with the
  // others.
  bool remove(const std::filesystem::path& tree);
  // Strangers' code may run from now on, in this view, and may have git run a program of theirs on what is checked out
  // (filter.NAME.smudge): add() runs there, too, and has no secrets.
  void check_out_within(bench::SharedConfinement view) { view_ = std::move(view); }

 private:
  WorkTrees(std::filesystem::path repository, bench::RunFolder folder, Submodules submodules)
      : repository_(std::move(repository)), folder_(std::move(folder)), submodules_(submodules) {}
  std::filesystem::path repository_;
  bench::RunFolder folder_;
  Submodules submodules_;
  std::optional<bench::SharedConfinement> view_;
  std::vector<std::filesystem::path> trees_;
};

// Two of them under paths of equal length (.../base and .../head), so that neither side's paths are longer in its
// environment or its binaries.
class WorkTreePair {
 public:
  using Submodules = WorkTrees::Submodules;
  // shas as resolve() gives them. Error (input).
  static Result<WorkTreePair> create(const GitRepository& repository, const std::string& base_sha,
                                     const std::string& head_sha, Submodules submodules = Submodules::checked_out);

  std::filesystem::path base() const { return trees_.folder() / "base"; }
  std::filesystem::path head() const { return trees_.folder() / "head"; }

 private:
  explicit WorkTreePair(WorkTrees trees) : trees_(std::move(trees)) {}
  WorkTrees trees_;
};

// The environment variables of whoever called us, for the children that are the user's own tools (git, the build
// command) and need them (the build command without secrets). Measured programs get the allow-list of
// bench/runner instead.

std::map<std::string, std::string> caller_environment();

}  // namespace steelyard::ci
