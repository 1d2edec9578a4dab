// What the timer reads: how long so many runs of a statement take. A parameter, so that a device brings its own (which
// waits for the device before it reads) and a test one without a machine behind it.
#pragma once

#include <cstdint>
#include <string>

#include "bench/harness/timed_loop.hpp"

namespace steelyard {

class RunClock {
 public:
  virtual ~RunClock() = default;
  // Seconds that loop(runs) takes. Calls it once; a simulated clock need not. Throws what the loop throws. A time that
  // is not finite is an Error of the timer, one below 1e-9 counts as that.
  virtual double seconds_of(std::int64_t runs, const TimedLoop& loop) = 0;
  virtual std::string name() const = 0;  // for a measurement's metadata
};

// The system's clock that never steps backwards (std::chrono::steady_clock), wall time.
class MonotonicClock : public RunClock {
 public:
  double seconds_of(std::int64_t runs, const TimedLoop& loop) override;
  std::string name() const override { return "monotonic"; }
};

}  // namespace steelyard
