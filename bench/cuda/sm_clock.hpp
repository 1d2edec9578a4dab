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
#pragma once

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/sm_stamps.hpp"

namespace steelyard::cuda {

class SmClock {
 public:
  explicit SmClock(int multiprocessors) : blocks_(2 * multiprocessors), begin_(kMostStamps), end_(kMostStamps) {}
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

}  // namespace steelyard::cuda
