// The partitions of steelyard.measurements: so many runs each, by the run's key and by no clock. They are made ahead,
// by the writer whose run lands near an end and by whoever asks how the store is.
//
// What gets no more rows needs no room for them, and is closed, once: its indexes, half empty from splitting their
// pages, are built anew, and rows of a program that did not pack samples are packed. Its indexes' comments say so.
// Writers close small partitions in passing, a moment's work for one of 8192 runs. The large ones, and those with rows
// to pack, wait for the schema's owner (`steelyard db migrate`, `db prune`), whose way holds no reader up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

inline constexpr std::int64_t kRunsOfPartition = 8192;  // as the schema's functions have it
// The last so many runs of a partition see to it that the next ones are there.
inline constexpr std::int64_t kRunsNearTheEnd = 512;
// The first so many runs of a partition see to it that the one before is closed: by then most of its writers are done.
inline constexpr std::int64_t kRunsThatClose = 512;
inline constexpr int kPartitionsAhead = 2;

constexpr bool is_near_the_end(std::int64_t run_key) {
  return run_key % kRunsOfPartition >= kRunsOfPartition - kRunsNearTheEnd;
}

constexpr bool closes_the_one_before(std::int64_t run_key) {
  return run_key >= kRunsOfPartition && run_key % kRunsOfPartition < kRunsThatClose;
}

// Makes what is missing after the newest run's, in a transaction of its own. The number that was made.
Result<std::int64_t> ensure_partitions(Session& session);
Result<bool> has_partition(Session& session, std::int64_t run_key);
// Makes the one that this run belongs to. Error (store): it cannot be made; says what becomes of the run.
Result<void> make_partition_of(Session& session, std::int64_t run_key);

std::string partition_name(std::int64_t number);  // with its schema
// With its indexes.
Result<std::int64_t> size_of_partition(Transaction& transaction, std::int64_t number);
struct RewrittenPartition {
  std::int64_t rows = 0;
  std::int64_t bytes_given_back = 0;
};
// The partition anew, in place of the old one; readers wait for the swap alone. `packed`: what becomes of that column,
// an expression; `note`: why, as the table's comment says it.
Result<RewrittenPartition> rewrite_partition(Transaction& transaction, std::int64_t number, const std::string& packed,
                                             const std::string& note);

// Built in about a second. Readers of the partition wait that long.
inline constexpr std::int64_t kSmallIndexBytes = std::int64_t{64} << 20;

// One, in a transaction of its own; gives up after waiting a second. False: there was none, or others are at it.
Result<bool> close_small_partition(Session& session);

// All, each beside its readers and writers. As the schema's owner. Can be ended at any moment: the next call goes on.
// progress: told the part that is done, from 0 to 1; empty: nobody.
Result<ClosedPartitions> close_partitions(Session& session, const std::function<void(double)>& progress);

}  // namespace steelyard::storage
