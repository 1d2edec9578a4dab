// The count of a command that is measured from outside: the instructions of all its processes, from their start to
// their end, as Callgrind sees them. Labelled `whole program`, with a jitter learned from repeats: what a dynamic
// loader, a hash seed or the length of a path cost is in it.
//
// Not for a command that measures itself: which of its instructions are a benchmark's nobody tells.
#pragma once

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/collection.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// Fewer repeats than this tell no jitter; as many as kLearningRepeats are made where the deadline has room for them.
inline constexpr int kMinCommandRepeats = 3;
// Processes of a command; one with more is not counted.
inline constexpr int kMaxCountedProcesses = 1000;

// Precondition: place.program->command, without a format. Error (program, or budget where the deadline has passed):
// `found` says why there is no count, `fix` what to do.
Result<BenchmarkCount> count_command(const CollectionPlace& place, const BenchmarkCountOptions& options);

}  // namespace steelyard::bench
