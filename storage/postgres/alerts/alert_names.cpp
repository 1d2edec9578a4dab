#include "storage/postgres/alerts/alert_names.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "storage/postgres/distributed/distribute.hpp"
#include "storage/postgres/session/sql_fields.hpp"
#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {
namespace {

// $1 project, $2 branch. By hashes, as the index has them.
constexpr const char* kTies = R"sql(
select n.earlier collate "C", n.later collate "C", max(c.compared_at_unix_ns)
from steelyard.comparisons c
cross join lateral unnest(c.earlier_names, c.earlier_texts) as n(earlier, later)
where hashtextextended(c.project, 0) = hashtextextended($1::text, 0) and c.project = $1::text
  and hashtextextended(c.branch, 0) = hashtextextended($2::text, 0) and c.branch = $2::text
  and c.earlier_names <> '{}'
group by 1, 2
order by 1, 2
)sql";

// $1 project or empty, $2 branch or empty. What came of requests is of no branch.
constexpr const char* kBranches = R"sql(
select p.name, coalesce(nullif($2::text, ''), main.branch)
from steelyard.projects p
left join lateral (select b.branch from steelyard.branches b
                   where b.project_key = p.project_key and b.branch <> ''
                   order by b.commits desc, b.branch limit 1) main on true
where ($1::text = '' or p.name = $1::text) and (main.branch is not null or $2::text <> '')
  and exists (select from steelyard.comparisons c
              where hashtextextended(c.project, 0) = hashtextextended(p.name, 0) and c.project = p.name
                and hashtextextended(c.branch, 0) = hashtextextended(coalesce(nullif($2::text, ''), main.branch), 0)
                and c.earlier_names <> '{}')
order by 1
)sql";

// $1 project, $2 branch, $3 benchmarks.
constexpr const char* kOfBenchmarks =
    "select metric, benchmark, other_names from steelyard.alert_states "
    "where project = $1 and branch = $2 and source = 'comparison' and benchmark = any($3::text[])";

// $1 keys of series. The first and the last run of each: two steps into an index.
constexpr const char* kFirstAndLastRuns = R"sql(
select k.series_key, first_run.run_key, last_run.run_key
from unnest($1::integer[]) as k(series_key)
cross join lateral (select x.run_key from steelyard.measurements x where x.series_key = k.series_key
                    order by x.run_key limit 1) first_run
cross join lateral (select x.run_key from steelyard.measurements x where x.series_key = k.series_key
                    order by x.run_key desc limit 1) last_run
)sql";

// The same where each node of a distributed store has the rows of its own series, and looks through them all.
constexpr const char* kFirstAndLastRunsOnNodes =
    "select x.series_key, min(x.run_key), max(x.run_key) from steelyard.measurements x "
    "where x.series_key = any($1::integer[]) group by x.series_key";

// $1 and $2 pairs of series, $3 and $4 the runs to look through for each, $5 its place. The places of which a run has
// both.
constexpr const char* kPlacesWithBoth = R"sql(
select distinct p.place
from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[], $5::bigint[])
  as p(one, other, first_run, last_run, place)
cross join lateral (
  select from steelyard.measurements x
  join steelyard.measurements y on y.series_key = p.other and y.run_key = x.run_key
  where x.series_key = p.one and x.run_key between p.first_run and p.last_run
    and y.run_key between p.first_run and p.last_run
  limit 1) of_both
)sql";

// The same of one pair where each node has series of its own: $1 and $2 the series, $3 and $4 the runs. `offset 0`:
// each by itself, on its node.
constexpr const char* kARunHasBoth = R"sql(
select exists(
  select from (select x.run_key from steelyard.measurements x
               where x.series_key = $1::integer and x.run_key between $3 and $4 order by 1 offset 0) one
  join (select x.run_key from steelyard.measurements x
        where x.series_key = $2::integer and x.run_key between $3 and $4 order by 1 offset 0) other using (run_key))
)sql";

