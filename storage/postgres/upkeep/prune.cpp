#include "storage/postgres/upkeep/prune.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/history/commit_graph.hpp"
#include "storage/postgres/runs/partitions.hpp"
#include "storage/postgres/runs/run_reader.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

// Whether `what` ($1) of a run r is gone. A run that is there was not dropped whole, or came back; one that was written
// anew from its archive since has its samples and profiles again.
constexpr const char* kIsGone =
    "($1::text <> 'run' and exists (select 1 from steelyard.prunings p "
    "where p.run = r.id and p.what = $1::text and p.pruned_at >= r.recorded_at))";

// When a run r was taken. One that does not say is as old as it is here: it may have been taken before, and is in no
// case of 1970.
const std::string kTakenAt =
    "case when r.created_at_unix_ns > 0 then r.created_at_unix_ns "
    "else (extract(epoch from r.recorded_at) * 1000000000)::bigint end";

// $1 what, $2 before, $3 from then on.
const std::string kDue = "select r.run_key, r.measurements from steelyard.runs r where " + kTakenAt +
                         " < $2::bigint and " + kTakenAt + " >= $3::bigint and not " + std::string(kIsGone) +
                         " order by r.run_key";

// $1 what, $2 before: how many runs of each partition stay as they are.
const std::string kKept = "select r.run_key / " + std::to_string(kRunsOfPartition) +
                          ", count(*) from steelyard.runs r where " + kTakenAt + " >= $2::bigint and not " +
                          std::string(kIsGone) + " group by 1";

// $1 what, $2 and $3 keys of the partition, inclusive, $4 those that go.
const std::string kHasOthers =
    "select exists (select 1 from steelyard.runs r where r.run_key between $2::bigint and $3::bigint "
    "and r.run_key <> all($4::bigint[]) and not " +
    std::string(kIsGone) + ')';

// Runs that have what is to go. Asked apart: a distributed store joins no distributed table with one that only one of
// its servers has.
Result<std::set<std::int64_t>> with_profiles(Transaction& transaction, const Rows& runs) {
  STEELYARD_TRY(
      const Rows found,
      transaction.run("select distinct f.run_key from steelyard.profiles f where f.run_key = any($1::bigint[])",
                      SqlValues().integers(runs.integers(0))));
  std::set<std::int64_t> having;
  for (std::int64_t row = 0; row < found.size(); ++row) having.insert(found.integer(row, 0));
  return having;
}

struct TakenWithin {
  std::int64_t from_unix_ns = INT64_MIN;  // what is older is passed over, as if it were gone
  std::int64_t before_unix_ns = 0;
};
// Runs of that time of which `what` (samples, profiles, run) was not dropped, by partition.
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

struct Dropped {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;  // of a partition: what it shrank by; of single rows: what they held
};

// What dropping `what` would do. Reads the rows that it is about; changes nothing.
Result<Dropped> estimate_of(Transaction& transaction, const std::string& what, const PruneGroup& piece) {
  const std::string query =
      what == "profiles" ? "select count(*), coalesce(sum(pg_column_size(p.*)), 0)::bigint from steelyard.profiles p "
                           "where p.run_key = any($1::bigint[])"
      : what == "samples"
          ? "select count(*), coalesce(sum(length(x.packed) - length(steelyard.without_samples(x.packed))), 0)::bigint "
            "from steelyard.measurements x where x.run_key = any($1::bigint[]) and steelyard.has_samples(x.packed)"
          : "select count(*), coalesce(sum(pg_column_size(x.*)), 0)::bigint from steelyard.measurements x "
            "where x.run_key = any($1::bigint[])";
  STEELYARD_TRY(const Rows rows, transaction.run(query, SqlValues().integers(piece.keys), kOneRow));
  return Dropped{rows.integer(0, 0), rows.integer(0, 1)};
}

