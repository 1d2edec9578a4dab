#include "ci/git/keep_graph.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "ci/git/repository.hpp"
#include "storage/history_store.hpp"

namespace steelyard {

Result<void> keep_commit_graph(Store& store, const std::vector<const Run*>& runs) {
  std::set<std::pair<std::string, std::string>> wanted;  // project and commit
  for (const Run* run : runs) {
    if (!run->header.commit.sha.empty()) wanted.emplace(run->header.project, run->header.commit.sha);
  }
  if (wanted.empty()) return {};
  std::error_code trouble;
  const std::filesystem::path folder = std::filesystem::current_path(trouble);
  if (trouble) return {};
  const Result<GitRepository> repository = GitRepository::find(folder);
  if (!repository) return {};
  for (const auto& [project, sha] : wanted) {
    const Result<std::string> known = repository->resolve(sha);
    if (!known || *known != sha) continue;
    Result<std::vector<CommitParents>> history = repository->recent_history(sha);
    if (!history) continue;
    STEELYARD_CHECK(HistoryStore(store).put_commit_graph({project, std::move(history).value()}));
  }
  return {};
}

}  // namespace steelyard
