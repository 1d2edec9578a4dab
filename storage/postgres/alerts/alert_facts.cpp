#include "storage/postgres/alerts/alert_facts.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/calibration.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

// Of each alert at most so many of the newest comparisons are looked at.
constexpr std::int64_t kMaxComparisonsOfAlert = 1000;

// Rules by which a calibrated floor of any size, from any number of gates, was the margin. What they called unchanged
// only because of a floor that would no longer be taken is no reason to call a regression gone, and such a margin is
// not what a regression that was accepted may grow by.
constexpr std::array kWideningRules{"1", "rounds-1", "rounds-2", "history-1", "history-2"};

// $1 project, $2 branch, $3 and $4 benchmarks and metrics, $5 the most of each, $6 kWideningRules, $7 and $8 what a
// floor is taken by (bench/model/calibration.hpp). The branch's comparisons first: what others keep of the same
// benchmarks costs nothing then. Numbered and not limited one by one: a distributed store cannot do that.
constexpr const char* kOfComparisons = R"sql(
with c as materialized (
  select a.comparison_key, a.compared_at_unix_ns, a.id, a.baseline_commit, a.baseline_run, a.candidate_commit,
         a.candidate_run, a.candidate_fingerprint, k.gates,
         case when a.rule_version = any($6::text[]) and k.gates is not null then a.margin end as policy_margin
  from steelyard.comparisons a
  left join steelyard.calibrations k on k.calibration_key = a.calibration_key
  where hashtextextended(a.project, 0) = hashtextextended($1::text, 0) and a.project = $1::text
    and hashtextextended(a.branch, 0) = hashtextextended($2::text, 0) and a.branch = $2::text)
select number, compared_at_unix_ns, id,
       case when is_widened and verdict = 'unchanged' then 'inconclusive' else verdict end,
       coalesce(nullif(baseline_commit, ''), baseline_run),
       coalesce(nullif(candidate_commit, ''), candidate_run),
       candidate_commit, candidate_fingerprint, unit, baseline, candidate, ratio,
       baseline_commit <> '' and candidate_commit <> '', case when is_widened then policy_margin else margin end,
       better = 'higher', is_creep, creep_level
from (
  select s.number, c.compared_at_unix_ns, c.id, x.verdict, c.baseline_commit, c.baseline_run, c.candidate_commit,
         c.candidate_run, c.candidate_fingerprint, c.policy_margin, m.unit,
         coalesce(k.accepted, x.baseline) as baseline, x.candidate, x.ratio, x.margin, m.better,
         k.comparison_key is not null as is_creep, k.level as creep_level,
         coalesce(x.margin > c.policy_margin and (x.margin > $7::float8 or c.gates < $8::bigint), false) as is_widened,
         row_number() over (partition by s.number order by c.compared_at_unix_ns desc, c.id desc) as age
  from unnest($3::text[], $4::text[]) with ordinality as s(benchmark, metric, number)
  cross join c
  join steelyard.comparison_rows x
    on x.comparison_key = c.comparison_key
       and hashtextextended(x.benchmark, 0) = hashtextextended(s.benchmark collate "C", 0)
       and x.benchmark = s.benchmark collate "C"
  join steelyard.metrics m on m.metric_key = x.metric_key and m.name = s.metric
  left join steelyard.comparison_creeps k
    on k.comparison_key = x.comparison_key and k.row_position = x.position and k.beyond
  where x.gates) f
where age <= $5::bigint
order by number, age
)sql";

// $1 comparisons without commits: those of is_of_files().
constexpr const char* kOfFiles = R"sql(
select c.id
from steelyard.comparisons c
join steelyard.comparison_sides b on b.comparison_key = c.comparison_key and b.side = 'baseline'
join steelyard.comparison_sides d on d.comparison_key = c.comparison_key and d.side = 'candidate'
where c.id = any($1::text[]) and b.commit = '' and d.commit = '' and b.session <> '' and b.session = d.session
)sql";

