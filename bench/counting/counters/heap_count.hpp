// What the timed loop of a benchmark allocates, per iteration: from processes of n and 2n iterations, so that what
// happens once cancels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/collection.hpp"
#include "bench/counting/counters/heap_record.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::bench {

// One process of a program under Valgrind, which finds the timed loop as it does for instructions, with a library
// before malloc that counts what the loop allocates (heap_library.cpp). Nothing is simulated: Valgrind's tool is none.

// File name of the library; it lies beside the counting library.
inline constexpr std::string_view kHeapLibrary = "libsteelyard_heap.so";

struct HeapCollection {
  HeapRecord record = {};
  std::int64_t iterations = 0;  // of all threads
  std::int64_t started_at_unix_ns = 0;
  std::int64_t duration_ns = 0;
};

// Absent where the bytes are no record of ours.
std::optional<HeapRecord> parse_heap_record(std::string_view bytes);

// Error (program): `found` says why nothing was counted, `fix` what to do. Files of its own are removed.
Result<HeapCollection> collect_heap(const CollectionPlace& place, const CollectionRequest& request);

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

// `iterations` is n of each thread. Error (program): `found` says why there is no count, `fix` what to do.
Result<HeapCount> count_heap(const CollectionPlace& place, const std::string& benchmark, std::int64_t iterations,
                             const BenchmarkCountOptions& options);

// Adds the measurements of the heap to the run, or a failure of heap_allocations. `instructions` is the measurement of
// the same benchmark: its key is theirs. What keeps memory is added to the fact count.keeps_memory.
void add_heap(const Result<HeapCount>& count, const Measurement& instructions, Run& run);

}  // namespace steelyard::bench
