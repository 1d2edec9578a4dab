// How often this thread has asked for memory, and for how much, since it began: operator new in all its forms wherever
// it is called, and malloc, calloc, realloc and aligned allocation where the program's own objects call them (the
// linker redirects those: --wrap). malloc inside a shared library is not seen. Always on: some four instructions for an
// allocation and its release (docs/guide/bench_main.md).
#pragma once

#include <cstdint>

namespace steelyard {

struct AllocationCount {
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;  // as asked for; a realloc counts its whole new size
};

// In the initial TLS block, zero before anything runs. Read in place: a call would be counted where allocations are
// not.
extern thread_local constinit AllocationCount allocation_count __attribute__((tls_model("initial-exec")));
inline AllocationCount allocations_of_this_thread() { return allocation_count; }

}  // namespace steelyard
