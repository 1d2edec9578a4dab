#include "ci/judging/history_run.hpp"

#include <algorithm>
#include <optional>

#include "ci/app/ancestor_side.hpp"

namespace steelyard {
namespace {

std::string short_commit(const std::string& commit) {
  return commit.empty() ? "a run without a commit" : "commit " + commit.substr(0, 7);
}

// The newest that is not the candidate's own.
HistoryRun newest_run(const std::vector<HistorySeries>& history, const Run& candidate) {
  const std::string machine = candidate.environment.fingerprint();
  const HistoryPoint* newest = nullptr;
  for (const HistorySeries& series : history) {
    if (series.fingerprint != machine) continue;
    for (const HistoryPoint& point : series.points) {
      const bool is_own = point.run == candidate.header.id ||
                          (!candidate.header.commit.sha.empty() && point.commit == candidate.header.commit.sha);
      if (!is_own && (newest == nullptr || point.at_unix_ns > newest->at_unix_ns)) newest = &point;
    }
  }
  if (newest == nullptr) return {};
  return {newest->run, short_commit(newest->commit) + ", the newest run of this history on this machine"};
}

}  // namespace

Result<HistoryRun> find_history_run(Store& store, const std::vector<HistorySeries>& history, const Run& candidate,
                                    const std::string& branch) {
  const std::string machine = candidate.environment.fingerprint();
  const bool is_known_here = std::any_of(history.begin(), history.end(),
                                         [&](const HistorySeries& series) { return series.fingerprint == machine; });
  if (!is_known_here || candidate.header.commit.sha.empty()) return newest_run(history, candidate);
  BaselineQuery query{history.front().project, machine, candidate.header.commit.sha, branch};
  query.only_branch = true;
  STEELYARD_TRY(const std::optional<FoundBaseline> found, store.latest_baseline(query));
  if (!found) return newest_run(history, candidate);
  return HistoryRun{found->run, place_text(*found)};
}

}  // namespace steelyard
