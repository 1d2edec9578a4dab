#include "bench/cuda/device_timers.cuh"
#include "bench/cuda/stream_hold.hpp"

namespace steelyard::cuda {
namespace {

__global__ void wait_until_open(const volatile int* open, volatile int* given_up, unsigned long long limit_ns) {
  const unsigned long long begin = global_nanoseconds();
  while (*open == 0) {
    if (global_nanoseconds() - begin > limit_ns) {
      *given_up = 1;
      __threadfence_system();
      return;
    }
  }
}

}  // namespace

void StreamHold::close(const Stream& stream, Nanoseconds limit) {
  words_.set(0, 0);
  words_.set(1, 0);
  wait_until_open<<<1, 1, 0, stream.get()>>>(words_.on_device(), words_.on_device() + 1,
                                             static_cast<unsigned long long>(limit.count()));
  cuda::check(cudaGetLastError(), "launching the kernel that holds the stream");
}

void StreamHold::open() { words_.set(0, 1); }

void StreamHold::check() const {
  if (!has_given_up()) return;
  throw CudaError(cudaErrorLaunchTimeout,
                  "deadlock: the stream was held for " + to_text(limit_) +
                      " while one iteration was queued; what launch() enqueues must not wait for the device (no "
                      "synchronizing call, no allocation, no copy to pageable memory)");
}

}  // namespace steelyard::cuda
