// Judges samples by the clock that the device's multiprocessors ran at: below three quarters of the default clock the
// device is held back (heat, power), and the sample tells of that and not of the kernel. Such a sample is discarded,
// and the device is left alone for a growing while. Pure: clocks in, pauses out.
//
//     ThrottleWatch watch({.default_hz = 1.98e9});
//     if (auto pause = watch.judge(sample.sm_clock_hz)) { sleep(*pause); continue; }   // not kept
#pragma once

#include <cstdint>
#include <optional>

#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

struct ClockRule {
  double default_hz = 0;  // 0: unknown, and nothing is discarded
  double least_share = 0.75;
  Nanoseconds first_pause = milliseconds(50);
  double pause_growth = 1.5;
  Nanoseconds longest_pause = milliseconds(500);
  // A device may be held back for good, by its power limit under large products: after so many in a row its samples are
  // kept, and the row says so.
  std::int64_t most_in_a_row = 8;
};

class ThrottleWatch {
 public:
  explicit ThrottleWatch(const ClockRule& rule) : rule_(rule), pause_(rule.first_pause) {}

  // How long to wait, where the sample of this clock is to be discarded; nothing where it is kept. A clock of 0 is
  // unknown, and kept.
  std::optional<Nanoseconds> judge(double sm_clock_hz);

  std::int64_t discarded() const { return discarded_; }
  // From here on samples are kept though the clock is low.
  bool has_given_in() const { return given_in_; }

 private:
  ClockRule rule_;
  Nanoseconds pause_;
  std::int64_t discarded_ = 0;
  std::int64_t in_a_row_ = 0;
  bool given_in_ = false;
};

}  // namespace steelyard::cuda
