#include "storage/postgres/history/series_choice.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "storage/postgres/alerts/alert_names.hpp"
#include "storage/postgres/history/commit_order.hpp"
#include "storage/postgres/session/cursor.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

constexpr const char* kIsWholeName = "select exists (select 1 from steelyard.benchmarks where canonical = $1::text)";

// $1 benchmark, $2 metric, $3 project, $4 fingerprints or null, $5 and $6 parameters, $7 labelled benchmarks or null,
// $8 to $14 the last series of the page before, $15 how many, $16 the projects of the labelled ones.
constexpr const char* kChooseBegin = R"sql(
select b.canonical, p.name, m.name, m.unit, m.better, m.kind, s.fingerprint, s.project_key,
       array_agg(s.series_key order by s.series_key), '{}'::text[]
from steelyard.benchmarks b
join steelyard.series s using (benchmark_key)
join steelyard.metrics m using (metric_key)
join steelyard.projects p using (project_key)
where )sql";
constexpr const char* kWholeName = "b.canonical = $1::text";
constexpr const char* kPartOfName = "strpos(b.canonical, $1::text) > 0";

// The same by today's names: b is what the benchmark is called today, k what it was called when it was measured. $17
// the projects and earlier names of those that were renamed, $18 today's; of the one that is asked for $19 projects,
// $20 each of its names there, and $21 what it is called there today. The first of those is of no project: elsewhere it
// is what the question says. The names are looked up and not joined: the planner takes them to be few, and would go
// through all of them for each series.
constexpr const char* kChooseByTodaysNames = R"sql(
select b.canonical, p.name, m.name, m.unit, m.better, m.kind, s.fingerprint, s.project_key,
       array_agg(s.series_key order by s.series_key), array_agg(k.canonical order by s.series_key)
from )sql";
constexpr const char* kOfAllBenchmarks = "steelyard.benchmarks k";
// Where all begins, whatever the planner takes for less.
constexpr const char* kOfThese = "(select * from steelyard.benchmarks where canonical = any($20::text[]) offset 0) k";
constexpr const char* kTodaysNames = R"sql(
join steelyard.series s using (benchmark_key)
join steelyard.metrics m using (metric_key)
join steelyard.projects p using (project_key)
left join steelyard.benchmarks t
  on t.canonical = (select jsonb_object($17::text[], $18::text[])) ->> (p.name || chr(1) || k.canonical)
join steelyard.benchmarks b on b.benchmark_key = coalesce(t.benchmark_key, k.benchmark_key)
where )sql";
constexpr const char* kAnyOfItsNames =
    R"sql((k.canonical = $1::text or (p.name, k.canonical) in (select * from unnest($19::text[], $20::text[])))
  and (b.canonical = $1::text or (p.name, b.canonical) in (select * from unnest($19::text[], $21::text[])))
)sql";
constexpr const char* kPartOfTodaysName =
    "strpos(b.canonical, $1::text) > 0 and cardinality($19::text[] || $20::text[] || $21::text[]) = 0";
constexpr const char* kChooseEnd = R"sql(
  and case when $2::text = '' then m.name in ('real_time', 'instructions') or m.kind = 'counted'
      else $2::text in (m.name, '*') end
  and ($3::text = '' or p.name = $3::text)
  and ($4::text[] is null or s.fingerprint = any($4::text[]))
  and not exists (
    select 1 from unnest($5::text[], $6::text[]) as wanted(name, value)
    where not exists (
      select 1 from unnest(b.parameter_names || array['threads', 'device', 'dtype', 'suite'],
                           b.parameter_values || array[b.threads::text, b.device, b.dtype, b.suite]) as has(name, value)
      where has.name = wanted.name and has.value = wanted.value))
  and ($7::text[] is null or
       (b.canonical, s.project_key::bigint) in (select * from unnest($7::text[], $16::bigint[])))
  and ($8::text is null or
       (b.canonical, p.name, m.name, m.unit collate "C", m.better collate "C", m.kind collate "C", s.fingerprint) >
       ($8::text, $9::text, $10::text, $11::text, $12::text, $13::text, $14::text))
