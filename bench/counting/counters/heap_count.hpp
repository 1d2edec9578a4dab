// What the timed loop of a benchmark allocates, per iteration: from processes of n and 2n iterations, so that what
// happens once cancels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/counters/heap_collection.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// Per iteration, one value per repeat; the peak is that of n iterations.
struct HeapCount {
  std::vector<double> allocations;
  std::vector<double> bytes;
  std::vector<double> peak_bytes;
  std::int64_t iterations = 0;       // that allocations and bytes are the difference of
  std::int64_t peak_iterations = 0;  // that led to the peak
  bool keeps_memory = false;         // twice the iterations held more
  std::int64_t started_at_unix_ns = 0;
  std::int64_t duration_ns = 0;
};

// Adds a process of n and one of 2n iterations to `count`. Error (program): twice the iterations allocated less, or
// were not more.
Result<void> add_pair(const HeapCollection& smaller, const HeapCollection& larger, HeapCount& count);

// `iterations` is n of each thread. Error (program): `found` says why there is no count, `mend` what to do.
Result<HeapCount> count_heap(const CollectionPlace& place, const std::string& benchmark, std::int64_t iterations,
                             const BenchmarkCountOptions& options);

// Adds the measurements of the heap to the run, or a failure of heap_allocations. `instructions` is the measurement of
// the same benchmark: its key is theirs. What keeps memory is added to the fact count.keeps_memory.
void add_heap(const Result<HeapCount>& count, const Measurement& instructions, Run& run);

}  // namespace steelyard
