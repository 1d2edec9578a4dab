// What the timed region asked of memory: how often it allocated, and how high its use rose.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steelyard {

// How often this thread has asked for memory, and for how much, since it began: operator new in all its forms wherever
// it is called, and malloc, calloc, realloc and aligned allocation where the program's own objects call them (the
// linker redirects those: --wrap). malloc inside a shared library is not seen. Always on: some four instructions for an
// allocation and its release (docs/guide/bench_main.md).

struct AllocationCount {
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;  // as asked for; a realloc counts its whole new size
};

// In the initial TLS block, zero before anything runs. Read in place: a call would be counted where allocations are
// not.
extern thread_local constinit AllocationCount allocation_count __attribute__((tls_model("initial-exec")));
inline AllocationCount allocations_of_this_thread() { return allocation_count; }

// The most memory that this process has had resident, in bytes, since it was last asked to forget (Linux: VmHWM of
// /proc/self/status; /proc/self/clear_refs forgets). Allocates nothing.

// False where the system does not offer it: then the peak is that of the whole process so far.
bool forget_peak_memory();
std::optional<std::int64_t> peak_memory();

// The number of a /proc/self/status; absent without a line "VmHWM: N kB".
std::optional<std::int64_t> peak_memory_of(std::string_view status);

}  // namespace steelyard
