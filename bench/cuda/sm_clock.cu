#include "bench/cuda/device_timers.cuh"
#include "bench/cuda/sm_clock.hpp"

namespace steelyard::cuda {
namespace {

__global__ void read_timers(ulonglong2* stamps, unsigned most) {
  const unsigned id = multiprocessor_id();
  if (id >= most) return;
  ulonglong2 stamp;
  stamp.x = static_cast<unsigned long long>(clock64());
  stamp.y = global_nanoseconds();
  stamps[id] = stamp;
}

}  // namespace

void SmClock::stamp(const Stream& stream, SharedWords<SmStamp>& stamps) {
  static_assert(sizeof(SmStamp) == sizeof(ulonglong2));
  read_timers<<<blocks_, 1, 0, stream.get()>>>(reinterpret_cast<ulonglong2*>(stamps.on_device()),
                                               static_cast<unsigned>(stamps.count()));
  check(cudaGetLastError(), "launching the kernel that reads the timers");
}

double SmClock::hz() const { return clock_between(begin_.values(), end_.values()); }

}  // namespace steelyard::cuda
