// Samples of where this process's threads are, written to the file of its spans: each thread is interrupted as often a
// second of its own processor time as wanted, and its registers and the top of its stack are copied.
//
// Nothing is unwound here. A handler of signals may take no lock and no memory, which what reads tables of unwinding
// does; and frame pointers alone, which would do without, are in few optimized programs and in no C library. Stacks are
// unwound by what reads the file.
#pragma once

#include <cstdint>

#include "bench/model/result.hpp"
#include "bench/profile/spans/chunk_file.hpp"

namespace steelyard {

inline constexpr int kMaxSamplesHz = 10'000;

struct StackSamplerOptions {
  int hz = 1000;                    // 1 to kMaxSamplesHz
  bool may_use_perf_events = true;  // false: timers
};

// One at a time in a process. Threads are those that there are, and those that begin later, from some hundredth of a
// second on. Samples take half of the file's greatest size at most.
// Error (input): another rate; another processor; a handler of SIGPROF that is there; neither perf events nor timers;
// no process_vm_readv(2). `header`, `chunks`: outlive the sampling; what source it is, is said in the header.
Result<void> start_stack_samples(const StackSamplerOptions& options, SpanFileHeader& header, ChunkFile& chunks,
                                 std::uint64_t (*ticks)());
// When it returns nothing is written any more. No effect where nothing is sampled.
void stop_stack_samples();
// Whether none is taken of the calling thread, whatever time passes meanwhile.
void pause_own_stack_samples(bool is_paused);
// In a forked child, whose parent samples.
void forget_stack_samples();

}  // namespace steelyard