// $1 projects, $2 names there, $3 what each is called today. Looked up one by one: the planner takes them to be few.
constexpr const char* kSeriesOfNames = R"sql(
select of_name.series_key, n.project, n.name, n.today, of_name.fingerprint, of_name.count_key,
       m.name, m.unit, m.better, m.kind
from unnest($1::text[], $2::text[], $3::text[]) n(project, name, today)
cross join lateral (
  select s.series_key, s.fingerprint, s.count_key, s.metric_key
  from steelyard.benchmarks b
  join steelyard.series s using (benchmark_key)
  where b.canonical = n.name
    and s.project_key = (select p.project_key from steelyard.projects p where p.name = n.project)
  offset 0) of_name
join steelyard.metrics m using (metric_key)
order by of_name.series_key
)sql";

}  // namespace

Result<NamesOnBranch> NamesOnBranch::read(Transaction& transaction, const std::string& project,
                                          const std::string& branch) {
  STEELYARD_TRY(const Rows rows, transaction.run(kTies, SqlValues().text(project).text(branch)));
  NamesOnBranch names;
  for (std::int64_t row = 0; row < rows.size(); ++row)
    names.tie(rows.text(row, 0), rows.text(row, 1), rows.integer(row, 2));
  return names;
}

Result<std::map<std::string, NamesOnBranch>> NamesOnBranch::by_project(Transaction& transaction,
                                                                       const std::string& project,
                                                                       const std::string& branch) {
  STEELYARD_TRY(const Rows rows, transaction.run(kBranches, SqlValues().text(project).text(branch)));
  std::map<std::string, NamesOnBranch> all;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    STEELYARD_TRY(NamesOnBranch names, read(transaction, rows.text(row, 0), rows.text(row, 1)));
    if (!names.names_.empty()) all.emplace(rows.text(row, 0), std::move(names));
  }
  return all;
}

const std::string& NamesOnBranch::one_for(const std::string& benchmark) const {
  const auto found = first_.find(benchmark);
  return found == first_.end() ? benchmark : found->second;
}

std::vector<std::string> NamesOnBranch::of(const std::string& benchmark) const {
  const auto found = names_.find(one_for(benchmark));
  if (found == names_.end()) return {benchmark};
  return {found->second.begin(), found->second.end()};
}

const std::string& NamesOnBranch::today_of(const std::string& benchmark) const {
  const auto found = today_.find(one_for(benchmark));
  return found == today_.end() ? benchmark : found->second.name;
}

std::map<std::string, std::string> NamesOnBranch::earlier() const {
  std::map<std::string, std::string> earlier;
  for (const auto& [name, first] : first_) {
    if (today_of(name) != name) earlier.emplace(name, today_of(name));
  }
  return earlier;
}

void NamesOnBranch::tie(const std::string& earlier, const std::string& later, std::int64_t said_at) {
  std::set<std::string> all;
  Called today{said_at, later};
  for (const std::string& name : {earlier, later}) {
    for (std::string& more : of(name)) all.insert(std::move(more));
    if (const auto known = today_.find(one_for(name)); known != today_.end()) today = std::max(today, known->second);
  }
  if (all.size() > kMaxNamesOfBenchmark) return;
  for (const std::string& name : all) {
    names_.erase(name);
    today_.erase(name);
    first_[name] = *all.begin();
  }
  const std::string least = *all.begin();
  today_.emplace(least, std::move(today));
  names_.emplace(least, std::move(all));
}

namespace {

struct NamedExtent {
  std::int64_t key = 0;
  std::string_view name;
  std::int64_t first_run = 0;
  std::int64_t last_run = 0;
};

// Two series of one place by two names, and the runs between the first and the last of both. Most have none.
struct PairOfSeries {
  std::int64_t place = 0;
  std::int64_t one = 0;
  std::int64_t other = 0;
  std::int64_t first_run = 0;
  std::int64_t last_run = 0;
};

void add_pairs(std::int64_t place, const std::vector<NamedExtent>& series, std::vector<PairOfSeries>& pairs) {
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t j = i + 1; j < series.size(); ++j) {
      const std::int64_t first = std::max(series[i].first_run, series[j].first_run);
      const std::int64_t last = std::min(series[i].last_run, series[j].last_run);
      if (series[i].name == series[j].name || first > last) continue;
      pairs.push_back({place, series[i].key, series[j].key, first, last});
    }
  }
}