// Tables with rows of a run besides the runs themselves, whoever made them.
constexpr const char* kOfRuns =
    "select distinct c.relname, a.attname from pg_constraint k join pg_class c on c.oid = k.conrelid "
    "join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1] "
    "where k.contype = 'f' and k.confrelid = 'steelyard.runs'::regclass and cardinality(k.conkey) = 1 "
    "and c.relnamespace = 'steelyard'::regnamespace and not c.relispartition order by c.relname";

// All but the measurements where `without_measurements`.
Result<std::int64_t> drop_rows_of(Transaction& transaction, const std::vector<std::int64_t>& keys,
                                  bool without_measurements) {
  STEELYARD_TRY(const Rows tables, transaction.run(kOfRuns));
  std::int64_t measurements = 0;
  for (std::int64_t row = 0; row < tables.size(); ++row) {
    const std::string table = tables.text(row, 0);
    if (table == "measurements" && without_measurements) continue;
    STEELYARD_TRY(const Rows gone, transaction.run("delete from steelyard." + table + " where " + tables.text(row, 1) +
                                                       " = any($1::bigint[])",
                                                   SqlValues().integers(keys)));
    if (table == "measurements") measurements = gone.affected();
  }
  STEELYARD_CHECK(transaction.run("delete from steelyard.runs where run_key = any($1::bigint[])",
                                  SqlValues().integers(keys), exactly(keys.size())));
  return measurements;
}

// Tables with rows of a comparison, itself last: in front of those that they point to.
constexpr const char* kTablesOfComparison =
    "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'comparison_key' "
    "where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by "
    "(select count(*) from pg_constraint k where k.contype = 'f' and k.confrelid = c.oid), c.relname";

constexpr const char* kComparisonsOfRun =
    "select comparison_key, id from steelyard.comparisons where baseline_run = $1 or candidate_run = $1 order by id";

// What the run is a side of, and the alerts again from what stays.
Result<void> drop_comparisons_of(Transaction& transaction, const std::string& run) {
  STEELYARD_TRY(const Rows found, transaction.run(kComparisonsOfRun, SqlValues().text(run)));
  if (found.size() == 0) return {};
  const std::vector<std::int64_t> keys = found.integers(0);
  STEELYARD_TRY(const Rows tables, transaction.run(kTablesOfComparison));
  for (std::int64_t row = 0; row < tables.size(); ++row) {
    STEELYARD_CHECK(
        transaction.run("delete from steelyard." + tables.text(row, 0) + " where comparison_key = any($1::bigint[])",
                        SqlValues().integers(keys)));
  }
  STEELYARD_CHECK(rebuild_alerts(transaction));
  return {};
}

// The partition anew without samples, in place of the old one. Readers wait for the swap alone.
Result<Dropped> empty_partition(Transaction& transaction, const PruneGroup& group) {
  STEELYARD_TRY(const RewrittenPartition done,
                rewrite_partition(transaction, group.partition,
                                  "case when packed is not null and steelyard.has_samples(packed) "
                                  "then steelyard.without_samples(packed) else packed end",
                                  "retention dropped its samples."));
  return Dropped{done.rows, done.bytes_given_back};
}

// Drops the partition's rows and everything else of its runs.
Result<Dropped> drop_partition(Transaction& transaction, const PruneGroup& group) {
  const std::string old = partition_name(group.partition);
  STEELYARD_CHECK(transaction.run("lock table " + old + " in share mode"));
  STEELYARD_TRY(const std::int64_t bytes, size_of_partition(transaction, group.partition));
  STEELYARD_TRY(const Rows rows, transaction.run("select count(*) from " + old, {}, kOneRow));
  STEELYARD_CHECK(transaction.run("alter table steelyard.measurements detach partition " + old));
  STEELYARD_CHECK(transaction.run("drop table " + old));
  STEELYARD_CHECK(drop_rows_of(transaction, group.keys, true));
  return Dropped{rows.integer(0, 0), bytes};
}

