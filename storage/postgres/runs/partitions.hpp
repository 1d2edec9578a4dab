// The partitions of steelyard.measurements: so many runs each, by the run's key and by no clock. They are made ahead,
// by the writer whose run lands near an end and by whoever asks how the store is.
#pragma once

#include <cstdint>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

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

}  // namespace steelyard
