// The two timers that a multiprocessor can read.
#pragma once

namespace steelyard::cuda {

// Of the whole device, in nanoseconds; it steps by 32 ns to 1 us.
__device__ inline unsigned long long global_nanoseconds() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ inline unsigned multiprocessor_id() {
  unsigned id = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

}  // namespace steelyard::cuda
