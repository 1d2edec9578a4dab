#include "storage/postgres/upkeep/prune_candidates.hpp"

#include <map>
#include <set>

#include "storage/postgres/runs/partitions.hpp"

namespace steelyard {
namespace {

// Whether `what` ($1) of a run r is gone. A run that is there was not dropped whole, or came back; one that was written
// anew from its archive since has its samples and profiles again.
constexpr const char* kIsGone =
    "($1::text <> 'run' and exists (select 1 from steelyard.prunings p "
    "where p.run = r.id and p.what = $1::text and p.pruned_at >= r.recorded_at))";

// $1 what, $2 before, $3 from then on.
const std::string kDue =
    "select r.run_key, r.measurements from steelyard.runs r "
    "where r.created_at_unix_ns < $2::bigint and r.created_at_unix_ns >= $3::bigint and not " +
    std::string(kIsGone) + " order by r.run_key";

// $1 what, $2 before: how many runs of each partition stay as they are.
const std::string kKept = "select r.run_key / " + std::to_string(kRunsOfPartition) +
                          ", count(*) from steelyard.runs r where r.created_at_unix_ns >= $2::bigint and not " +
                          std::string(kIsGone) + " group by 1";

// $1 what, $2 and $3 keys of the partition, inclusive, $4 those that go.
const std::string kHasOthers =
    "select exists (select 1 from steelyard.runs r where r.run_key between $2::bigint and $3::bigint "
    "and r.run_key <> all($4::bigint[]) and not " +
    std::string(kIsGone) + ')';

// Those of the runs that have what is to go. Asked apart: a distributed store joins no distributed table with one that
// only one of its servers has.
Result<std::set<std::int64_t>> with_profiles(Transaction& transaction, const Rows& runs) {
  std::vector<std::int64_t> keys;
  for (std::int64_t row = 0; row < runs.size(); ++row) keys.push_back(runs.integer(row, 0));
  STEELYARD_TRY(
      const Rows found,
      transaction.run("select distinct f.run_key from steelyard.profiles f where f.run_key = any($1::bigint[])",
                      SqlValues().integers(keys)));
  std::set<std::int64_t> having;
  for (std::int64_t row = 0; row < found.size(); ++row) having.insert(found.integer(row, 0));
  return having;
}

}  // namespace

Result<std::vector<PruneGroup>> prune_groups(Transaction& transaction, const std::string& what,
                                             const TakenWithin& taken) {
  SqlValues values;
  values.text(what).integer(taken.before_unix_ns);
  STEELYARD_TRY(const Rows kept, transaction.run(kKept, values));
  STEELYARD_TRY(const Rows due, transaction.run(kDue, values.integer(taken.from_unix_ns)));
  STEELYARD_TRY(const Rows newest,
                transaction.run("select coalesce(max(run_key), 0) from steelyard.runs", {}, kOneRow));
  const bool of_profiles = what == "profiles";
  std::set<std::int64_t> having;
  if (of_profiles) {
    STEELYARD_TRY(having, with_profiles(transaction, due));
  }
  std::map<std::int64_t, PruneGroup> groups;
  for (std::int64_t row = 0; row < due.size(); ++row) {
    const std::int64_t key = due.integer(row, 0);
    if (of_profiles && !having.contains(key)) continue;
    PruneGroup& group = groups[key / kRunsOfPartition];
    group.keys.push_back(key);
    group.rows += due.integer(row, 1);
  }
  std::map<std::int64_t, bool> stays;
  for (std::int64_t row = 0; row < kept.size(); ++row) stays[kept.integer(row, 0)] = true;
  std::vector<PruneGroup> all;
  for (auto& [number, group] : groups) {
    group.partition = number;
    group.is_whole = number < newest.integer(0, 0) / kRunsOfPartition && !stays[number];
    all.push_back(std::move(group));
  }
  return all;
}

Result<bool> lock_whole(Transaction& transaction, const std::string& what, const PruneGroup& group) {
  // Waits for writers that have rows in it already, and keeps out others.
  STEELYARD_CHECK(
      transaction.run("lock table steelyard.measurements_" + std::to_string(group.partition) + " in share mode"));
  const std::int64_t first = group.partition * kRunsOfPartition;
  STEELYARD_TRY(
      const Rows others,
      transaction.run(kHasOthers,
                      SqlValues().text(what).integer(first).integer(first + kRunsOfPartition - 1).integers(group.keys),
                      kOneRow));
  return !others.boolean(0, 0);
}

}  // namespace steelyard
