#include "storage/postgres/history/series_values.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "storage/postgres/history/commit_order.hpp"

namespace steelyard {
namespace {

// $1 series, $2 and $3 the lowest and highest run, $4 the runs. The range is what the index is read by: a look-up for
// each pair of series and run would cost more than the runs in between, and the sum keeps the planner from that.
constexpr const char* kBegin =
    "select x.series_key, array_agg(x.run_key), array_agg(x.position), array_agg(x.value), array_agg(x.samples)";
constexpr const char* kInvocations = ", array_agg(steelyard.packed_invocations(x.packed))";
constexpr const char* kFrom =
    " from steelyard.measurements x where x.series_key = any($1::integer[]) and x.run_key between $2 and $3 "
    "and x.value is not null";
constexpr const char* kOnlyRuns = " and x.run_key + 0 = any($4::integer[])";
constexpr const char* kEnd = " group by x.series_key";

// Where so many of the runs in the range are wanted, the others are let go here and not there.
constexpr std::int64_t kDense = 2;

// $1 project, $2 branch, $3 whether commits off the branch count, $4 how many. Begins at the branch's end, by the index
// of its positions, so that few runs are cheap however many there are.
constexpr const char* kOfBranch = R"sql(
select r.run_key, r.id, c.sha, c.subject, r.created_at_unix_ns, not o.on_branch,
       commit_date(c, r)
from steelyard.branch_positions o
join steelyard.commits c on c.sha = o.sha
join steelyard.runs r on r.commit_key = c.commit_key and r.project_key = o.project_key and r.branch = o.branch
where o.project_key = $1 and o.branch = $2::text and ($3::boolean or o.on_branch)
order by o.position desc, o.on_branch,
         commit_date(c, r) desc,
         r.created_at_unix_ns desc, r.id desc
limit $4
)sql";

// Those without a commit. $1 project, $2 branch, $3 how many.
constexpr const char* kWithoutCommit = R"sql(
select r.run_key, r.id, '', '', r.created_at_unix_ns, false, r.created_at_unix_ns
from steelyard.runs r
where r.project_key = $1 and hashtextextended(r.branch, 0) = hashtextextended($2::text, 0) and r.branch = $2::text
  and r.commit_key is null
order by r.created_at_unix_ns desc, r.id desc
limit $3
)sql";

// Branches without an order, and all branches together. $1 project, $2 branch or empty, $3 how many.
constexpr const char* kByDate = R"sql(
select r.run_key, r.id, coalesce(c.sha, ''), coalesce(c.subject, ''), r.created_at_unix_ns, false,
       commit_date(c, r)
from steelyard.runs r
left join steelyard.commits c using (commit_key)
where r.project_key = $1 and ($2::text = '' or r.branch = $2::text)
order by commit_date(c, r) desc,
         r.created_at_unix_ns desc, r.id desc
limit $3
)sql";

// Another after every run that was put (see commit_graph.cpp); no row: the branch has no order.
constexpr const char* kVersion =
    "select xmin::text || ' ' || ctid::text from steelyard.branches where project_key = $1 and branch = $2::text";

constexpr std::size_t kMostRemembered = 50'000;  // some 15 MB

struct DatedRun {
  OrderedRun run;
  std::int64_t date_unix_ns = 0;
};
Result<std::vector<DatedRun>> read_runs(Transaction& transaction, const char* statement, const SqlValues& values) {
  STEELYARD_TRY(const Rows rows, transaction.run(with_commit_dates(statement), values));
  std::vector<DatedRun> runs;
  runs.reserve(static_cast<std::size_t>(rows.size()));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    runs.push_back({{rows.integer(row, 0), rows.text(row, 1), rows.text(row, 2), rows.text(row, 3),
                     rows.integer(row, 4), rows.boolean(row, 5)},
                    rows.integer(row, 6)});
  }
  return runs;
}

// placed and others: newest first.
std::vector<OrderedRun> merge_by_date(std::vector<DatedRun> placed, std::vector<DatedRun> others, std::int64_t limit) {
  std::vector<OrderedRun> runs;
  runs.reserve(placed.size() + others.size());
  auto other = others.begin();
  for (DatedRun& one : placed) {
    for (; other != others.end() && other->date_unix_ns > one.date_unix_ns; ++other) {
      runs.push_back(std::move(other->run));
    }
    runs.push_back(std::move(one.run));
  }
  for (; other != others.end(); ++other) runs.push_back(std::move(other->run));
  if (static_cast<std::int64_t>(runs.size()) > limit) runs.resize(static_cast<std::size_t>(limit));
  return runs;
}