Result<Dropped> drop_samples(Transaction& transaction, const std::vector<std::int64_t>& keys) {
  STEELYARD_TRY(const Rows rows, transaction.run("with emptied as (update steelyard.measurements x "
                                                 "set packed = steelyard.without_samples(x.packed) "
                                                 "from steelyard.measurements o where x.run_key = any($1::bigint[]) "
                                                 "and steelyard.has_samples(x.packed) and o.run_key = x.run_key "
                                                 "and o.series_key = x.series_key and o.position = x.position "
                                                 "returning length(o.packed) - length(x.packed) as less) "
                                                 "select count(*), coalesce(sum(less), 0)::bigint from emptied",
                                                 SqlValues().integers(keys), kOneRow));
  return Dropped{rows.integer(0, 0), rows.integer(0, 1)};
}

Result<Dropped> drop_profiles(Transaction& transaction, const std::vector<std::int64_t>& keys) {
  PruneGroup piece;
  piece.keys = keys;
  // Before: a distributed store does not let a deletion say how large its rows were.
  STEELYARD_TRY(const Dropped would, estimate_of(transaction, "profiles", piece));
  STEELYARD_TRY(const Rows gone, transaction.run("delete from steelyard.profiles where run_key = any($1::bigint[])",
                                                 SqlValues().integers(keys)));
  return Dropped{gone.affected(), would.bytes};
}

Result<Dropped> drop_runs(Transaction& transaction, const std::vector<std::int64_t>& keys) {
  PruneGroup piece;
  piece.keys = keys;
  STEELYARD_TRY(const Dropped would, estimate_of(transaction, "run", piece));
  STEELYARD_TRY(const std::int64_t rows, drop_rows_of(transaction, keys, false));
  return Dropped{rows, would.bytes};
}

struct PruneNote {
  std::string what;
  std::string policy;
  std::string who;
};
Result<void> note_prunings(Transaction& transaction, const std::vector<std::int64_t>& keys, const PruneNote& note) {
  SqlValues values;
  values.integers(keys).text(note.what).text(note.policy).text(note.who);
  // The archive's name as the spool gives it. A run that came back from its archive was noted before.
  STEELYARD_CHECK(transaction.run(
      "insert into steelyard.prunings (run, what, policy, who, archive, project_key) "
      "select r.id, $2, $3, $4, lpad(greatest(r.created_at_unix_ns, 0)::text, 19, '0') || '-' || left(r.id, 16) || "
      "'.syrun', r.project_key from steelyard.runs r where r.run_key = any($1::bigint[]) on conflict (run, what) "
      "do update set pruned_at = excluded.pruned_at, policy = excluded.policy, who = excluded.who, archive = "
      "excluded.archive, "
      "project_key = excluded.project_key",
      values, exactly(keys.size())));
  return {};
}

// Of one transaction, where runs are emptied one by one.
constexpr std::size_t kRunsAtOnce = 200;
constexpr std::int64_t kNanoseconds = 1'000'000'000;

std::string days_text(std::int64_t seconds) {
  constexpr std::int64_t kDay = 86'400;
  return std::to_string(seconds / kDay) + " days";
}

struct Step {
  std::string what;  // "samples", "profiles", "run"
  std::string policy;
  TakenWithin taken{};
  Pruned::Part* part = nullptr;
  std::string named{};  // the run's id, where it is that one alone
};

// Whole runs first: of what goes altogether nothing else has to be dropped.
std::vector<Step> steps_of(const PruneOptions& options, Pruned& pruned) {
  std::vector<Step> steps;
  const auto add = [&](const std::string& what, const std::string& words, const std::optional<std::int64_t>& seconds,
                       Pruned::Part& part) {
    if (!seconds) return;
    TakenWithin taken;
    taken.before_unix_ns = options.now_unix_ns - *seconds * kNanoseconds;
    // What a step before this one would have dropped whole.
    if (options.dry_run && !steps.empty() && steps.front().what == "run") {
      taken.from_unix_ns = steps.front().taken.before_unix_ns;
    }
    steps.push_back({what, "keep " + words + ' ' + days_text(*seconds), taken, &part});
  };
  add("run", "runs", options.policy.runs_s, pruned.whole);
  add("samples", "samples", options.policy.samples_s, pruned.samples);
  add("profiles", "profiles", options.policy.profiles_s, pruned.profiles);
  return steps;
}

