#include "ci/git/work_tree_pair.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace steelyard {
namespace {

constexpr Nanoseconds kCheckoutLimit = seconds(600);  // a large tree on a slow disk, submodules over a slow link

Result<void> check_out(const std::filesystem::path& repository, const std::filesystem::path& target,
                       const std::string& sha) {
  // Hooks are the user's and meant for the user's own checkouts.
  STEELYARD_TRY(const GitAnswer added, run_git(repository,
                                               {"-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet",
                                                "--force", "--detach", target.string(), sha},
                                               kCheckoutLimit));
  if (!added.succeeded) return input_error("git worktree add of " + sha.substr(0, 12), added.trouble);
  std::error_code code;
  if (!std::filesystem::exists(target / ".gitmodules", code)) return {};
  STEELYARD_TRY(const GitAnswer modules,
                run_git(target, {"submodule", "--quiet", "update", "--init", "--recursive"}, kCheckoutLimit));
  if (!modules.succeeded) return input_error("submodules of " + sha.substr(0, 12), modules.trouble);
  return {};
}

}  // namespace

Result<WorkTreePair> WorkTreePair::create(const GitRepository& repository, const std::string& base_sha,
                                          const std::string& head_sha) {
  std::error_code code;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(code);
  if (code) return input_error("TMPDIR", code.message(), "a folder for temporary files");
  std::string name = (parent / "steelyard-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return input_error(parent.string(), std::strerror(errno));
  WorkTreePair pair(repository.root(), name);  // from here on its destructor tidies up
  STEELYARD_CHECK(check_out(repository.root(), pair.base(), base_sha));
  STEELYARD_CHECK(check_out(repository.root(), pair.head(), head_sha));
  return pair;
}

WorkTreePair::WorkTreePair(WorkTreePair&& other) noexcept
    : repository_(std::move(other.repository_)), folder_(std::exchange(other.folder_, {})) {}

WorkTreePair::~WorkTreePair() {
  if (folder_.empty()) return;
  for (const std::filesystem::path& tree : {base(), head()}) {
    static_cast<void>(static_cast<bool>(run_git(repository_, {"worktree", "remove", "--force", tree.string()})));
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  static_cast<void>(static_cast<bool>(run_git(repository_, {"worktree", "prune"})));
}

}  // namespace steelyard
