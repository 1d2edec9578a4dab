// Ctrl-C and SIGTERM while something long runs: the first sets a flag that the runner looks at, so that what was
// measured is reported and temporary folders go; a second one ends the process at once.
//
//     Cancellation cancellation;
//     options.cancelled = cancellation.flag();
#pragma once

#include <signal.h>

#include <atomic>

namespace steelyard {

class Cancellation {
 public:
  Cancellation();  // installs the handlers; at most one object at a time
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  const std::atomic<bool>* flag() const;
  bool requested() const { return flag()->load(); }

 private:
  struct sigaction previous_interrupt_ = {};
  struct sigaction previous_terminate_ = {};
};

}  // namespace steelyard