// Cuts a group that is not whole into pieces of one transaction each.
std::vector<PruneGroup> pieces_of(const std::vector<PruneGroup>& groups, const std::string& what) {
  std::vector<PruneGroup> pieces;
  for (const PruneGroup& group : groups) {
    if (group.is_whole && what != "profiles") {
      pieces.push_back(group);
      continue;
    }
    for (std::size_t begin = 0; begin < group.keys.size(); begin += kRunsAtOnce) {
      PruneGroup piece;
      piece.partition = group.partition;
      const auto first = group.keys.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto size = std::min(kRunsAtOnce, group.keys.size() - begin);
      piece.keys.assign(first, first + static_cast<std::ptrdiff_t>(size));
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

Result<Dropped> drop(Transaction& transaction, const Step& step, const PruneGroup& piece) {
  if (step.what == "profiles") return drop_profiles(transaction, piece.keys);
  if (step.what == "run") {
    return piece.is_whole ? drop_partition(transaction, piece) : drop_runs(transaction, piece.keys);
  }
  return piece.is_whole ? empty_partition(transaction, piece) : drop_samples(transaction, piece.keys);
}

// Those that the runs are of.
Result<void> touch_branches(Transaction& transaction, const std::vector<std::int64_t>& keys) {
  STEELYARD_TRY(const Rows rows, transaction.run("select distinct r.project_key, r.branch from steelyard.runs r "
                                                 "where r.run_key = any($1::bigint[]) order by 1, 2",
                                                 SqlValues().integers(keys)));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    STEELYARD_CHECK(touch_branch_of(transaction, rows.integer(row, 0), rows.text(row, 1)));
  }
  return {};
}

// False: the partition is not whole any more, and nothing was done.
Result<bool> carry_out(Session& session, const Step& step, const PruneGroup& piece, const PruneOptions& options,
                       Pruned& pruned) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  // A distributed store changes tables and those that they point to over one connection to each node; elsewhere it
  // means nothing.
  STEELYARD_CHECK(transaction.run_script("set local citus.multi_shard_modify_mode = 'sequential'"));
  // Before tables are locked: who places a run's commit holds its project, and reads the runs.
  if (step.what == "run") {
    STEELYARD_CHECK(touch_branches(transaction, piece.keys));
  }
  if (piece.is_whole) {
    STEELYARD_TRY(const bool still_whole, lock_whole(transaction, step.what, piece));
    if (!still_whole) return false;
  }
  // Before the runs themselves may be gone.
  STEELYARD_CHECK(note_prunings(transaction, piece.keys, {step.what, step.policy, options.who}));
  if (!step.named.empty()) STEELYARD_CHECK(drop_comparisons_of(transaction, step.named));
  STEELYARD_TRY(const Dropped dropped, drop(transaction, step, piece));
  const std::string count = std::to_string(piece.keys.size());
  const std::string subject = step.named.empty() ? "partition:" + std::to_string(piece.partition) : "run:" + step.named;
  STEELYARD_CHECK(write_audit(transaction, {options.who, step.what == "run" ? "runs pruned" : step.what + " pruned",
                                            subject, count + " runs, " + step.policy}));
  STEELYARD_CHECK(transaction.commit());
  step.part->runs += static_cast<std::int64_t>(piece.keys.size());
  step.part->rows += dropped.rows;
  step.part->bytes += dropped.bytes;
  if (piece.is_whole) ++(step.what == "run" ? pruned.partitions_dropped : pruned.partitions_rewritten);
  return true;
}

// A partition that is whole no more goes run by run.
Result<void> carry_out_or_split(Session& session, const Step& step, const PruneGroup& piece,
                                const PruneOptions& options, Pruned& pruned) {
  STEELYARD_TRY(const bool done, carry_out(session, step, piece, options, pruned));
  if (done) return {};
  PruneGroup rest = piece;
  rest.is_whole = false;
  for (const PruneGroup& one : pieces_of({rest}, step.what)) {
    STEELYARD_CHECK(carry_out(session, step, one, options, pruned));
  }
  return {};
}

Result<void> estimate(Transaction& transaction, const Step& step, const PruneGroup& piece, Pruned& pruned) {
  STEELYARD_TRY(const Dropped would, estimate_of(transaction, step.what, piece));
  step.part->runs += static_cast<std::int64_t>(piece.keys.size());
  step.part->rows += would.rows;
  step.part->bytes += would.bytes;
  if (piece.is_whole && step.what != "profiles") {
    ++(step.what == "run" ? pruned.partitions_dropped : pruned.partitions_rewritten);
  }
  return {};
}

Result<std::vector<PruneGroup>> pieces_of_step(Session& session, const Step& step) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::vector<PruneGroup> groups, prune_groups(transaction, step.what, step.taken));
  return pieces_of(groups, step.what);
}

