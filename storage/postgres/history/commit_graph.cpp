#include "storage/postgres/history/commit_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

// The rows of a branch's order. All inside the caller's transaction, which holds the project's lock.
struct BranchKey {
  std::int64_t project = 0;
  std::string name;
};

// Beyond it a branch or a project is refused rather than loaded: some hundred bytes each.
constexpr std::int64_t kMaxCommits = 2'000'000;

// What came of a request says where it belongs, and nobody proved it: no branch's order has it.
constexpr const char* kMeasured =
    "select c.sha, max(c.committed_at_unix_s), min(r.created_at_unix_ns) "
    "from steelyard.runs r join steelyard.commits c using (commit_key) "
    "where r.project_key = $1 and hashtextextended(r.branch, 0) = hashtextextended($2::text, 0) and r.branch = $2 "
    "and c.sha <> '' and octet_length(c.sha) <= 2000 "
    "and not exists (select from steelyard.request_runs q where q.run_key = r.run_key) group by c.sha";

constexpr const char* kParents =
    "select distinct on (sha) sha, parents from steelyard.commit_parents where project_key = $1 "
    "order by sha, is_complete desc";

struct GraphPlace {
  std::int64_t position = 0;
  bool on_branch = true;
  bool operator==(const GraphPlace&) const = default;
};
using Positions = std::unordered_map<std::string, GraphPlace>;

Result<std::vector<MeasuredCommit>> read_measured(Transaction& transaction, const BranchKey& branch) {
  STEELYARD_TRY(const Rows rows,
                transaction.run(kMeasured, SqlValues().integer(branch.project).text(branch.name), {0, kMaxCommits}));
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
    positions.emplace(rows.text(row, 0), GraphPlace{rows.integer(row, 1), rows.boolean(row, 2)});
  }
  return positions;
}

Positions positions_of(const BranchOrder& order) {
  Positions positions;
  for (std::size_t i = 0; i < order.commits.size(); ++i) {
    positions.emplace(order.commits[i], GraphPlace{static_cast<std::int64_t>(i)});
  }
  for (const OffCommit& off : order.off) positions.emplace(off.sha, GraphPlace{off.after, false});
  return positions;
}

Result<void> write_positions(Transaction& transaction, const BranchKey& branch, const Positions& positions) {
  const std::vector<std::pair<std::string, GraphPlace>> rows(positions.begin(), positions.end());
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

// Adds `commits` from this position on. Precondition: none of them has a row.
Result<void> copy_positions(Transaction& transaction, const BranchKey& branch, std::int64_t first,
                            const std::vector<std::string>& commits) {
  Positions positions;
  for (const std::string& sha : commits) positions.emplace(sha, GraphPlace{first++});
  return write_positions(transaction, branch, positions);
}

// Computes the branch's order from its runs and from the known parents, and writes what differs from what is there.
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

// One run's line of commits down to the branch's tip. A longer way is walked by putting the whole branch in order.
constexpr std::int64_t kLongestWalk = 1000;

// Longer texts do not fit into an index row; such commits are ordered by their dates.
constexpr std::size_t kLongestBranch = 500;
constexpr std::size_t kLongestHash = 2000;

// Writers of one project's graph follow each other; each is done in milliseconds.
constexpr const char* kGraphLock =
    "select pg_advisory_xact_lock(hashtextextended('steelyard commit graph', $1::bigint))";

constexpr const char* kRunsOfCommit =
    "select coalesce(max(c.committed_at_unix_s), 0), min(r.created_at_unix_ns), count(*) "
    "from steelyard.commits c join steelyard.runs r using (commit_key) "
    "where c.sha = $3 and r.project_key = $1 and r.branch = $2 "
    "and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)";

// From a commit along the first parents, newest first, down to the tip: sha, whether it is a merge, whether its parents
// are known.
constexpr const char* kLineToTip = R"sql(
with recursive line as (
  select $2::text collate "C" as sha, f.parents, 0 as depth
  from (select 1) one left join lateral (
    select parents from steelyard.commit_parents p where p.project_key = $1 and p.sha = $2::text
    order by p.is_complete desc limit 1) f on true
  union all
  select line.parents[1], f.parents, line.depth + 1
  from line left join lateral (
    select parents from steelyard.commit_parents p where p.project_key = $1 and p.sha = line.parents[1]
    order by p.is_complete desc limit 1) f on true
  where line.sha <> $3::text and cardinality(line.parents) > 0 and line.depth < $4
)
select sha, coalesce(cardinality(parents), 0) > 1, parents is not null from line order by depth
)sql";