group by 1, 2, 3, 4, 5, 6, 7, 8
order by b.canonical, p.name, m.name, m.unit collate "C", m.better collate "C", m.kind collate "C", s.fingerprint
limit $15
)sql";

constexpr const char* kMachinesByBeginning =
    "select distinct fingerprint from steelyard.environments "
    "where fingerprint >= $1::text and fingerprint < $1::text || chr(1114111)";
constexpr const char* kMachinesByFact =
    "select distinct fingerprint from steelyard.environments where exists (select 1 from "
    "jsonb_array_elements(facts) f where f ->> 'name' = $1::text and strpos(f ->> 'value', $2::text) > 0)";

// Every run repeats the labels of its benchmarks, so that the newer ones have them all. $1 project or empty, $2 most
// runs of each project, $3 part of a label; where a branch is asked for, it is $4.
constexpr const char* kLabelledBegin = R"sql(
with newest as materialized (
  select p.project_key, r.labels, r.age
  from steelyard.projects p
  cross join lateral (
    select r.labels, row_number() over (order by r.run_key desc) as age
    from steelyard.runs r
    where r.project_key = p.project_key and r.labels <> '{}')sql";
constexpr const char* kOfBranch =
    " and hashtextextended(r.branch, 0) = hashtextextended($4::text, 0) and r.branch = $4::text";
constexpr const char* kLabelledEnd = R"sql(
    order by r.run_key desc
    limit $2::bigint + 1) r
  where $1::text = '' or p.name = $1::text)
select coalesce(array_agg(d.key), '{}'), coalesce(array_agg(d.project_key::bigint), '{}'),
       exists (select from newest n where n.age > $2::bigint)
from (select distinct l.key, n.project_key from newest n, jsonb_each_text(n.labels) l
      where n.age <= $2::bigint and strpos(l.value, $3::text) > 0) d
)sql";

Result<std::vector<std::string>> texts_of(Transaction& transaction, const char* statement, const SqlValues& values) {
  STEELYARD_TRY(const Rows rows, transaction.run(statement, values));
  return rows.texts(0);
}

Result<std::vector<std::string>> machines(Transaction& transaction, const std::string& machine) {
  const std::size_t equals = machine.find('=');
  if (equals == std::string::npos) return texts_of(transaction, kMachinesByBeginning, SqlValues().text(machine));
  return texts_of(transaction, kMachinesByFact,
                  SqlValues().text(machine.substr(0, equals)).text(machine.substr(equals + 1)));
}

struct Labelled {
  std::vector<std::string> benchmarks;
  std::vector<std::int64_t> projects;  // of each
  bool are_all = true;                 // the runs with labels that there are
};
Result<Labelled> labelled_benchmarks(Transaction& transaction, const HistoryQuery& query) {
  SqlValues values;
  values.text(query.project).integer(kMaxLabelledRuns).text(query.label);
  if (!query.branch.empty()) values.text(query.branch);
  STEELYARD_TRY(const Rows rows,
                transaction.run(kLabelledBegin + std::string(query.branch.empty() ? "" : kOfBranch) + kLabelledEnd,
                                values, kOneRow));
  return Labelled{texts_of_array(rows.raw(0, 0)), integers_of_array(rows.raw(0, 1)), !rows.boolean(0, 2)};
}

std::string not_all_asked(const HistoryQuery& query) {
  return "the label was looked for in the newest " + std::to_string(kMaxLabelledRuns) + " runs with labels" +
         (query.branch.empty() ? "" : " of the branch") + (query.project.empty() ? " of each project" : "") +
         "; older ones have labels too";
}