Result<std::vector<OrderedRun>> read_ordered(Transaction& transaction, const RunOrderQuery& query, bool has_order) {
  SqlValues values;
  values.integer(query.project_key).text(query.branch);
  if (!has_order) {
    STEELYARD_TRY(std::vector<DatedRun> dated, read_runs(transaction, kByDate, values.integer(query.limit)));
    return merge_by_date(std::move(dated), {}, query.limit);
  }
  STEELYARD_TRY(std::vector<DatedRun> others,
                read_runs(transaction, kWithoutCommit, SqlValues(values).integer(query.limit)));
  STEELYARD_TRY(std::vector<DatedRun> placed,
                read_runs(transaction, kOfBranch, values.boolean(query.with_off_branch).integer(query.limit)));
  return merge_by_date(std::move(placed), std::move(others), query.limit);
}

Result<std::string> version_of(Transaction& transaction, const RunOrderQuery& query) {
  if (query.branch.empty()) return std::string();
  STEELYARD_TRY(const Rows rows,
                transaction.run(kVersion, SqlValues().integer(query.project_key).text(query.branch), kAtMostOneRow));
  return rows.size() == 1 ? rows.text(0, 0) : std::string();
}

}  // namespace

bool comes_before(const SeriesValue& a, const SeriesValue& b) {
  return a.run != b.run ? a.run < b.run : a.position > b.position;
}

Result<std::vector<std::vector<SeriesValue>>> read_series_values(Transaction& transaction, const ValuesQuery& query) {
  std::vector<std::vector<SeriesValue>> all(query.series.size());
  if (query.series.empty() || query.runs.empty()) return all;
  const auto [lowest, highest] = std::minmax_element(query.runs.begin(), query.runs.end());
  std::unordered_map<std::int64_t, std::size_t> index_of_run;
  for (std::size_t i = 0; i < query.runs.size(); ++i) index_of_run.emplace(query.runs[i], i);
  std::unordered_map<std::int64_t, std::size_t> index_of_series;
  for (std::size_t i = 0; i < query.series.size(); ++i) index_of_series.emplace(query.series[i], i);

  const bool is_dense = *highest - *lowest < kDense * static_cast<std::int64_t>(query.runs.size());
  SqlValues values;
  values.integers(query.series).integer(*lowest).integer(*highest);
  if (!is_dense) values.integers(query.runs);
  STEELYARD_TRY(const Rows rows, transaction.run(std::string(kBegin) + (query.with_invocations ? kInvocations : "") +
                                                     kFrom + (is_dense ? "" : kOnlyRuns) + kEnd,
                                                 values, {0, static_cast<std::int64_t>(query.series.size())}));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const auto runs = integers_of_array(rows.raw(row, 1));
    const auto positions = integers_of_array(rows.raw(row, 2));
    const auto numbers = numbers_of_array(rows.raw(row, 3));
    const auto samples = integers_of_array(rows.raw(row, 4));
    const auto invocations =
        query.with_invocations ? integers_of_array(rows.raw(row, 5)) : std::vector<std::int64_t>(runs.size());
    std::vector<SeriesValue>& of_series = all[index_of_series.at(rows.integer(row, 0))];
    for (std::size_t i = 0; i < runs.size() && i < numbers.size() && i < invocations.size(); ++i) {
      const auto run = index_of_run.find(runs[i]);
      if (run == index_of_run.end()) continue;
      of_series.push_back({run->second, positions[i], numbers[i], samples[i], invocations[i]});
    }
    std::sort(of_series.begin(), of_series.end(), comes_before);
  }
  return all;
}

Result<std::span<const OrderedRun>> newest_runs(Transaction& transaction, const RunOrderQuery& query,
                                                RunOrderCache& cache) {
  const auto newest = [&] {
    return std::span<const OrderedRun>(cache.runs)
        .first(std::min(cache.runs.size(), static_cast<std::size_t>(query.limit)));
  };
  // Before the runs: what comes in between is seen the next time.
  STEELYARD_TRY(std::string version, version_of(transaction, query));
  const bool has_enough = cache.limit >= query.limit || static_cast<std::int64_t>(cache.runs.size()) < cache.limit;
  const bool is_known = !version.empty() && cache.version == version && cache.project_key == query.project_key &&
                        cache.branch == query.branch && cache.with_off_branch == query.with_off_branch;
  if (is_known && has_enough) return newest();
  cache.version.clear();
  STEELYARD_TRY(cache.runs, read_ordered(transaction, query, !version.empty()));
  cache.project_key = query.project_key;
  cache.branch = query.branch;
  cache.with_off_branch = query.with_off_branch;
  cache.limit = query.limit;
  if (cache.runs.size() <= kMostRemembered) cache.version = std::move(version);
  return newest();
}

}  // namespace steelyard