constexpr const char* kIsMentioned =
    "select exists (select 1 from steelyard.commit_parents where project_key = $1 and parents @> array[$2::text])";

struct TipState {
  MeasuredCommit tip;
  std::int64_t commits = 0;
  std::int64_t off = 0;
  bool is_whole = true;
};
Result<std::optional<TipState>> read_state(Transaction& transaction, const BranchKey& branch) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select tip, tip_committed_at_unix_s, tip_first_run_at_unix_ns, commits, off, is_whole "
                                "from steelyard.branches where project_key = $1 and branch = $2",
                                SqlValues().integer(branch.project).text(branch.name), kAtMostOneRow));
  if (rows.size() == 0) return std::optional<TipState>();
  TipState state;
  read_in_order(rows, 0, 0, state.tip.sha, state.tip.committed_at_unix_s, state.tip.first_run_at_unix_ns, state.commits,
                state.off, state.is_whole);
  return std::optional(state);
}

struct LineCommit {
  std::string sha;
  bool is_merge = false;
  bool is_known = false;
};
Result<std::vector<LineCommit>> line_to_tip(Transaction& transaction, const BranchKey& branch, const std::string& from,
                                            const std::string& tip) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(kLineToTip, SqlValues().integer(branch.project).text(from).text(tip).integer(kLongestWalk),
                      {1, kLongestWalk + 1}));
  std::vector<LineCommit> line;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    line.push_back({rows.text(row, 0), rows.boolean(row, 1), rows.boolean(row, 2)});
  }
  return line;
}

// What a newly measured commit adds at the end of its branch.
struct Addition {
  std::vector<std::string> commits;  // oldest first
  bool follows = true;               // the tip, by the graph; else by its date
};
// What is added where nothing else of the order can change; absent: it is to be computed as a whole.
Result<std::optional<Addition>> addition_after_tip(Transaction& transaction, const BranchKey& branch,
                                                   const TipState& state, const MeasuredCommit& fresh) {
  const bool is_newest = is_older(state.tip, fresh);
  STEELYARD_TRY(const std::vector<LineCommit> line, line_to_tip(transaction, branch, fresh.sha, state.tip.sha));
  if (line.size() > 1 && line.back().sha == state.tip.sha) {
    const bool has_merge = std::any_of(line.begin(), line.end() - 1, [](const LineCommit& at) { return at.is_merge; });
    if (!state.is_whole && (has_merge || !is_newest)) return std::optional<Addition>();
    Addition addition;
    for (auto at = line.rbegin() + 1; at != line.rend(); ++at) addition.commits.push_back(at->sha);
    return std::optional(std::move(addition));
  }
  if (line.front().is_known || state.off > 0 || !is_newest) return std::optional<Addition>();
  STEELYARD_TRY(const Rows mentioned,
                transaction.run(kIsMentioned, SqlValues().integer(branch.project).text(fresh.sha), kOneRow));
  if (mentioned.boolean(0, 0)) return std::optional<Addition>();
  return std::optional(Addition{{fresh.sha}, false});
}

Result<void> append_to_branch(Transaction& transaction, const BranchKey& branch, const TipState& state,
                              const MeasuredCommit& fresh, const Addition& addition) {
  STEELYARD_CHECK(copy_positions(transaction, branch, state.commits, addition.commits));
  STEELYARD_CHECK(transaction.run(
      "update steelyard.branches set tip = $3, tip_committed_at_unix_s = $4, tip_first_run_at_unix_ns = $5, "
      "commits = commits + $6, is_whole = is_whole and $7 where project_key = $1 and branch = $2",
      SqlValues()
          .integer(branch.project)
          .text(branch.name)
          .text(fresh.sha)
          .integer(fresh.committed_at_unix_s)
          .integer(fresh.first_run_at_unix_ns)
          .integer(static_cast<std::int64_t>(addition.commits.size()))
          .boolean(addition.follows),
      kOneRow));
  return {};
}

// So that who remembers the branch's runs sees that they are others (RunOrderCache).
Result<void> touch_branch(Transaction& transaction, const BranchKey& branch) {
  STEELYARD_CHECK(
      transaction.run("update steelyard.branches set commits = commits where project_key = $1 and branch = $2",
                      SqlValues().integer(branch.project).text(branch.name), kAtMostOneRow));
  return {};
}

