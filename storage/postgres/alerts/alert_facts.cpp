#include "storage/postgres/alerts/alert_facts.hpp"

#include <utility>

namespace steelyard {
namespace {

// $1 project, $2 branch, $3 and $4 benchmarks and metrics, $5 the most of each. The branch's comparisons first: what
// others keep of the same benchmarks costs nothing then. Numbered and not limited one by one: a distributed store
// cannot do that.
constexpr const char* kOfComparisons = R"sql(
with c as materialized (
  select comparison_key, compared_at_unix_ns, id, baseline_commit, baseline_run, candidate_commit, candidate_run,
         candidate_fingerprint
  from steelyard.comparisons
  where hashtextextended(project, 0) = hashtextextended($1::text, 0) and project = $1::text
    and hashtextextended(branch, 0) = hashtextextended($2::text, 0) and branch = $2::text)
select number, compared_at_unix_ns, id, verdict,
       coalesce(nullif(baseline_commit, ''), baseline_run),
       coalesce(nullif(candidate_commit, ''), candidate_run),
       candidate_commit, candidate_fingerprint, unit, baseline, candidate, ratio, margin, better = 'higher'
from (
  select s.number, c.compared_at_unix_ns, c.id, x.verdict, c.baseline_commit, c.baseline_run, c.candidate_commit,
         c.candidate_run, c.candidate_fingerprint, m.unit, x.baseline, x.candidate, x.ratio, x.margin, m.better,
         row_number() over (partition by s.number order by c.compared_at_unix_ns desc, c.id desc) as age
  from unnest($3::text[], $4::text[]) with ordinality as s(benchmark, metric, number)
  cross join c
  join steelyard.comparison_rows x
    on x.comparison_key = c.comparison_key
       and hashtextextended(x.benchmark, 0) = hashtextextended(s.benchmark collate "C", 0)
       and x.benchmark = s.benchmark collate "C"
  join steelyard.metrics m on m.metric_key = x.metric_key and m.name = s.metric
  where x.gates) f
where age <= $5::bigint
order by number, age
)sql";

// $1 to $6: the fields of the subjects.
constexpr const char* kOfChangePoints = R"sql(
select s.number, (extract(epoch from l.happened_at) * 1000000)::bigint * 1000, l.change_point_log_key, l.event,
       l.to_commit, p.fingerprint, p.level_before, p.level_after, p.ratio
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
  with ordinality as s(project, branch, benchmark, metric, fingerprint, id, number)
join steelyard.change_points p
  on p.project = s.project and p.branch = s.branch and p.benchmark = s.benchmark and p.metric = s.metric
     and p.fingerprint = s.fingerprint and p.id = s.id
join steelyard.change_point_log l using (change_point_key)
where p.verdict = 'regression'
)sql";

constexpr const char* kWords =
    "select alert, alert_event_key, event, who, note, commit, happened_at_unix_ns from steelyard.alert_events "
    "where alert = any($1::text[])";

std::optional<double> number_or_absent(const Rows& rows, std::int64_t row, int column) {
  return rows.is_null(row, column) ? std::nullopt : std::optional(rows.number(row, column));
}

// So that the order of texts is that of keys.
std::string padded(std::int64_t key) {
  constexpr std::size_t kDigits = 19;
  const std::string text = std::to_string(key);
  return std::string(kDigits - text.size(), '0') + text;
}

AlertFact fact_of_comparison(const Rows& rows, std::int64_t row) {
  AlertFact fact;
  fact.at_unix_ns = rows.integer(row, 1);
  fact.id = rows.text(row, 2);
  fact.what = rows.text(row, 3);
  fact.baseline_side = rows.text(row, 4);
  fact.candidate_side = rows.text(row, 5);
  fact.commit = rows.text(row, 6);
  fact.fingerprint = rows.text(row, 7);
  fact.unit = rows.text(row, 8);
  fact.baseline = number_or_absent(rows, row, 9);
  fact.candidate = number_or_absent(rows, row, 10);
  fact.ratio = number_or_absent(rows, row, 11);
  fact.margin = rows.number(row, 12);
  fact.higher_is_better = rows.boolean(row, 13);
  return fact;
}

AlertFact fact_of_change_point(const Rows& rows, std::int64_t row) {
  AlertFact fact;
  fact.kind = AlertFact::Kind::change_point;
  fact.at_unix_ns = rows.integer(row, 1);
  fact.id = padded(rows.integer(row, 2));
  fact.what = rows.text(row, 3);
  fact.commit = rows.text(row, 4);
  fact.fingerprint = rows.text(row, 5);
  fact.baseline = rows.number(row, 6);
  fact.candidate = rows.number(row, 7);
  fact.ratio = number_or_absent(rows, row, 8);
  return fact;
}

template <class Read>
FactsById by_subject(const Rows& rows, const std::vector<AlertSubject>& subjects, Read read) {
  FactsById facts;
  for (const AlertSubject& subject : subjects) facts[alert_id(subject)];
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const auto number = static_cast<std::size_t>(rows.integer(row, 0));
    facts[alert_id(subjects[number - 1])].push_back(read(rows, row));
  }
  return facts;
}

}  // namespace

Result<FactsById> facts_of_comparisons(Transaction& transaction, const std::vector<AlertSubject>& subjects) {
  if (subjects.empty()) return FactsById();
  std::vector<std::string> benchmarks;
  std::vector<std::string> metrics;
  for (const AlertSubject& subject : subjects) {
    benchmarks.push_back(subject.benchmark);
    metrics.push_back(subject.metric);
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kOfComparisons, SqlValues()
                                                                     .text(subjects.front().project)
                                                                     .text(subjects.front().branch)
                                                                     .texts(benchmarks)
                                                                     .texts(metrics)
                                                                     .integer(kMostComparisonsOfAlert)));
  return by_subject(rows, subjects, fact_of_comparison);
}

Result<FactsById> facts_of_change_points(Transaction& transaction, const std::vector<AlertSubject>& subjects) {
  if (subjects.empty()) return FactsById();
  SqlValues values;
  for (const auto field : {&AlertSubject::project, &AlertSubject::branch, &AlertSubject::benchmark,
                           &AlertSubject::metric, &AlertSubject::fingerprint, &AlertSubject::change_point}) {
    std::vector<std::string> column;
    for (const AlertSubject& subject : subjects) column.push_back(subject.*field);
    values.texts(column);
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kOfChangePoints, values));
  return by_subject(rows, subjects, fact_of_change_point);
}

Result<void> add_words(Transaction& transaction, FactsById& facts) {
  std::vector<std::string> ids;
  for (const auto& [id, known] : facts) ids.push_back(id);
  STEELYARD_TRY(const Rows rows, transaction.run(kWords, SqlValues().texts(ids)));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    AlertFact fact;
    fact.kind = AlertFact::Kind::person;
    fact.id = padded(rows.integer(row, 1));
    fact.what = rows.text(row, 2);
    fact.who = rows.text(row, 3);
    fact.note = rows.text(row, 4);
    fact.commit = rows.text(row, 5);
    fact.at_unix_ns = rows.integer(row, 6);
    facts[rows.text(row, 0)].push_back(std::move(fact));
  }
  return {};
}

}  // namespace steelyard