struct FoundRun {
  std::int64_t key = 0;
  NamedRun run;
};
// Each once, in the order in which they were named.
Result<std::vector<FoundRun>> find_named(Session& session, const std::vector<std::string>& names) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  std::vector<FoundRun> all;
  for (const std::string& name : names) {
    FoundRun found;
    STEELYARD_TRY(found.key, find_run(session, transaction, name));
    if (std::any_of(all.begin(), all.end(), [&](const FoundRun& one) { return one.key == found.key; })) continue;
    STEELYARD_TRY(const Rows header,
                  transaction.run("select r.id, p.name, r.branch, coalesce(c.sha, ''), r.created_at_unix_ns "
                                  "from steelyard.runs r join steelyard.projects p using (project_key) "
                                  "left join steelyard.commits c using (commit_key) where r.run_key = $1",
                                  SqlValues().integer(found.key), kOneRow));
    read_in_order(header, 0, 0, found.run.id, found.run.project, found.run.branch, found.run.commit,
                  found.run.created_at_unix_ns);
    STEELYARD_TRY(const Rows comparisons, transaction.run(kComparisonsOfRun, SqlValues().text(found.run.id)));
    for (std::int64_t row = 0; row < comparisons.size(); ++row) {
      found.run.comparisons.push_back(comparisons.text(row, 1));
    }
    all.push_back(std::move(found));
  }
  return all;
}

// Each in a transaction of its own, as runs of a partition that stays.
Result<Pruned> prune_named(Session& session, const PruneOptions& options) {
  Pruned pruned;
  STEELYARD_TRY(std::vector<FoundRun> found, find_named(session, options.runs));
  for (FoundRun& one : found) {
    const Step step{"run", "db prune --run", {}, &pruned.whole, one.run.id};
    PruneGroup piece;
    piece.partition = one.key / kRunsOfPartition;
    piece.keys = {one.key};
    if (options.dry_run) {
      STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
      STEELYARD_CHECK(estimate(transaction, step, piece, pruned));
    } else {
      STEELYARD_CHECK(carry_out(session, step, piece, options, pruned));
    }
    pruned.named.push_back(std::move(one.run));
  }
  return pruned;
}

}  // namespace

Result<Pruned> prune(Session& session, const PruneOptions& options) {
  if (!options.runs.empty()) return prune_named(session, options);
  Pruned pruned;
  const std::vector<Step> steps = steps_of(options, pruned);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    STEELYARD_TRY(const std::vector<PruneGroup> pieces, pieces_of_step(session, steps[i]));
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      if (options.dry_run) {
        STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
        STEELYARD_CHECK(estimate(transaction, steps[i], pieces[k], pruned));
      } else {
        STEELYARD_CHECK(carry_out_or_split(session, steps[i], pieces[k], options, pruned));
      }
      if (options.progress) {
        const double of_step = static_cast<double>(k + 1) / static_cast<double>(pieces.size());
        options.progress((static_cast<double>(i) + of_step) / static_cast<double>(steps.size()));
      }
    }
  }
  return pruned;
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

}  // namespace steelyard::storage