void add_parameters(SqlValues& values, const std::vector<std::string>& parameters) {
  std::vector<std::string> names;
  std::vector<std::string> wanted;
  for (const std::string& parameter : parameters) {
    const std::size_t equals = parameter.find('=');
    names.push_back(equals == std::string::npos ? "" : parameter.substr(0, equals));
    wanted.push_back(equals == std::string::npos ? parameter : parameter.substr(equals + 1));
  }
  values.texts(names).texts(wanted);
}

Result<void> add_cursor(SqlValues& values, const std::string& after) {
  if (after.empty()) {
    for (std::size_t i = 0; i < kSeriesCursorFields; ++i) values.null();
    return {};
  }
  STEELYARD_TRY(const std::vector<std::string> fields, read_cursor(kSeriesCursor, kSeriesCursorFields, after));
  for (const std::string& field : fields) values.text(field);
  return {};
}

// What benchmarks are called today, as far as the question is by that.
struct TodaysNames {
  std::vector<std::string> earlier;  // with their projects before them; two lists of one length
  std::vector<std::string> today;
  std::vector<std::string> asked_in{};  // projects, for each of the names there of the benchmark that is asked for
  std::vector<std::string> asked_is{};
  std::vector<std::string> asked_today{};
  bool are_any() const { return !earlier.empty(); }
};

Result<TodaysNames> todays_names(Transaction& transaction, const HistoryQuery& query) {
  TodaysNames names;
  if (!query.by_todays_names) return names;
  STEELYARD_TRY(const auto by_project, NamesOnBranch::by_project(transaction, query.project, query.branch));
  for (const auto& [project, known] : by_project) {
    for (auto& [earlier, today] : known.earlier()) {
      names.earlier.push_back(project + '\1' + earlier);
      names.today.push_back(today);
    }
    const std::vector<std::string> same = known.of(query.benchmark);
    if (same.size() < 2) continue;
    names.asked_in.insert(names.asked_in.end(), same.size(), project);
    names.asked_is.insert(names.asked_is.end(), same.begin(), same.end());
    names.asked_today.insert(names.asked_today.end(), same.size(), known.today_of(query.benchmark));
  }
  return names;
}

void add_names(SqlValues& values, TodaysNames names, const std::string& asked, bool is_whole_name) {
  if (is_whole_name) {
    names.asked_in.insert(names.asked_in.begin(), "");
    names.asked_is.insert(names.asked_is.begin(), asked);
    names.asked_today.insert(names.asked_today.begin(), asked);
  }
  values.texts(names.earlier).texts(names.today);
  values.texts(names.asked_in).texts(names.asked_is).texts(names.asked_today);
}

// Series that were joined and are of two benchmarks, each by itself, in the place of the one.
Result<void> split_what_is_two(Transaction& transaction, const std::string& asked, Page<ChosenSeries>& page) {
  std::vector<std::int64_t> keys, places;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    const ChosenSeries& one = page.items[i];
    if (std::set<std::string>(one.names.begin(), one.names.end()).size() < 2) continue;
    keys.insert(keys.end(), one.keys.begin(), one.keys.end());
    places.insert(places.end(), one.keys.size(), static_cast<std::int64_t>(i));
    names.insert(names.end(), one.names.begin(), one.names.end());
  }
  if (keys.empty()) return {};
  STEELYARD_TRY(const std::set<std::int64_t> apart, of_two_benchmarks(transaction, keys, places, names));
  std::vector<ChosenSeries> items;
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    ChosenSeries& one = page.items[i];
    if (!apart.contains(static_cast<std::int64_t>(i))) {
      items.push_back(std::move(one));
      continue;
    }
    std::map<std::string, ChosenSeries> by_name;
    for (std::size_t key = 0; key < one.keys.size(); ++key) {
      ChosenSeries& own = by_name[one.names[key]];
      if (own.keys.empty()) {
        own = {one.names[key], one.project, one.metric, one.fingerprint, one.project_key, {}, {}, one.benchmark};
      }
      own.keys.push_back(one.keys[key]);
      own.names.push_back(one.names[key]);
    }
    const bool names_one = by_name.contains(asked);
    for (auto& [name, own] : by_name) {
      if (names_one ? name == asked : name.find(asked) != std::string::npos) items.push_back(std::move(own));
    }
  }
  page.items = std::move(items);
  return {};
}

}  // namespace

