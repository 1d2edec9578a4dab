// CUDA's clock for a Timer: events in a stream (device_clock.hpp says what a block's time is).
//
//     steelyard::TimerOptions options{.task = {.statement = "gemm<<<...>>>()"}};
//     options.clock = steelyard::cuda::event_clock(stream);
//     steelyard::Timer timer([&] { gemm<<<grid, block, 0, stream>>>(a, b, c); }, options);
//     auto times = timer.blocked_autorange();
//
// Not for cold caches or one launch alone: a block repeats its statement on whatever the last run left in the caches,
// and where launching takes longer than the kernel it is launches that are timed. The suites' DeviceTimer
// (device_timer.hpp) flushes, and holds the stream until everything is queued.
#pragma once

#include <driver_types.h>

#include <memory>

#include "bench/harness/timer.hpp"

namespace steelyard::cuda {

// For work in `stream`, or, of null, in the default stream and every stream that waits for it (those that are not
// cudaStreamNonBlocking). What the statement gives to other streams counts only as far as `stream` waits for it. Two
// events of the current device, reused in every block; both sides of a block wait for the whole device.
//
// A step of the clock is about half a microsecond (CUDA Runtime API, cudaEventElapsedTime), and its time is a float of
// milliseconds: a block of 10 s is known to a microsecond. Blocks are far longer than either.
//
// Every call is checked, and what a launch of the statement left as an error (cudaGetLastError) ends the measurement:
// the Timer returns an Error (program) with call, error and device. Throws CudaError where no event can be made.
std::shared_ptr<RunClock> event_clock(cudaStream_t stream = nullptr);

}  // namespace steelyard::cuda
