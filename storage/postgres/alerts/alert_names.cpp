#include "storage/postgres/alerts/alert_names.hpp"

#include <algorithm>
#include <cstdint>

#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {
namespace {

// $1 project, $2 branch. By hashes, as the index has them.
constexpr const char* kTies = R"sql(
select distinct n.earlier collate "C", n.later collate "C"
from steelyard.comparisons c
cross join lateral unnest(c.earlier_names, c.earlier_texts) as n(earlier, later)
where hashtextextended(c.project, 0) = hashtextextended($1::text, 0) and c.project = $1::text
  and hashtextextended(c.branch, 0) = hashtextextended($2::text, 0) and c.branch = $2::text
  and c.earlier_names <> '{}'
order by 1, 2
)sql";

// $1 project, $2 branch, $3 benchmarks.
constexpr const char* kOfBenchmarks =
    "select metric, benchmark, other_names from steelyard.alert_states "
    "where project = $1 and branch = $2 and source = 'comparison' and benchmark = any($3::text[])";

}  // namespace

Result<NamesOnBranch> NamesOnBranch::read(Transaction& transaction, const std::string& project,
                                          const std::string& branch) {
  STEELYARD_TRY(const Rows rows, transaction.run(kTies, SqlValues().text(project).text(branch)));
  NamesOnBranch names;
  for (std::int64_t row = 0; row < rows.size(); ++row) names.tie(rows.text(row, 0), rows.text(row, 1));
  return names;
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

void NamesOnBranch::tie(const std::string& one, const std::string& other) {
  std::set<std::string> all;
  for (const std::string& name : {one, other}) {
    for (std::string& more : of(name)) all.insert(std::move(more));
  }
  if (all.size() > kMaxNamesOfBenchmark) return;
  for (const std::string& name : all) {
    names_.erase(name);
    first_[name] = *all.begin();
  }
  const std::string least = *all.begin();
  names_.emplace(least, std::move(all));
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
