// One process of a program under Valgrind, which finds the timed loop as it does for instructions, with a library
// before malloc that counts what the loop allocates (heap_library.cpp). Nothing is simulated: Valgrind's tool is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/counting/collection.hpp"
#include "bench/counting/counters/heap_record.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

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

// Error (program): `found` says why nothing was counted, `mend` what to do. Files of its own are removed.
Result<HeapCollection> collect_heap(const CollectionPlace& place, const CollectionOrder& order);

}  // namespace steelyard