Result<void> place_on_branch(Transaction& transaction, const BranchKey& branch, const RunHeader& run) {
  STEELYARD_TRY(const std::optional<TipState> state, read_state(transaction, branch));
  if (!state) return put_branch_in_order(transaction, branch);
  STEELYARD_TRY(const Rows runs,
                transaction.run(kRunsOfCommit,
                                SqlValues().integer(branch.project).text(branch.name).text(run.commit.sha), kOneRow));
  if (runs.integer(0, 2) == 0) return {};  // the run is of a store that pruned it meanwhile
  const MeasuredCommit fresh{run.commit.sha, runs.integer(0, 0), runs.integer(0, 1)};
  STEELYARD_TRY(const Rows placed,
                transaction.run("select position from steelyard.branch_positions where project_key = $1 and "
                                "branch = $2 and sha = $3",
                                SqlValues().integer(branch.project).text(branch.name).text(fresh.sha), kAtMostOneRow));
  if (placed.size() == 1) {
    const bool is_first_run = fresh.first_run_at_unix_ns == run.created_at_unix_ns;
    const bool is_tip = fresh.sha == state->tip.sha;
    const bool is_same_tip = fresh.committed_at_unix_s == state->tip.committed_at_unix_s &&
                             fresh.first_run_at_unix_ns == state->tip.first_run_at_unix_ns;
    if (is_tip ? is_same_tip : (state->is_whole || !is_first_run)) return touch_branch(transaction, branch);
    return put_branch_in_order(transaction, branch);
  }
  STEELYARD_TRY(const std::optional<Addition> addition, addition_after_tip(transaction, branch, *state, fresh));
  if (!addition) return put_branch_in_order(transaction, branch);
  return append_to_branch(transaction, branch, *state, fresh, *addition);
}

// Absent where the project has no run yet.
Result<std::optional<std::int64_t>> find_project(Transaction& transaction, const std::string& name) {
  STEELYARD_TRY(const Rows rows, transaction.run("select project_key from steelyard.projects where name = $1",
                                                 SqlValues().text(name), kAtMostOneRow));
  return rows.size() == 0 ? std::optional<std::int64_t>() : std::optional(rows.integer(0, 0));
}

Result<void> lock_graph(Transaction& transaction, std::int64_t project) {
  STEELYARD_CHECK(transaction.run(kGraphLock, SqlValues().integer(project), kOneRow));
  return {};
}

Result<void> put_branches_in_order(Transaction& transaction, std::int64_t project) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select branch from steelyard.branches where project_key = $1 order by branch",
                                SqlValues().integer(project)));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    STEELYARD_CHECK(put_branch_in_order(transaction, {project, rows.text(row, 0)}));
  }
  return {};
}

// Of the commits given: those whose parents were not known so.
constexpr const char* kNews = R"sql(
select s.sha, s.parents,
       exists (select 1 from steelyard.commit_parents p where p.project_key = $1 and p.parents @> array[s.sha])
       or exists (select 1 from steelyard.branch_positions b where b.project_key = $1 and b.sha = s.sha)
from (select sha, string_to_array(parents, ' ') as parents
      from unnest($2::text[], $3::text[]) as given(sha, parents)) s
where not exists (select 1 from steelyard.commit_parents p
                  where p.project_key = $1 and p.sha = s.sha and p.is_complete >= $4::boolean)
)sql";

constexpr const char* kAddParents =
    "insert into steelyard.commit_parents (project_key, sha, is_complete, parents) "
    "select $1, sha, $4::boolean, string_to_array(parents, ' ') from unnest($2::text[], $3::text[]) as g(sha, parents) "
    "on conflict (project_key, sha, is_complete) do nothing";

// True: something was new. is_complete: the parents are all that there are.
Result<bool> add_parents(Transaction& transaction, std::int64_t project, const std::vector<CommitParents>& commits,
                         bool is_complete) {
  std::map<std::string, std::string> given;  // ordered: writers wait for each other in one order
  for (const CommitParents& commit : commits) {
    std::string parents = joined_text(commit.parents, " ");
    given.emplace(commit.sha, std::move(parents));
  }
  std::vector<std::string> shas;
  std::vector<std::string> parents;
  for (auto& [sha, text] : given) {
    shas.push_back(sha);
    parents.push_back(text);
  }
  const auto values = [&] { return SqlValues().integer(project).texts(shas).texts(parents).boolean(is_complete); };
  STEELYARD_TRY(const Rows news, transaction.run(kNews, values()));
  if (news.size() == 0) return false;
  bool changes_orders = false;
  for (std::int64_t row = 0; row < news.size(); ++row) changes_orders = changes_orders || news.boolean(row, 2);
  STEELYARD_CHECK(transaction.run(kAddParents, values()));
  if (changes_orders) STEELYARD_CHECK(put_branches_in_order(transaction, project));
  return true;
}