Result<std::set<std::int64_t>> places_with_both(Transaction& transaction, const std::vector<PairOfSeries>& pairs) {
  std::vector<std::int64_t> one, other, first, last, places;
  for (const PairOfSeries& pair : pairs) {
    one.push_back(pair.one);
    other.push_back(pair.other);
    first.push_back(pair.first_run);
    last.push_back(pair.last_run);
    places.push_back(pair.place);
  }
  std::set<std::int64_t> found;
  if (pairs.empty()) return found;
  SqlValues values;
  values.integers(one).integers(other).integers(first).integers(last).integers(places);
  STEELYARD_TRY(const Rows rows, transaction.run(kPlacesWithBoth, values));
  for (std::int64_t row = 0; row < rows.size(); ++row) found.insert(rows.integer(row, 0));
  return found;
}

Result<std::set<std::int64_t>> places_with_both_on_nodes(Transaction& transaction,
                                                         const std::vector<PairOfSeries>& pairs) {
  std::set<std::int64_t> found;
  for (const PairOfSeries& pair : pairs) {
    if (found.contains(pair.place)) continue;
    SqlValues values;
    values.integer(pair.one).integer(pair.other).integer(pair.first_run).integer(pair.last_run);
    STEELYARD_TRY(const Rows rows, transaction.run(kARunHasBoth, values, kOneRow));
    if (rows.boolean(0, 0)) found.insert(pair.place);
  }
  return found;
}

}  // namespace

Result<std::set<std::int64_t>> of_two_benchmarks(Transaction& transaction, const std::vector<std::int64_t>& keys,
                                                 const std::vector<std::int64_t>& places,
                                                 const std::vector<std::string>& names) {
  STEELYARD_TRY(const bool on_nodes, has_shards(transaction));
  STEELYARD_TRY(const Rows rows,
                transaction.run(on_nodes ? kFirstAndLastRunsOnNodes : kFirstAndLastRuns, SqlValues().integers(keys)));
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> runs;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    runs[rows.integer(row, 0)] = {rows.integer(row, 1), rows.integer(row, 2)};
  }
  std::map<std::int64_t, std::vector<NamedExtent>> by_place;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto at = runs.find(keys[i]);
    if (at != runs.end()) by_place[places[i]].push_back({keys[i], names[i], at->second.first, at->second.second});
  }
  std::vector<PairOfSeries> pairs;
  for (const auto& [place, series] : by_place) add_pairs(place, series, pairs);
  return on_nodes ? places_with_both_on_nodes(transaction, pairs) : places_with_both(transaction, pairs);
}

namespace {

bool is_asked_for(const std::vector<std::string>& names, const RenamedQuery& query) {
  if (query.names.empty() && query.part.empty()) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return query.names.contains(name) || (!query.part.empty() && name.find(query.part) != std::string::npos);
  });
}

struct NamedSeries {
  std::int64_t key = 0;
  std::string project;
  std::string name;
  std::string today;
  std::string fingerprint;
  std::string count_key;
  Metric metric;
};
using Benchmark = std::pair<std::string, std::string>;  // project, today's name

Result<std::vector<NamedSeries>> series_of(Transaction& transaction, const std::vector<RenamedBenchmark>& renamed) {
  std::set<std::pair<Benchmark, std::string>> names;
  for (const RenamedBenchmark& one : renamed) {
    for (const std::string& name : {one.earlier, one.today}) names.insert({{one.project, one.today}, name});
  }
  std::vector<std::string> projects, each, todays;
  for (const auto& [benchmark, name] : names) {
    projects.push_back(benchmark.first);
    each.push_back(name);
    todays.push_back(benchmark.second);
  }
  STEELYARD_TRY(const Rows rows,
                transaction.run(kSeriesOfNames, SqlValues().texts(projects).texts(each).texts(todays)));
  std::vector<NamedSeries> all;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    NamedSeries& one = all.emplace_back();
    read_in_order(rows, row, 0, one.key, one.project, one.name, one.today, one.fingerprint, one.count_key, one.metric);
  }
  return all;
}

