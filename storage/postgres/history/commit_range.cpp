#include "storage/postgres/history/commit_range.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_set>

#include "storage/postgres/history/branch_rows.hpp"
#include "storage/postgres/history/run_order.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kShortestPrefix = 6;
constexpr std::size_t kFullHash = 40;
constexpr std::int64_t kMostBetween = 100'000;

constexpr const char* kProjects =
    "select project_key, name from steelyard.projects where $1::text = '' or name = $1::text order by name limit 3";
constexpr const char* kByPrefix =
    "select distinct sha from steelyard.commits where sha >= $1::text and sha < $1::text || chr(1114111) "
    "order by sha limit 3";

constexpr std::size_t kUsualCommits = 10;
constexpr std::int64_t kRunsForThem = 1000;  // a commit may be measured on many machines, and again

constexpr const char* kNewestBranch =
    "select branch from steelyard.branches where project_key = $1 "
    "order by coalesce(nullif(tip_committed_at_unix_s, 0) * 1000000000, tip_first_run_at_unix_ns) desc, branch limit 1";

// $1 project, $2 and $3 the ends, $4 branch or empty.
constexpr const char* kCommonBranch = R"sql(
select older.branch, older.position, newer.position
from steelyard.branch_positions older
join steelyard.branch_positions newer
  on newer.project_key = older.project_key and newer.branch = older.branch and newer.sha = $3::text
where older.project_key = $1 and older.sha = $2::text and older.on_branch and newer.on_branch
  and ($4::text = '' or older.branch = $4::text)
order by older.branch
limit 1
)sql";

constexpr const char* kBetweenPositions =
    "select sha from steelyard.branch_positions where project_key = $1 and branch = $2 and position > $3 and "
    "position <= $4 and on_branch";

Result<void> find_project(Transaction& transaction, const std::string& name, CommitRange& range) {
  STEELYARD_TRY(const Rows rows, transaction.run(kProjects, SqlValues().text(name)));
  if (rows.size() == 0) {
    return input_error("--project", '"' + name + '"', "a project that the store has runs of");
  }
  if (rows.size() > 1) {
    return input_error("--project",
                       "none, and the store has \"" + rows.text(0, 1) + "\" and \"" + rows.text(1, 1) + '"',
                       "the one that the commits are of");
  }
  range.project_key = rows.integer(0, 0);
  range.project = rows.text(0, 1);
  return {};
}

Result<std::string> find_commit(Transaction& transaction, const std::string& text) {
  if (text.size() >= kFullHash) return text;
  const std::string where = "commit:" + text;
  if (text.size() < kShortestPrefix) {
    return input_error(where, std::to_string(text.size()) + " characters",
                       "at least " + std::to_string(kShortestPrefix) + " of the commit's hash");
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kByPrefix, SqlValues().text(text)));
  if (rows.size() == 0)
    return input_error(where, "no such commit in the store", "one that was measured, or its full hash");
  if (rows.size() > 1 && rows.text(0, 0) != text) {
    return input_error(where, "several commits, such as " + rows.text(0, 0) + " and " + rows.text(1, 0), "one commit",
                       "write more of its hash");
  }
  return rows.text(0, 0);
}

using ShaSet = std::unordered_set<std::string>;

ShaSet reached_from(const std::string& sha, const KnownParents& parents, const ShaSet& without) {
  ShaSet reached;
  std::vector<std::string> waiting{sha};
  while (!waiting.empty()) {
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    if (without.contains(next) || !reached.insert(next).second) continue;
    const auto known = parents.find(next);
    if (known != parents.end()) waiting.insert(waiting.end(), known->second.begin(), known->second.end());
  }
  return reached;
}

}  // namespace

Result<CommitRange> find_range(Transaction& transaction, const RangeQuery& query) {
  CommitRange range;
  STEELYARD_CHECK(find_project(transaction, query.project, range));
  STEELYARD_TRY(range.from, find_commit(transaction, query.from));
  STEELYARD_TRY(range.to, find_commit(transaction, query.to));
  range.branch = query.branch;
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(kCommonBranch,
                      SqlValues().integer(range.project_key).text(range.from).text(range.to).text(query.branch),
                      kAtMostOneRow));
  if (rows.size() == 1) {
    range.branch = rows.text(0, 0);
    range.from_position = rows.integer(0, 1);
    range.to_position = rows.integer(0, 2);
    if (*range.from_position > *range.to_position) {
      return input_error(query.from + ".." + query.to,
                         "a range whose first commit is the newer one on branch " + range.branch,
                         "the older commit first");
    }
  }
  return range;
}

Result<RangeQuery> newest_range(Transaction& transaction, const RangeQuery& query) {
  CommitRange range;
  STEELYARD_CHECK(find_project(transaction, query.project, range));
  RangeQuery complete = query;
  if (query.branch.empty()) {
    STEELYARD_TRY(const Rows newest,
                  transaction.run(kNewestBranch, SqlValues().integer(range.project_key), kAtMostOneRow));
    if (newest.size() == 1) complete.branch = newest.text(0, 0);
  }
  RunOrderCache cache;
  STEELYARD_TRY(const std::span<const OrderedRun> runs,
                newest_runs(transaction, {range.project_key, complete.branch, false, kRunsForThem}, cache));
  std::vector<std::string> commits;
  for (const OrderedRun& run : runs) {
    if (commits.size() == kUsualCommits) break;
    if (run.commit.empty() || std::find(commits.begin(), commits.end(), run.commit) != commits.end()) continue;
    commits.push_back(run.commit);
  }
  if (commits.size() < 2) {
    return input_error("A..B",
                       "no range, and " + std::to_string(commits.size()) + " measured commits" +
                           (complete.branch.empty() ? "" : " on branch " + complete.branch),
                       "two commits", "name them, or another --branch");
  }
  complete.to = commits.front();
  complete.from = commits.back();
  return complete;
}

Result<std::vector<std::string>> commits_between(Transaction& transaction, const CommitRange& range) {
  std::vector<std::string> commits;
  if (range.from_position && range.to_position) {
    STEELYARD_TRY(const Rows rows, transaction.run(kBetweenPositions,
                                                   SqlValues()
                                                       .integer(range.project_key)
                                                       .text(range.branch)
                                                       .integer(*range.from_position)
                                                       .integer(*range.to_position),
                                                   {0, kMostBetween}));
    for (std::int64_t row = 0; row < rows.size(); ++row) commits.push_back(rows.text(row, 0));
    return commits;
  }
  STEELYARD_TRY(const KnownParents parents, read_parents(transaction, range.project_key));
  const ShaSet before = reached_from(range.from, parents, {});
  const ShaSet between = reached_from(range.to, parents, before);
  commits.assign(between.begin(), between.end());
  return commits;
}

}  // namespace steelyard
