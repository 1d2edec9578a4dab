#include "storage/postgres/runs/partitions.hpp"

#include <string>

namespace steelyard {

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
                transaction.run(
                    "select to_regclass($1) is not null",
                    SqlValues().text("steelyard.measurements_" + std::to_string(run_key / kRunsOfPartition)), kOneRow));
  return rows.boolean(0, 0);
}

Result<void> make_partition_of(Session& session, std::int64_t run_key) {
  const std::int64_t number = run_key / kRunsOfPartition;
  const auto make = [&](int ahead) -> Result<void> {
    STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
    STEELYARD_CHECK(
        transaction.run("select steelyard.ensure_partitions($1::integer)", SqlValues().integer(ahead), kOneRow));
    return transaction.commit();
  };
  // The function counts from the newest run that is there, which ours is not yet, nor may we see the newest. As few as
  // will do: nearly always the first step does.
  Result<void> made;
  for (const int ahead : {1, 4, 16, 64}) {
    made = make(ahead);
    if (!made) break;
    STEELYARD_TRY(const bool is_there, has_partition(session, run_key));
    if (is_there) return {};
  }
  if (made) made = input_error("", "it is further ahead than 64 partitions");
  return store_error("store " + session.name(),
                     "no partition steelyard.measurements_" + std::to_string(number) +
                         ", and it could not be made: " + made.error().found,
                     "one for the next runs",
                     "run `steelyard db migrate` as the schema's owner; the run waits in the spool until then");
}

}  // namespace steelyard
