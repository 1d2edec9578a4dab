// Closing partitions of steelyard.measurements: what gets no more rows needs no room for them. Its indexes, half empty
// from splitting their pages, are built anew, and rows of a program that did not pack samples are packed. A closed
// partition is closed once; its indexes' comments say so.
//
// Writers close small ones in passing, a moment's work for one of 8192 runs. The large ones, and those with rows to
// pack, wait for the schema's owner (`steelyard db migrate`, `db prune`), whose way holds no reader up.
#pragma once

#include <cstdint>
#include <functional>

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// Built in about a second. Readers of the partition wait that long.
inline constexpr std::int64_t kSmallIndexBytes = std::int64_t{64} << 20;

// One, in a transaction of its own; gives up after waiting a second. False: there was none, or others are at it.
Result<bool> close_small_partition(Session& session);

// All, each beside its readers and writers. As the schema's owner. Can be ended at any moment: the next call goes on.
// progress: told the part that is done, from 0 to 1; empty: nobody.
Result<ClosedPartitions> close_partitions(Session& session, const std::function<void(double)>& progress);

}  // namespace steelyard