Result<Page<ChosenSeries>> choose_series(Transaction& transaction, const HistoryQuery& query) {
  STEELYARD_TRY(const TodaysNames names, todays_names(transaction, query));
  bool is_whole_name = !names.asked_is.empty();
  if (!query.benchmark.empty() && !is_whole_name) {
    STEELYARD_TRY(const Rows whole, transaction.run(kIsWholeName, SqlValues().text(query.benchmark), kOneRow));
    is_whole_name = whole.boolean(0, 0);
  }
  Page<ChosenSeries> page;
  SqlValues values;
  values.text(query.benchmark).text(query.metric).text(query.project);
  if (query.machine.empty()) {
    values.null();
  } else {
    STEELYARD_TRY(const std::vector<std::string> fingerprints, machines(transaction, query.machine));
    values.texts(fingerprints);
  }
  add_parameters(values, query.parameters);
  Labelled labelled;
  if (query.label.empty()) {
    values.null();
  } else {
    STEELYARD_TRY(labelled, labelled_benchmarks(transaction, query));
    values.texts(labelled.benchmarks);
    if (!labelled.are_all) page.notes.push_back(not_all_asked(query));
  }
  STEELYARD_CHECK(add_cursor(values, query.after));
  const std::int64_t most = query.series_limit > 0 ? query.series_limit : kMaxSeriesOfAnswer;
  values.integer(most + 1).integers(labelled.projects);
  std::string statement;
  if (names.are_any()) {
    add_names(values, names, query.benchmark, is_whole_name);
    statement = kChooseByTodaysNames + std::string(is_whole_name ? kOfThese : kOfAllBenchmarks) + kTodaysNames +
                (is_whole_name ? kAnyOfItsNames : kPartOfTodaysName);
  } else {
    statement = kChooseBegin + std::string(is_whole_name ? kWholeName : kPartOfName);
  }
  STEELYARD_TRY(const Rows rows, transaction.run(statement + kChooseEnd, values, {0, most + 1}));
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    ChosenSeries& series = page.items.emplace_back();
    read_in_order(rows, row, 0, series.benchmark, series.project, series.metric, series.fingerprint, series.project_key,
                  series.keys, series.names);
  }
  if (rows.size() > most) page.next = cursor_after(page.items.back());
  STEELYARD_CHECK(split_what_is_two(transaction, query.benchmark, page));
  return page;
}

Result<ChosenSeries> choose_one(Transaction& transaction, const ChosenSeries& wanted, const HistoryQuery& asked) {
  HistoryQuery query;
  query.benchmark = wanted.benchmark;
  query.project = wanted.project;
  query.metric = wanted.metric.name;
  query.machine = wanted.fingerprint;
  query.branch = asked.branch;
  query.by_todays_names = asked.by_todays_names;
  STEELYARD_TRY(Page<ChosenSeries> found, choose_series(transaction, query));
  for (ChosenSeries& series : found.items) {
    if (cursor_after(series) == cursor_after(wanted)) return std::move(series);
  }
  return input_error("--after", "a place in a series that the store does not have", "one that this store named",
                     "begin anew without it");
}

