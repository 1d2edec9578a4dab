#include "storage/postgres/run_order.hpp"

namespace steelyard {
namespace {

// $1 project, $2 branch, $3 whether commits off the branch count, $4 how many.
constexpr const char* kOfBranch = R"sql(
select r.run_key, r.id, coalesce(c.sha, ''), coalesce(c.subject, ''), r.created_at_unix_ns, not o.on_branch
from steelyard.runs r
left join steelyard.commits c using (commit_key)
left join steelyard.branch_positions o on o.project_key = r.project_key and o.branch = $2::text and o.sha = c.sha
where r.project_key = $1 and hashtextextended(r.branch, 0) = hashtextextended($2::text, 0) and r.branch = $2::text
  and ($3::boolean or o.on_branch is not false)
order by o.position desc nulls first, o.on_branch,
         coalesce(nullif(c.committed_at_unix_s, 0) * 1000000000, r.created_at_unix_ns) desc,
         r.created_at_unix_ns desc, r.id desc
limit $4
)sql";

// $1 project, $2 how many.
constexpr const char* kOfProject = R"sql(
select r.run_key, r.id, coalesce(c.sha, ''), coalesce(c.subject, ''), r.created_at_unix_ns, false
from steelyard.runs r
left join steelyard.commits c using (commit_key)
where r.project_key = $1
order by coalesce(nullif(c.committed_at_unix_s, 0) * 1000000000, r.created_at_unix_ns) desc,
         r.created_at_unix_ns desc, r.id desc
limit $2
)sql";

}  // namespace

Result<std::vector<OrderedRun>> newest_runs(Transaction& transaction, std::int64_t project_key,
                                            const std::string& branch, bool with_off_branch, std::int64_t limit) {
  SqlValues values;
  values.integer(project_key);
  if (!branch.empty()) values.text(branch).boolean(with_off_branch);
  values.integer(limit);
  STEELYARD_TRY(const Rows rows, transaction.run(branch.empty() ? kOfProject : kOfBranch, values, {0, limit}));
  std::vector<OrderedRun> runs;
  runs.reserve(static_cast<std::size_t>(rows.size()));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    runs.push_back({rows.integer(row, 0), rows.text(row, 1), rows.text(row, 2), rows.text(row, 3), rows.integer(row, 4),
                    !rows.is_null(row, 5) && rows.boolean(row, 5)});
  }
  return runs;
}

}  // namespace steelyard
