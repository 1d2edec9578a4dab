#include "storage/postgres/prune_candidates.hpp"

#include <map>

#include "storage/postgres/partitions.hpp"

namespace steelyard {
namespace {

// $1 what, $2 before. A dropped run is gone from runs; one whose samples were dropped stays.
constexpr const char* kDue = R"sql(
select r.run_key, r.measurements
from steelyard.runs r
where r.created_at_unix_ns < $2::bigint
  and not exists (select 1 from steelyard.prunings p where p.run = r.id and p.what = $1::text)
  and ($1::text <> 'profiles' or exists (select 1 from steelyard.profiles f where f.run_key = r.run_key))
order by r.run_key
)sql";

// $1 what, $2 before: how many runs of each partition stay as they are.
constexpr const char* kKept = R"sql(
select r.run_key / 8192, count(*)
from steelyard.runs r
where r.created_at_unix_ns >= $2::bigint
  and not exists (select 1 from steelyard.prunings p where p.run = r.id and p.what = $1::text)
group by 1
)sql";

}  // namespace

Result<std::vector<PruneGroup>> prune_groups(Transaction& transaction, const std::string& what,
                                             std::int64_t before_unix_ns) {
  SqlValues values;
  values.text(what).integer(before_unix_ns);
  STEELYARD_TRY(const Rows due, transaction.run(kDue, values));
  STEELYARD_TRY(const Rows kept, transaction.run(kKept, values));
  STEELYARD_TRY(const Rows newest,
                transaction.run("select coalesce(max(run_key), 0) / 8192 from steelyard.runs", {}, kOneRow));
  std::map<std::int64_t, PruneGroup> groups;
  for (std::int64_t row = 0; row < due.size(); ++row) {
    const std::int64_t key = due.integer(row, 0);
    PruneGroup& group = groups[key / kRunsOfPartition];
    group.keys.push_back(key);
    group.rows += due.integer(row, 1);
  }
  std::map<std::int64_t, bool> stays;
  for (std::int64_t row = 0; row < kept.size(); ++row) stays[kept.integer(row, 0)] = true;
  std::vector<PruneGroup> all;
  for (auto& [number, group] : groups) {
    group.partition = number;
    group.is_whole = number < newest.integer(0, 0) && !stays[number];
    all.push_back(std::move(group));
  }
  return all;
}

}  // namespace steelyard