namespace {

// $1 series, $2 and $3 the lowest and highest run, $4 the runs. The range is what the index is read by: a look-up for
// each pair of series and run would cost more than the runs in between, and the sum keeps the planner from that.
constexpr const char* kBegin =
    "select x.series_key, array_agg(x.value), array_agg(x.run_key), array_agg(x.position), array_agg(x.samples)";
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
constexpr const char* kRunsOfBranch = R"sql(
select r.run_key, r.id, c.sha, c.subject, r.branch, r.created_at_unix_ns, not o.on_branch,
       commit_date(c, r), o.position
from steelyard.branch_positions o
join steelyard.commits c on c.sha = o.sha
join steelyard.runs r on r.commit_key = c.commit_key and r.project_key = o.project_key and r.branch = o.branch
where o.project_key = $1 and o.branch = $2::text and ($3::boolean or o.on_branch)
  and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
order by o.position desc, o.on_branch,
         commit_date(c, r) desc,
         r.created_at_unix_ns desc, r.id desc
limit $4
)sql";

// Runs without a commit. $1 project, $2 branch, $3 how many.
constexpr const char* kWithoutCommit = R"sql(
select r.run_key, r.id, '', '', r.branch, r.created_at_unix_ns, false, r.created_at_unix_ns, null::integer
from steelyard.runs r
where r.project_key = $1 and hashtextextended(r.branch, 0) = hashtextextended($2::text, 0) and r.branch = $2::text
  and r.commit_key is null
  and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
order by r.created_at_unix_ns desc, r.id desc
limit $3
)sql";

// Branches without an order, and all branches together. $1 project, $2 branch or empty, $3 how many. Commits of one
// second, as a rebase makes them, stand as on their branch: when they were measured says nothing of them.
constexpr const char* kByDate = R"sql(
select r.run_key, r.id, coalesce(c.sha, ''), coalesce(c.subject, ''), r.branch, r.created_at_unix_ns, false,
       commit_date(c, r), null::integer
from steelyard.runs r
left join steelyard.commits c using (commit_key)
left join steelyard.branch_positions o
  on o.project_key = r.project_key and o.sha = c.sha and o.branch = r.branch
where r.project_key = $1 and ($2::text = '' or r.branch = $2::text)
  and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
order by commit_date(c, r) desc, o.position desc nulls last,
         r.created_at_unix_ns desc, r.id desc
limit $3
)sql";

// Another after every run that was put (see commit_graph.cpp) or dropped (prune.cpp); no row: the branch has no order.
// Its second part: when values were derived last, of one run or of all.
constexpr const char* kSeriesVersion =
    "select b.xmin::text || ' ' || b.ctid::text, "
    "(select string_agg(extract(epoch from d.derived_at)::text, ' ' order by d.name) from steelyard.derivations d "
    "where d.name in ('alerts', 'values')) "
    "from steelyard.branches b where b.project_key = $1 and b.branch = $2::text";

constexpr std::int64_t kMaxRemembered = 50'000;  // some 15 MB

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}
bool is_mark(std::string_view id) { return id.starts_with("00") && id.size() > 2 && id[2] < '4'; }

struct DatedRun {
  OrderedRun run;
  std::int64_t date_unix_ns = 0;
};
Result<std::vector<DatedRun>> read_runs(Transaction& transaction, const char* statement, const SqlValues& values) {
  STEELYARD_TRY(const Rows rows, transaction.run(with_commit_dates(statement), values));
  std::vector<DatedRun> runs;
  runs.reserve(static_cast<std::size_t>(rows.size()));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    DatedRun& dated = runs.emplace_back();
    OrderedRun& run = dated.run;
    read_in_order(rows, row, 0, run.key, run.id, run.commit, run.subject, run.branch, run.at_unix_ns, run.is_off_branch,
                  dated.date_unix_ns, run.place);
    run.is_plain = is_plain(run.id) && is_plain(run.commit);
    run.is_mark = is_mark(run.id);
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
                read_runs(transaction, kRunsOfBranch, values.boolean(query.with_off_branch).integer(query.limit)));
  return merge_by_date(std::move(placed), std::move(others), query.limit);
}

