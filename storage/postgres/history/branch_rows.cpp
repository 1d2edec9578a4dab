#include "storage/postgres/history/branch_rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace steelyard {
namespace {

// Beyond it a branch or a project is refused rather than loaded: some hundred bytes each.
constexpr std::int64_t kMostCommits = 2'000'000;

constexpr const char* kMeasured =
    "select c.sha, max(c.committed_at_unix_s), min(r.created_at_unix_ns) "
    "from steelyard.runs r join steelyard.commits c using (commit_key) "
    "where r.project_key = $1 and hashtextextended(r.branch, 0) = hashtextextended($2::text, 0) and r.branch = $2 "
    "and c.sha <> '' and octet_length(c.sha) <= 2000 group by c.sha";

constexpr const char* kParents =
    "select distinct on (sha) sha, parents from steelyard.commit_parents where project_key = $1 "
    "order by sha, is_complete desc";

struct Place {
  std::int64_t position = 0;
  bool on_branch = true;
  bool operator==(const Place&) const = default;
};
using Positions = std::unordered_map<std::string, Place>;

Result<std::vector<MeasuredCommit>> read_measured(Transaction& transaction, const BranchKey& branch) {
  STEELYARD_TRY(const Rows rows,
                transaction.run(kMeasured, SqlValues().integer(branch.project).text(branch.name), {0, kMostCommits}));
  std::vector<MeasuredCommit> measured;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    measured.push_back({rows.text(row, 0), rows.integer(row, 1), rows.integer(row, 2)});
  }
  return measured;
}

Result<Positions> read_positions(Transaction& transaction, const BranchKey& branch) {
  STEELYARD_TRY(const Rows rows, transaction.run("select sha, position, on_branch from steelyard.branch_positions "
                                                 "where project_key = $1 and branch = $2",
                                                 SqlValues().integer(branch.project).text(branch.name)));
  Positions positions;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    positions.emplace(rows.text(row, 0), Place{rows.integer(row, 1), rows.boolean(row, 2)});
  }
  return positions;
}

Positions positions_of(const BranchOrder& order) {
  Positions positions;
  for (std::size_t i = 0; i < order.commits.size(); ++i) {
    positions.emplace(order.commits[i], Place{static_cast<std::int64_t>(i)});
  }
  for (const OffCommit& off : order.off) positions.emplace(off.sha, Place{off.after, false});
  return positions;
}

Result<void> write_positions(Transaction& transaction, const BranchKey& branch, const Positions& positions) {
  const std::vector<std::pair<std::string, Place>> rows(positions.begin(), positions.end());
  return transaction.copy({"steelyard.branch_positions", {"project_key", "branch", "sha", "position", "on_branch"}},
                          rows.size(), [&](std::size_t i) {
                            return SqlValues()
                                .integer(branch.project)
                                .text(branch.name)
                                .text(rows[i].first)
                                .integer(rows[i].second.position)
                                .boolean(rows[i].second.on_branch);
                          });
}

// Only what differs, so that one more commit does not write the whole branch again.
Result<void> replace_positions(Transaction& transaction, const BranchKey& branch, const BranchOrder& order) {
  STEELYARD_TRY(Positions before, read_positions(transaction, branch));
  Positions added = positions_of(order);
  std::vector<std::string> outdated;
  for (const auto& [sha, position] : before) {
    const auto now = added.find(sha);
    if (now != added.end() && now->second == position) {
      added.erase(now);
    } else {
      outdated.push_back(sha);
    }
  }
  if (!outdated.empty()) {
    STEELYARD_CHECK(transaction.run(
        "delete from steelyard.branch_positions where project_key = $1 and branch = $2 and sha = any($3::text[])",
        SqlValues().integer(branch.project).text(branch.name).texts(outdated), exactly(outdated.size())));
  }
  return write_positions(transaction, branch, added);
}

}  // namespace

Result<KnownParents> read_parents(Transaction& transaction, std::int64_t project) {
  STEELYARD_TRY(const Rows rows, transaction.run(kParents, SqlValues().integer(project), {0, kMostCommits}));
  KnownParents parents;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    parents.emplace(rows.text(row, 0), texts_of_array(rows.raw(row, 1)));
  }
  return parents;
}

Result<void> copy_positions(Transaction& transaction, const BranchKey& branch, std::int64_t first,
                            const std::vector<std::string>& commits) {
  Positions positions;
  for (const std::string& sha : commits) positions.emplace(sha, Place{first++});
  return write_positions(transaction, branch, positions);
}

Result<void> put_branch_in_order(Transaction& transaction, const BranchKey& branch) {
  STEELYARD_TRY(const std::vector<MeasuredCommit> measured, read_measured(transaction, branch));
  KnownParents parents;
  if (measured.size() > 1) {
    STEELYARD_TRY(parents, read_parents(transaction, branch.project));
  }
  const BranchOrder order = order_of_branch(measured, parents);
  STEELYARD_CHECK(replace_positions(transaction, branch, order));
  const auto tip = std::find_if(measured.begin(), measured.end(),
                                [&](const MeasuredCommit& commit) { return commit.sha == order.tip; });
  if (tip == measured.end()) {
    STEELYARD_CHECK(transaction.run("delete from steelyard.branches where project_key = $1 and branch = $2",
                                    SqlValues().integer(branch.project).text(branch.name), kAtMostOneRow));
    return {};
  }
  STEELYARD_CHECK(transaction.run(
      "insert into steelyard.branches (project_key, branch, tip, tip_committed_at_unix_s, tip_first_run_at_unix_ns, "
      "commits, off, is_whole) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (project_key, branch) do update "
      "set tip = excluded.tip, tip_committed_at_unix_s = excluded.tip_committed_at_unix_s, "
      "tip_first_run_at_unix_ns = excluded.tip_first_run_at_unix_ns, commits = excluded.commits, off = excluded.off, "
      "is_whole = excluded.is_whole",
      SqlValues()
          .integer(branch.project)
          .text(branch.name)
          .text(tip->sha)
          .integer(tip->committed_at_unix_s)
          .integer(tip->first_run_at_unix_ns)
          .integer(static_cast<std::int64_t>(order.commits.size()))
          .integer(static_cast<std::int64_t>(order.off.size()))
          .boolean(order.is_whole),
      kOneRow));
  return {};
}

}  // namespace steelyard
