#include "bench/cuda/timing_kernels.hpp"

#include "bench/cuda/device_timers.cuh"

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

void StreamHold::launch(const Stream& stream, Nanoseconds limit) {
  wait_until_open<<<1, 1, 0, stream.get()>>>(words_.on_device(), words_.on_device() + 1,
                                             static_cast<unsigned long long>(limit.count()));
  cuda::check(cudaGetLastError(), "launching the kernel that holds the stream");
}

void StreamHold::close(const Stream& stream, Nanoseconds limit) {
  words_.set(0, 0);
  words_.set(1, 0);
  launch(stream, limit);
}

void StreamHold::open() { words_.set(0, 1); }

void StreamHold::load(const Stream& stream) {
  open();
  launch(stream, limit_);
}

void StreamHold::check() const {
  if (!has_given_up()) return;
  throw CudaError(cudaErrorLaunchTimeout,
                  "deadlock: the stream was held for " + to_text(limit_) +
                      " while one iteration was queued; what launch() enqueues must not wait for the device (no "
                      "synchronizing call, no allocation, no copy to pageable memory)");
}

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

namespace {

constexpr int kThreads = 256;
constexpr int kBlocksOfMultiprocessor = 8;
constexpr int kTimesTheCache = 2;

// Every byte of the buffer is 1, so that no other bit is ever found; the compiler cannot know, and keeps the reads.
__global__ void read_all(const uint4* words, std::size_t count, unsigned* sink) {
  unsigned mixed = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 word = words[i];
    mixed |= word.x | word.y | word.z | word.w;
  }
  if ((mixed & ~0x01010101U) != 0) *sink = mixed;
}

}  // namespace

CacheFlush::CacheFlush(Bytes l2, int multiprocessors)
    : buffer_(static_cast<std::size_t>(l2.count()) * kTimesTheCache / sizeof(uint4) * sizeof(uint4)),
      sink_(1),
      blocks_(multiprocessors * kBlocksOfMultiprocessor) {
  buffer_.fill(1);
}

void CacheFlush::enqueue(const Stream& stream) {
  if (buffer_.bytes() == 0) return;
  read_all<<<blocks_, kThreads, 0, stream.get()>>>(static_cast<const uint4*>(buffer_.data()),
                                                   buffer_.bytes() / sizeof(uint4), sink_.data());
  check(cudaGetLastError(), "launching the kernel that flushes the cache");
}

namespace {

__global__ void do_nothing() {}

}  // namespace

void launch_nothing(cudaStream_t stream) {
  do_nothing<<<1, 1, 0, stream>>>();
  check(cudaGetLastError(), "launching a kernel that does nothing");
}

}  // namespace steelyard::cuda
