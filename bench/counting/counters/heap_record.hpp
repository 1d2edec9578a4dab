// What the heap library (heap_library.cpp) writes while the program runs, and heap_report reads: one record in a file
// that both map or read, in the machine's own byte order, for the same machine only. Plain C types: the library knows
// no C++ library.
#pragma once

#include <stdint.h>

namespace steelyard::bench {

inline constexpr uint64_t kHeapRecordMark = 0x31'50'41'45'48'4c'59'53;  // "SYLHEAP1"

struct HeapRecord {
  uint64_t mark;
  uint64_t regions;           // times that a thread's timed region began or resumed
  uint64_t allocations;       // in timed regions
  uint64_t bytes;             // asked for by them
  uint64_t live_bytes;        // of blocks that were allocated in timed regions, not yet given back
  uint64_t peak_bytes;        // the most of it at one time
  uint64_t untracked;         // blocks that found no room in our table: the peak is too low
  uint64_t is_the_allocator;  // 1: the program's malloc is ours
};

}  // namespace steelyard::bench
