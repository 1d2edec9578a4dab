#include "bench/cuda/device_clock.hpp"

#include <cassert>
#include <utility>

namespace steelyard::cuda {

DeviceClock::DeviceClock(std::unique_ptr<DeviceMarks> marks) : marks_(std::move(marks)) { assert(marks_ != nullptr); }

double DeviceClock::seconds_of(std::int64_t runs, const TimedLoop& loop) {
  marks_->wait();
  marks_->begin();
  try {
    loop(runs);
  } catch (...) {
    try {
      marks_->wait();
    } catch (...) {  // the first error is the one to tell
    }
    throw;
  }
  marks_->end();
  return in_seconds(marks_->between());
}

}  // namespace steelyard::cuda