struct BranchVersion {
  std::string row;  // empty: there is none
  std::string derived_at;
};
Result<BranchVersion> version_of(Transaction& transaction, const RunOrderQuery& query) {
  if (query.branch.empty()) return BranchVersion{};
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(kSeriesVersion, SqlValues().integer(query.project_key).text(query.branch), kAtMostOneRow));
  if (rows.size() == 0) return BranchVersion{};
  return BranchVersion{rows.text(0, 0), rows.is_null(0, 1) ? "never" : rows.text(0, 1)};
}

}  // namespace

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
    const auto numbers = numbers_of_array(rows.raw(row, 1));
    std::vector<std::int64_t> runs, positions, samples, invocations;
    read_in_order(rows, row, 2, runs, positions, samples);
    invocations.resize(runs.size());
    if (query.with_invocations) read_in_order(rows, row, 5, invocations);
    std::vector<SeriesValue>& of_series = all[index_of_series.at(rows.integer(row, 0))];
    for (std::size_t i = 0; i < runs.size() && i < numbers.size() && i < invocations.size(); ++i) {
      const auto run = index_of_run.find(runs[i]);
      if (run == index_of_run.end()) continue;
      of_series.push_back({run->second, positions[i], numbers[i], samples[i], invocations[i], rows.integer(row, 0)});
    }
    std::sort(of_series.begin(), of_series.end(), comes_before);
  }
  return all;
}

Result<std::vector<std::vector<SeriesValue>>> read_series_values(Transaction& transaction, const ValuesQuery& query,
                                                                 SeriesMemory& memory) {
  constexpr std::size_t kFew = 10;  // one renamed, or counted under several conditions: a statement for each
  if (!memory.is_on() || query.with_invocations || query.series.size() > kFew) {
    return read_series_values(transaction, query);
  }
  std::vector<std::vector<SeriesValue>> all;
  for (const std::int64_t series : query.series) {
    const auto fetch = [&](std::vector<std::int64_t> runs) -> Result<std::vector<SeriesValue>> {
      STEELYARD_TRY(auto values, read_series_values(transaction, {{series}, std::move(runs), false}));
      return std::move(values.front());
    };
    STEELYARD_TRY(all.emplace_back(), memory.read(series, query.runs, fetch));
  }
  return all;
}

Result<NewestRuns> newest_runs(Transaction& transaction, const RunOrderQuery& query, RunOrderCache& cache) {
  const auto newest_of = [&](std::shared_ptr<const std::vector<OrderedRun>> all) {
    const auto newest =
        std::span<const OrderedRun>(*all).first(std::min(all->size(), static_cast<std::size_t>(query.limit)));
    return NewestRuns{std::move(all), newest};
  };
  // Before the runs: what comes in between is seen the next time.
  STEELYARD_TRY(BranchVersion branch, version_of(transaction, query));
  std::string& version = branch.row;
  cache.derived_at = branch.derived_at;
  const bool is_known = !version.empty() && cache.version == version && cache.project_key == query.project_key &&
                        cache.branch == query.branch && cache.with_off_branch == query.with_off_branch;
  if (is_known && (cache.limit >= query.limit || std::ssize(*cache.runs) < cache.limit)) return newest_of(cache.runs);
  // Where they are remembered, so many that a question for a few more finds them.
  RunOrderQuery wanted = query;
  if (!version.empty() && query.limit > 0 && query.limit < kMaxRemembered) {
    wanted.limit =
        std::min(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(query.limit))), kMaxRemembered);
  }
  STEELYARD_TRY(std::vector<OrderedRun> read, read_ordered(transaction, wanted, !version.empty()));
  auto all = std::make_shared<const std::vector<OrderedRun>>(std::move(read));
  if (!version.empty() && std::ssize(*all) <= kMaxRemembered) {
    cache.version = std::move(version);
    cache.project_key = query.project_key;
    cache.branch = query.branch;
    cache.with_off_branch = query.with_off_branch;
    cache.limit = wanted.limit;
    cache.runs = all;
  }
  return newest_of(std::move(all));
}

}  // namespace steelyard::storage
