#include "storage/postgres/history/series_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "storage/postgres/history/cursor.hpp"
#include "storage/postgres/session/dictionaries.hpp"

namespace steelyard {
namespace {

constexpr std::int64_t kMostSeries = 200'000;  // of one answer: some 100 MB
constexpr const char* kCursorKind = "series";
constexpr std::size_t kCursorFields = 7;
constexpr const char* kPointCursorKind = "points";

constexpr const char* kIsWholeName = "select exists (select 1 from steelyard.benchmarks where canonical = $1::text)";

// $1 benchmark, $2 metric, $3 project, $4 fingerprints or null, $5 and $6 parameters, $7 labelled benchmarks or null,
// $8 to $14 the last series of the page before, $15 how many, $16 the projects of the labelled ones.
constexpr const char* kChooseBegin = R"sql(
select b.canonical, p.name, m.name, m.unit, m.better, m.kind, s.fingerprint, s.project_key,
       array_agg(s.series_key order by s.series_key)
from steelyard.benchmarks b
join steelyard.series s using (benchmark_key)
join steelyard.metrics m using (metric_key)
join steelyard.projects p using (project_key)
where )sql";
constexpr const char* kWholeName = "b.canonical = $1::text";
constexpr const char* kPartOfName = "strpos(b.canonical, $1::text) > 0";
constexpr const char* kChooseEnd = R"sql(
  and case when $2::text = '' then m.name = 'real_time' or m.kind = 'counted' else m.name = $2::text end
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
  std::vector<std::string> texts;
  for (std::int64_t row = 0; row < rows.size(); ++row) texts.push_back(rows.text(row, 0));
  return texts;
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
  values.text(query.project).integer(kMostLabelledRuns).text(query.label);
  if (!query.branch.empty()) values.text(query.branch);
  STEELYARD_TRY(const Rows rows,
                transaction.run(kLabelledBegin + std::string(query.branch.empty() ? "" : kOfBranch) + kLabelledEnd,
                                values, kOneRow));
  return Labelled{texts_of_array(rows.raw(0, 0)), integers_of_array(rows.raw(0, 1)), !rows.boolean(0, 2)};
}

std::string not_all_asked(const HistoryQuery& query) {
  return "the label was looked for in the newest " + std::to_string(kMostLabelledRuns) + " runs with labels" +
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
    for (std::size_t i = 0; i < kCursorFields; ++i) values.null();
    return {};
  }
  STEELYARD_TRY(const std::vector<std::string> fields, read_cursor(kCursorKind, kCursorFields, after));
  for (const std::string& field : fields) values.text(field);
  return {};
}

std::vector<std::string> fields_of(const ChosenSeries& series) {
  return {series.benchmark,
          series.project,
          series.metric.name,
          series.metric.unit,
          std::string(to_text(series.metric.better)),
          std::string(to_text(series.metric.kind)),
          series.fingerprint};
}

Error no_cursor(const std::string& after) {
  return input_error("--after", '"' + after.substr(0, 60) + '"', "what the page before said comes next",
                     "begin anew without it");
}

// The first of the fields; there may be more.
Result<ChosenSeries> series_of_fields(const std::vector<std::string>& fields, const std::string& after) {
  const std::optional<Better> better = parse_better(fields[4]);
  const std::optional<MetricKind> kind = parse_metric_kind(fields[5]);
  if (!better || !kind) return no_cursor(after);
  ChosenSeries series;
  series.benchmark = fields[0];
  series.project = fields[1];
  series.metric = {fields[2], fields[3], *better, *kind};
  series.fingerprint = fields[6];
  return series;
}

}  // namespace

Result<Page<ChosenSeries>> choose_series(Transaction& transaction, const HistoryQuery& query) {
  bool is_whole_name = false;
  if (!query.benchmark.empty()) {
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
  const std::int64_t most = query.series_limit > 0 ? query.series_limit : kMostSeries;
  values.integer(most + 1).integers(labelled.projects);
  STEELYARD_TRY(const Rows rows,
                transaction.run(kChooseBegin + std::string(is_whole_name ? kWholeName : kPartOfName) + kChooseEnd,
                                values, {0, most + 1}));
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    page.items.push_back({rows.text(row, 0), rows.text(row, 1), metric_of(rows, row, 2), rows.text(row, 6),
                          rows.integer(row, 7), integers_of_array(rows.raw(row, 8))});
  }
  if (rows.size() > most) page.next = cursor_after(page.items.back());
  return page;
}

std::string cursor_after(const ChosenSeries& series) { return write_cursor(kCursorKind, fields_of(series)); }

std::string cursor_before(const PointPlace& place) {
  std::vector<std::string> fields = fields_of(place.series);
  fields.push_back(place.run);
  fields.push_back(std::to_string(place.position));
  return write_cursor(kPointCursorKind, fields);
}

bool is_point_cursor(const std::string& after) { return after.starts_with(std::string(kPointCursorKind) + '-'); }

Result<ChosenSeries> read_series_cursor(const std::string& after) {
  STEELYARD_TRY(const std::vector<std::string> fields, read_cursor(kCursorKind, kCursorFields, after));
  return series_of_fields(fields, after);
}

Result<PointPlace> read_point_cursor(const std::string& after) {
  STEELYARD_TRY(const std::vector<std::string> fields, read_cursor(kPointCursorKind, kCursorFields + 2, after));
  PointPlace place;
  STEELYARD_TRY(place.series, series_of_fields(fields, after));
  place.run = fields[kCursorFields];
  const std::string& position = fields.back();
  const auto [end, code] = std::from_chars(position.data(), position.data() + position.size(), place.position);
  if (code != std::errc() || end != position.data() + position.size()) return no_cursor(after);
  return place;
}

Result<ChosenSeries> choose_one(Transaction& transaction, const ChosenSeries& wanted) {
  HistoryQuery query;
  query.benchmark = wanted.benchmark;
  query.project = wanted.project;
  query.metric = wanted.metric.name;
  query.machine = wanted.fingerprint;
  STEELYARD_TRY(Page<ChosenSeries> found, choose_series(transaction, query));
  for (ChosenSeries& series : found.items) {
    if (fields_of(series) == fields_of(wanted)) return std::move(series);
  }
  return input_error("--after", "a place in a series that the store does not have", "one that this store named",
                     "begin anew without it");
}

}  // namespace steelyard
