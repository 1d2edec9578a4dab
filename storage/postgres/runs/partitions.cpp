#include "storage/postgres/runs/partitions.hpp"

#include <vector>

#include "storage/packing/packed_samples.hpp"
#include "storage/postgres/distributed/distribute.hpp"

namespace steelyard::storage {
namespace {

constexpr const char* kClosed = "'Closed: built without room to grow.'";  // as steelyard.is_closed() looks for
// Rows that were changed leave their old ones behind. Past this share of a partition it is worth writing anew.
constexpr const char* kWorthWritingAnew =
    "select pg_relation_size($1::text::regclass) > 16 * 1048576 and pg_relation_size($1::text::regclass) > 1.3 * "
    "(select coalesce(sum(pg_column_size(x.*) + 8), 0) from ";

Result<std::vector<std::int64_t>> numbers(Session& session, const std::string& question) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(question));
  return rows.integers(0);
}

Result<std::int64_t> bytes_of(Session& session, const std::string& table) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run("select steelyard.bytes_of($1::text::regclass, true)",
                                                 SqlValues().text(table), kOneRow));
  return rows.integer(0, 0);
}

// Packs what is longer than it needs to be. Rows that this program wrote come out as they are.
Result<std::int64_t> pack_run(Session& session, std::int64_t run_key) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run("select series_key, position, packed from steelyard.measurements "
                                                 "where run_key = $1 and get_byte(packed, 0) in (1, 17)",
                                                 SqlValues().integer(run_key)));
  SamplePacker packer;
  std::int64_t packed = 0;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const std::string raw = bytes_of_text(rows.raw(row, 2));
    STEELYARD_TRY(const UnpackedSamples samples, unpack_samples(raw, "run number " + std::to_string(run_key)));
    const std::string_view bytes = packer.pack(samples.invocations, samples.excluded);
    if (bytes.size() >= raw.size()) continue;
    SqlValues values;
    values.integer(rows.integer(row, 0)).integer(run_key).integer(rows.integer(row, 1)).bytes(bytes);
    STEELYARD_CHECK(
        transaction.run("update steelyard.measurements set packed = $4 "
                        "where series_key = $1 and run_key = $2 and position = $3",
                        values, kOneRow));
    ++packed;
  }
  STEELYARD_CHECK(transaction.commit());
  return packed;
}

// Of a partition that an older program wrote to: the runs with rows in the form in which they were carried over.
Result<std::int64_t> pack_carried_over(Session& session, std::int64_t number) {
  STEELYARD_TRY(const std::vector<std::int64_t> carried,
                numbers(session, "select 1 where steelyard.was_carried_over(" + std::to_string(number) + ")"));
  if (carried.empty()) return std::int64_t{0};
  const std::string first = std::to_string(number * kRunsOfPartition);
  const std::string end = std::to_string((number + 1) * kRunsOfPartition);
  STEELYARD_TRY(const std::vector<std::int64_t> runs,
                numbers(session, "select distinct run_key from steelyard.measurements where run_key >= " + first +
                                     " and run_key < " + end + " and get_byte(packed, 0) in (1, 17) order by 1"));
  std::int64_t packed = 0;
  for (const std::int64_t run_key : runs) {
    STEELYARD_TRY(const std::int64_t of_run, pack_run(session, run_key));
    packed += of_run;
  }
  return packed;
}

Result<void> write_anew(Session& session, std::int64_t number) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows worth, transaction.run(kWorthWritingAnew + partition_name(number) + " x)",
                                                  SqlValues().text(partition_name(number)), kOneRow));
  if (!worth.boolean(0, 0)) return {};
  // With all that it holds: changed rows have left it full of holes.
  STEELYARD_CHECK(rewrite_partition(transaction, number, "packed", "written anew when it was closed."));
  return transaction.commit();
}

// Names as PostgreSQL quotes them. `kind`: what follows "where" besides.
Result<std::vector<std::string>> indexes_of(Session& session, std::int64_t number, const std::string& kind) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run(
                    "select format('steelyard.%I', c.relname) from pg_index i join pg_class c on c.oid = i.indexrelid "
                    "join pg_am a on a.oid = c.relam where i.indrelid = $1::text::regclass and " +
                        kind,
                    SqlValues().text(partition_name(number))));
  return rows.texts(0);
}

Result<void> tell(Session& session, const std::string& statement) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(transaction.run_script(statement));
  return transaction.commit();
}

// Beside readers and writers, which cannot be done in a transaction. Ended in the middle it leaves an index that is not
// valid, to be removed first.
Result<void> build_anew(Session& session, std::int64_t number) {
  STEELYARD_TRY(const std::vector<std::string> invalid, indexes_of(session, number, "not i.indisvalid"));
  for (const std::string& index : invalid) STEELYARD_CHECK(session.run_alone("drop index if exists " + index));
  STEELYARD_TRY(const std::vector<std::string> trees, indexes_of(session, number, "a.amname = 'btree'"));
  for (const std::string& index : trees) {
    STEELYARD_CHECK(tell(session, "alter index " + index + " set (fillfactor = 100)"));
    STEELYARD_CHECK(session.run_alone("reindex index concurrently " + index));
    STEELYARD_CHECK(tell(session, "comment on index " + index + " is " + kClosed));
  }
  // So that a history is read from the index alone, and nobody has to come back to freeze it.
  return session.run_alone("vacuum (freeze, analyze) " + partition_name(number));
}

