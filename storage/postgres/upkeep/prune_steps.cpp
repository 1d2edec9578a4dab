#include "storage/postgres/upkeep/prune_steps.hpp"

namespace steelyard {
namespace {

std::string partition_name(std::int64_t number) { return "steelyard.measurements_" + std::to_string(number); }

Result<std::int64_t> size_of(Transaction& transaction, const std::string& table) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select pg_total_relation_size($1::regclass)", SqlValues().text(table), kOneRow));
  return rows.integer(0, 0);
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

// The partition anew, in place of the old one. `packed`: what becomes of that column, an expression.
Result<Dropped> write_anew(Transaction& transaction, std::int64_t number, const std::string& packed,
                           const std::string& note) {
  const std::string old = partition_name(number);
  const std::string fresh = old + "_new";
  const std::string bare = old.substr(old.find('.') + 1);
  // Nobody writes to a closed partition but another prune.
  STEELYARD_CHECK(transaction.run("lock table " + old + " in share mode"));
  STEELYARD_TRY(const std::int64_t before, size_of(transaction, old));
  STEELYARD_CHECK(transaction.run("create table " + fresh + " (like steelyard.measurements including all)"));
  // In the order of their runs, which the summary of pages by run lives on.
  STEELYARD_TRY(const Rows copied,
                transaction.run("insert into " + fresh +
                                " (value, run_key, series_key, position, samples, count_basis_key, packed) "
                                "select value, run_key, series_key, position, samples, count_basis_key, " +
                                packed + " from " + old + " order by run_key, position"));
  STEELYARD_TRY(const Rows bounds, transaction.run("select pg_get_expr(relpartbound, oid) from pg_class "
                                                   "where oid = $1::regclass",
                                                   SqlValues().text(old), kOneRow));
  STEELYARD_TRY(const Rows rows, transaction.run("select count(*) from " + old, {}, kOneRow));
  if (rows.integer(0, 0) != copied.affected())
    return bug_error("prune", "a partition that changed while it was copied");
  STEELYARD_CHECK(transaction.run("alter table steelyard.measurements detach partition " + old));
  STEELYARD_CHECK(transaction.run("drop table " + old));
  STEELYARD_CHECK(transaction.run("alter table " + fresh + " rename to " + bare));
  STEELYARD_CHECK(
      transaction.run("alter table steelyard.measurements attach partition " + old + ' ' + bounds.text(0, 0)));
  STEELYARD_CHECK(
      transaction.run("comment on table " + old + " is 'Partition of steelyard.measurements; " + note + "'"));
  STEELYARD_TRY(const std::int64_t after, size_of(transaction, old));
  return Dropped{copied.affected(), before - after};
}

}  // namespace

Result<Dropped> rewrite_partition(Transaction& transaction, const PruneGroup& group) {
  return write_anew(transaction, group.partition,
                    "case when packed is not null and steelyard.has_samples(packed) "
                    "then steelyard.without_samples(packed) else packed end",
                    "retention dropped its samples.");
}

Result<Dropped> shrink_partition(Transaction& transaction, std::int64_t number) {
  return write_anew(transaction, number, "packed", "written anew when it was closed.");
}

Result<Dropped> drop_partition(Transaction& transaction, const PruneGroup& group) {
  const std::string old = partition_name(group.partition);
  STEELYARD_CHECK(transaction.run("lock table " + old + " in share mode"));
  STEELYARD_TRY(const std::int64_t bytes, size_of(transaction, old));
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

Result<void> note_prunings(Transaction& transaction, const std::vector<std::int64_t>& keys, const PruneNote& note) {
  SqlValues values;
  values.integers(keys).text(note.what).text(note.policy).text(note.who);
  // The archive's name as the spool gives it. A run that came back from its archive was noted before.
  STEELYARD_CHECK(transaction.run(
      "insert into steelyard.prunings (run, what, policy, who, archive) "
      "select r.id, $2, $3, $4, lpad(greatest(r.created_at_unix_ns, 0)::text, 19, '0') || '-' || left(r.id, 16) || "
      "'.syrun' from steelyard.runs r where r.run_key = any($1::bigint[]) on conflict (run, what) do update "
      "set pruned_at = excluded.pruned_at, policy = excluded.policy, who = excluded.who, archive = excluded.archive",
      values, exactly(keys.size())));
  return {};
}

}  // namespace steelyard
