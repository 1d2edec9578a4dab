// Small kernels that run around the work that is timed: they hold its stream, read the clocks, flush the cache.
#pragma once

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_memory.hpp"
#include "bench/cuda/sm_stamps.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

// Holds a stream by a kernel that waits for a word of the host, while work is queued behind it: once let go, the device
// runs the work without ever waiting for the host, and no launch latency is in a time.
//
//     StreamHold hold;
//     hold.close(stream);
//     ... queue events and launches ...
//     hold.open();
//     stream.wait();
//     hold.check();          // throws where the device gave up waiting
//
// What is queued must not wait for the device: it would wait for ever. The kernel therefore gives up after a limit, and
// check() says so.

class StreamHold {
 public:
  explicit StreamHold(Nanoseconds limit = seconds(10)) : words_(2), limit_(limit) {}
  void close(const Stream& stream) { close(stream, limit_); }
  // With a limit of its own.
  void close(const Stream& stream, Nanoseconds limit);
  void open();
  // Runs the kernel once, let go beforehand: loads its code, also where a tool has each launch wait for its kernel.
  void load(const Stream& stream);
  // After waiting for the stream: whether the device gave up waiting.
  bool has_given_up() const { return words_.get(1) != 0; }
  void check() const;

 private:
  void launch(const Stream& stream, Nanoseconds limit);

  SharedWords<int> words_;  // open, given up
  Nanoseconds limit_;
};

// The clock that the multiprocessors run at over a stretch of work: their cycle counters against the device's timer,
// read by a small kernel before and after. The counters of two multiprocessors have nothing to do with each other, so
// that each is held against itself.
//
//     SmClock clock(multiprocessors);
//     clock.begin(stream);
//     ... launches ...
//     clock.end(stream);
//     stream.wait();
//     double hz = clock.hz();     // 0: it could not be told

class SmClock {
 public:
  explicit SmClock(int multiprocessors) : blocks_(2 * multiprocessors), begin_(kMaxStamps), end_(kMaxStamps) {}
  // Precondition: no reading of an earlier call is still under way.
  void begin(const Stream& stream) {
    begin_.clear();
    end_.clear();
    stamp(stream, begin_);
  }
  void end(const Stream& stream) { stamp(stream, end_); }
  double hz() const;

 private:
  void stamp(const Stream& stream, SharedWords<SmStamp>& stamps);

  int blocks_;
  SharedWords<SmStamp> begin_;
  SharedWords<SmStamp> end_;
};

// Fills the device's second-level cache with other data, so that a cold sample finds nothing of its own there.
//
// It reads a buffer of twice the cache's size instead of writing one: lines that were written would have to go back to
// memory while the next kernel is timed, and cost it bandwidth that is not its own. So it is the flush before the next
// sample that waits for what the kernel itself wrote and left in the cache: a cold time has not all of the kernel's
// traffic in it, and where that matters rates are of hot times (choose_rate_times, device_row.hpp).

class CacheFlush {
 public:
  // `l2`: as the device says; 0: there is nothing to flush.
  CacheFlush(Bytes l2, int multiprocessors);
  void enqueue(const Stream& stream);

 private:
  DeviceBlock buffer_;
  DeviceArray<unsigned> sink_;  // one word that is never written, so that the reads cannot be left out
  int blocks_;
};

// One kernel that does nothing: what is left in a time is launching it.
void launch_nothing(cudaStream_t stream);

}  // namespace steelyard::cuda