// Where the login may not do it beside its readers, or the engine of a distributed store cannot.
Result<void> close_at_once(Session& session, std::int64_t number) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(transaction.run("select steelyard.close_partition($1::integer)", SqlValues().integer(number)));
  return transaction.commit();
}

Result<void> close_one(Session& session, std::int64_t number, bool distributed) {
  if (distributed) return close_at_once(session, number);
  STEELYARD_CHECK(write_anew(session, number));
  const Result<void> built = build_anew(session, number);
  if (built || session.link() != Session::Link::up) return built;
  return close_at_once(session, number);
}

Result<bool> is_spread(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  return is_distributed(transaction);
}

}  // namespace

Result<std::int64_t> ensure_partitions(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows there, transaction.run("select steelyard.partitions_ahead()", {}, kOneRow));
  if (there.integer(0, 0) >= kPartitionsAhead) return std::int64_t{0};
  STEELYARD_TRY(const Rows made, transaction.run("select steelyard.ensure_partitions($1::integer)",
                                                 SqlValues().integer(kPartitionsAhead), kOneRow));
  STEELYARD_CHECK(transaction.commit());
  return made.integer(0, 0);
}

Result<bool> has_partition(Session& session, std::int64_t run_key) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select to_regclass($1) is not null",
                                SqlValues().text(partition_name(run_key / kRunsOfPartition)), kOneRow));
  return rows.boolean(0, 0);
}

Result<void> make_partition_of(Session& session, std::int64_t run_key) {
  const auto make = [&]() -> Result<void> {
    STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
    STEELYARD_CHECK(transaction.run("select steelyard.ensure_partitions(1)", {}, kOneRow));
    return transaction.commit();
  };
  const Result<void> made = make();
  if (made) {
    STEELYARD_TRY(const bool is_there, has_partition(session, run_key));
    if (is_there) return {};
  }
  return store_error("store " + session.name(),
                     "no partition " + partition_name(run_key / kRunsOfPartition) + ", and it could not be made: " +
                         (made ? "the numbers of runs have gone on to another" : made.error().found),
                     "one for the next runs",
                     made ? "send the run again: it gets another number"
                          : "run `steelyard db migrate` as the schema's owner; the run waits in the spool until then");
}

std::string partition_name(std::int64_t number) { return "steelyard.measurements_" + std::to_string(number); }

Result<std::int64_t> size_of_partition(Transaction& transaction, std::int64_t number) {
  STEELYARD_TRY(const Rows rows, transaction.run("select pg_total_relation_size($1::regclass)",
                                                 SqlValues().text(partition_name(number)), kOneRow));
  return rows.integer(0, 0);
}

Result<RewrittenPartition> rewrite_partition(Transaction& transaction, std::int64_t number, const std::string& packed,
                                             const std::string& note) {
  const std::string old = partition_name(number);
  const std::string fresh = old + "_new";
  const std::string bare = old.substr(old.find('.') + 1);
  // Nobody writes to a closed partition but another prune.
  STEELYARD_CHECK(transaction.run("lock table " + old + " in share mode"));
  STEELYARD_TRY(const std::int64_t before, size_of_partition(transaction, number));
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
  STEELYARD_TRY(const std::int64_t after, size_of_partition(transaction, number));
  return RewrittenPartition{copied.affected(), before - after};
}

Result<bool> close_small_partition(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows closed, transaction.run("select steelyard.close_small_partition($1)",
                                                   SqlValues().integer(kSmallIndexBytes), kOneRow));
  STEELYARD_CHECK(transaction.commit());
  return !closed.is_null(0, 0);
}

Result<ClosedPartitions> close_partitions(Session& session, const std::function<void(double)>& progress) {
  ClosedPartitions done;
  STEELYARD_TRY(const std::vector<std::int64_t> to_close,
                numbers(session, "select p from steelyard.partitions_to_close() p"));
  // The newest one is written to on and has the room for it; its rows can be packed all the same.
  STEELYARD_TRY(std::vector<std::int64_t> to_pack,
                numbers(session, "select coalesce(max(run_key), 0) / " + std::to_string(kRunsOfPartition) +
                                     " from steelyard.runs"));
  to_pack.insert(to_pack.begin(), to_close.begin(), to_close.end());
  STEELYARD_TRY(const bool distributed, is_spread(session));
  for (std::size_t i = 0; i < to_pack.size(); ++i) {
    const std::string partition = partition_name(to_pack[i]);
    const bool closes = i < to_close.size();
    if (closes) {
      STEELYARD_TRY(const std::int64_t before, bytes_of(session, partition));
      done.bytes_before += before;
    }
    STEELYARD_TRY(const std::int64_t packed, pack_carried_over(session, to_pack[i]));
    done.packed += packed;
    if (closes) {
      STEELYARD_CHECK(close_one(session, to_pack[i], distributed));
      STEELYARD_TRY(const std::int64_t after, bytes_of(session, partition));
      done.bytes_after += after;
      ++done.partitions;
    }
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(to_pack.size()));
  }
  return done;
}

}  // namespace steelyard::storage
