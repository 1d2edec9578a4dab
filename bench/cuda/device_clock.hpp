// A Timer's clock for statements that give work to a device: the order in which it waits, marks and reads, whatever the
// device is. event_clock.hpp has CUDA's; a test brings one that is made up.
//
// A block's time is the device's own, between two marks in one queue of work:
//
//     wait for the device | mark | loop(runs), on the host | mark | wait for the second mark | read the time between
//
// Part of it is what the device does between the marks, idling included: where the host gives out work more slowly than
// the device does it, a block takes as long as the host. Not part of it is what was queued before (setup's work), and
// what the host does after the last run: launches return at once, and a host's clock would time them alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/harness/timer.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

// What the clock asks of a device. Each call may throw, and the Timer makes an Error of its text.
class DeviceMarks {
 public:
  virtual ~DeviceMarks() = default;
  virtual void wait() = 0;               // until the device has nothing left to do
  virtual void begin() = 0;              // the first mark, behind all that was queued until now
  virtual void end() = 0;                // the second, and what the loop left undone told as an error
  virtual Nanoseconds between() = 0;     // waits for the second mark; not negative
  virtual std::string name() const = 0;  // for a measurement's metadata
};

class DeviceClock : public RunClock {
 public:
  // `marks`: not null.
  explicit DeviceClock(std::unique_ptr<DeviceMarks> marks);
  // Where the loop throws, it waits for what was queued by then, so that what the statement owns can be given back, and
  // throws the loop's error on, whatever the wait says.
  double seconds_of(std::int64_t runs, const TimedLoop& loop) override;
  std::string name() const override { return marks_->name(); }

 private:
  std::unique_ptr<DeviceMarks> marks_;
};

}  // namespace steelyard::cuda