// $1 to $6: the fields of the subjects.
constexpr const char* kOfChangePoints = R"sql(
select s.number, (extract(epoch from l.happened_at) * 1000000)::bigint * 1000, l.change_point_log_key, l.event,
       l.to_commit, p.fingerprint, p.level_before, p.level_after, p.ratio, coalesce(l.cause = 'machine', false),
       l.taken_back_by
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

// So that the order of texts is that of keys.
std::string padded(std::int64_t key) {
  constexpr std::size_t kDigits = 19;
  const std::string text = std::to_string(key);
  return std::string(kDigits - text.size(), '0') + text;
}

AlertFact fact_of_comparison(const Rows& rows, std::int64_t row) {
  AlertFact fact;
  std::optional<double> creep_level;
  read_in_order(rows, row, 1, fact.at_unix_ns, fact.id, fact.what, fact.baseline_side, fact.candidate_side, fact.commit,
                fact.fingerprint, fact.unit, fact.baseline, fact.candidate, fact.ratio, fact.has_commits, fact.margin,
                fact.higher_is_better, fact.is_creep, creep_level);
  // Not in SQL, where a quotient that no double holds is an error of the whole statement.
  if (creep_level && fact.baseline && *fact.baseline != 0) {
    const double ratio = *creep_level / *fact.baseline;
    if (std::isfinite(ratio)) fact.ratio = ratio;
  }
  return fact;
}

AlertFact fact_of_change_point(const Rows& rows, std::int64_t row) {
  AlertFact fact;
  fact.kind = AlertFact::Kind::change_point;
  std::int64_t key = 0;
  read_in_order(rows, row, 1, fact.at_unix_ns, key, fact.what, fact.commit, fact.fingerprint, fact.baseline,
                fact.candidate, fact.ratio, fact.of_machine, fact.taken_back_by);
  fact.id = padded(key);
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

// Asked by itself, so that comparisons of commits cost nothing more.
Result<void> drop_those_of_files(Transaction& transaction, FactsById& facts) {
  std::set<std::string> without_commits;
  for (const auto& [alert, of_alert] : facts) {
    for (const AlertFact& fact : of_alert) {
      if (!fact.has_commits) without_commits.insert(fact.id);
    }
  }
  if (without_commits.empty()) return {};
  const std::vector<std::string> ids(without_commits.begin(), without_commits.end());
  STEELYARD_TRY(const Rows rows, transaction.run(kOfFiles, SqlValues().texts(ids)));
  std::set<std::string> of_files;
  for (std::int64_t row = 0; row < rows.size(); ++row) of_files.insert(rows.text(row, 0));
  for (auto& [alert, of_alert] : facts) {
    std::erase_if(of_alert, [&of_files](const AlertFact& fact) { return of_files.contains(fact.id); });
  }
  return {};
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
  STEELYARD_TRY(const Rows rows,
                transaction.run(kOfComparisons, SqlValues()
                                                    .text(subjects.front().project)
                                                    .text(subjects.front().branch)
                                                    .texts(benchmarks)
                                                    .texts(metrics)
                                                    .integer(kMaxComparisonsOfAlert)
                                                    .texts({kWideningRules.begin(), kWideningRules.end()})
                                                    .number(kMaxCalibratedMargin)
                                                    .integer(kMinCalibrationGates)));
  FactsById facts = by_subject(rows, subjects, fact_of_comparison);
  STEELYARD_CHECK(drop_those_of_files(transaction, facts));
  return facts;
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

// What people said, added to the facts of each alert.
Result<void> add_words(Transaction& transaction, FactsById& facts) {
  std::vector<std::string> ids;
  for (const auto& [id, known] : facts) ids.push_back(id);
  STEELYARD_TRY(const Rows rows, transaction.run(kWords, SqlValues().texts(ids)));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    AlertFact fact;
    fact.kind = AlertFact::Kind::person;
    std::int64_t key = 0;
    read_in_order(rows, row, 1, key, fact.what, fact.who, fact.note, fact.commit, fact.at_unix_ns);
    fact.id = padded(key);
    facts[rows.text(row, 0)].push_back(std::move(fact));
  }
  return {};
}

}  // namespace steelyard::storage