// With their series.
struct Renamed {
  std::vector<RenamedBenchmark> benchmarks;
  std::vector<NamedSeries> series{};
};
Result<Renamed> renamed_within(Transaction& transaction, const RenamedQuery& query) {
  STEELYARD_TRY(const auto by_project, NamesOnBranch::by_project(transaction, query.project, query.branch));
  Renamed all;
  for (const auto& [project, known] : by_project) {
    for (auto& [earlier, today] : known.earlier()) {
      if (is_asked_for(known.of(today), query)) all.benchmarks.push_back({project, earlier, today});
    }
  }
  if (all.benchmarks.empty()) return all;
  STEELYARD_TRY(all.series, series_of(transaction, all.benchmarks));
  // Series that would be one have one place.
  std::map<std::tuple<Benchmark, std::string, std::string>, std::int64_t> place_of;
  std::vector<std::int64_t> keys, places;
  std::vector<std::string> names;
  for (const NamedSeries& one : all.series) {
    const auto place = static_cast<std::int64_t>(place_of.size());
    keys.push_back(one.key);
    places.push_back(
        place_of
            .try_emplace({{one.project, one.today}, one.metric.name + '\n' + one.metric.unit, one.fingerprint}, place)
            .first->second);
    names.push_back(one.name);
  }
  STEELYARD_TRY(const std::set<std::int64_t> apart, of_two_benchmarks(transaction, keys, places, names));
  std::set<Benchmark> are_two;
  for (const auto& [series, place] : place_of) {
    if (apart.contains(place)) are_two.insert(std::get<Benchmark>(series));
  }
  const auto is_of_two = [&](const auto& one) { return are_two.contains({one.project, one.today}); };
  std::erase_if(all.benchmarks, is_of_two);
  std::erase_if(all.series, is_of_two);
  return all;
}

}  // namespace

Result<std::vector<RenamedBenchmark>> read_renamed(Session& session, const RenamedQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(Renamed renamed, renamed_within(transaction, query));
  return std::move(renamed.benchmarks);
}

Result<std::vector<ContinuedSeries>> continued_series(Transaction& transaction, const std::string& project,
                                                      const std::string& branch) {
  STEELYARD_TRY(const Renamed renamed, renamed_within(transaction, {project, branch}));
  const auto place_of = [](const NamedSeries& one) {
    return std::tuple(one.project, one.today, one.metric.name, one.metric.unit, one.fingerprint, one.count_key);
  };
  std::map<decltype(place_of(renamed.series.front())), const NamedSeries*> todays;
  for (const NamedSeries& one : renamed.series) {
    if (one.name == one.today) todays.emplace(place_of(one), &one);
  }
  std::vector<ContinuedSeries> all;
  for (const NamedSeries& one : renamed.series) {
    const auto at = todays.find(place_of(one));
    if (at == todays.end() || at->second == &one) continue;
    all.push_back({one.key, at->second->key, one.today, one.metric, one.fingerprint});
  }
  return all;
}

Result<std::set<AlertName>> to_be_renamed(Transaction& transaction, const std::string& project,
                                          const std::string& branch, const std::set<std::string>& names,
                                          const NamesOnBranch& known) {
  std::set<std::string> asked;
  for (const std::string& name : names) {
    for (std::string& one : known.of(name)) asked.insert(std::move(one));
  }
  std::set<AlertName> wanted;
  if (asked.empty()) return wanted;
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(kOfBenchmarks, SqlValues().text(project).text(branch).texts({asked.begin(), asked.end()})));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const std::string benchmark = rows.text(row, 1);
    std::vector<std::string> has = texts_of_array(rows.raw(row, 2));
    has.push_back(benchmark);
    std::sort(has.begin(), has.end());
    if (has != known.of(benchmark)) wanted.emplace(known.one_for(benchmark), rows.text(row, 0));
  }
  return wanted;
}

}  // namespace steelyard::storage