Result<void> check_graph(const CommitGraph& graph) {
  if (graph.commits.size() > kMaxGraphCommits) {
    return input_error("put_commit_graph", std::to_string(graph.commits.size()) + " commits",
                       "at most " + std::to_string(kMaxGraphCommits));
  }
  for (const CommitParents& commit : graph.commits) {
    if (commit.parents.size() > kMaxParents) {
      return input_error(commit.sha, std::to_string(commit.parents.size()) + " parents",
                         "at most " + std::to_string(kMaxParents));
    }
    if (is_full_commit_hash(commit.sha) &&
        std::all_of(commit.parents.begin(), commit.parents.end(), is_full_commit_hash))
      continue;
    return input_error("put_commit_graph", '"' + commit.sha.substr(0, 80) + "\" or a parent of it",
                       "full hashes in lower case");
  }
  return {};
}

}  // namespace

Result<bool> write_commit_graph(Session& session, const CommitGraph& graph, const AuditEntry* note) {
  STEELYARD_CHECK(check_graph(graph));
  if (graph.commits.empty()) return false;
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(std::optional<std::int64_t> project, find_project(transaction, graph.project));
  // Asked first: a writer of some projects may use these and begin none.
  if (!project) {
    STEELYARD_CHECK(transaction.run("insert into steelyard.projects (name) values ($1) on conflict (name) do nothing",
                                    SqlValues().text(graph.project), kAtMostOneRow));
    STEELYARD_TRY(project, find_project(transaction, graph.project));
  }
  if (!project) return store_error("store " + session.name(), "a project that vanished", "an append-only table");
  STEELYARD_CHECK(lock_graph(transaction, *project));
  STEELYARD_TRY(const bool is_new, add_parents(transaction, *project, graph.commits, true));
  if (is_new && note != nullptr) STEELYARD_CHECK(write_audit(transaction, *note));
  STEELYARD_CHECK(transaction.commit());
  return is_new;
}

Result<void> place_commit_of(Session& session, const RunHeader& run) {
  const bool has_branch = !run.commit.branch.empty() && run.commit.branch.size() <= kLongestBranch;
  if (run.commit.sha.size() > kLongestHash || (run.commit.sha.empty() && !has_branch)) return {};
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::optional<std::int64_t> project, find_project(transaction, run.project));
  if (!project) return {};
  STEELYARD_CHECK(lock_graph(transaction, *project));
  // A run that knows no parent may be of a shallow clone.
  if (is_full_commit_hash(run.commit.sha) && is_full_commit_hash(run.commit.parent)) {
    STEELYARD_CHECK(add_parents(transaction, *project, {{run.commit.sha, {run.commit.parent}}}, false));
  }
  if (has_branch) {
    const BranchKey branch{*project, run.commit.branch};
    STEELYARD_CHECK(run.commit.sha.empty() ? touch_branch(transaction, branch)
                                           : place_on_branch(transaction, branch, run));
  }
  STEELYARD_CHECK(transaction.commit());
  return {};
}

Result<void> touch_branch_of(Transaction& transaction, std::int64_t project, const std::string& branch) {
  STEELYARD_CHECK(lock_graph(transaction, project));
  return touch_branch(transaction, {project, branch});
}

Result<std::int64_t> rebuild_commit_order(Session& session) {
  STEELYARD_TRY(Transaction list, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, list.run("select distinct r.project_key, r.branch from steelyard.runs r "
                                          "where r.branch <> '' and octet_length(r.branch) <= 500 and not exists "
                                          "(select from steelyard.request_runs q where q.run_key = r.run_key) "
                                          "union select project_key, branch from steelyard.branches order by 1, 2"));
  STEELYARD_CHECK(list.commit());
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
    STEELYARD_CHECK(lock_graph(transaction, rows.integer(row, 0)));
    STEELYARD_CHECK(put_branch_in_order(transaction, {rows.integer(row, 0), rows.text(row, 1)}));
    STEELYARD_CHECK(transaction.commit());
  }
  return rows.size();
}

Result<KnownParents> read_parents(Transaction& transaction, std::int64_t project) {
  STEELYARD_TRY(const Rows rows, transaction.run(kParents, SqlValues().integer(project), {0, kMaxCommits}));
  KnownParents parents;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    parents.emplace(rows.text(row, 0), texts_of_array(rows.raw(row, 1)));
  }
  return parents;
}

}  // namespace steelyard::storage
