// Says when a device has warmed up: the clock of its last stretches of work has stopped moving. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace steelyard::cuda {

class ClockSteadiness {
 public:
  // The clocks of three stretches one after another lie within 1 % of the highest.
  static constexpr double kWithin = 0.01;
  static constexpr std::size_t kStretches = 3;

  // After a stretch of work; a clock of 0 is unknown, and as many stretches then have to do.
  void add(double sm_clock_hz) { last_[static_cast<std::size_t>(n_++) % kStretches] = sm_clock_hz; }
  bool is_steady() const {
    if (n_ < static_cast<std::int64_t>(kStretches)) return false;
    double low = last_[0];
    double high = last_[0];
    for (const double clock : last_) {
      low = clock < low ? clock : low;
      high = clock > high ? clock : high;
    }
    return high - low <= kWithin * high;
  }

 private:
  std::array<double, kStretches> last_{};
  std::int64_t n_ = 0;
};

}  // namespace steelyard::cuda
