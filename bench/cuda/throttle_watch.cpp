#include "bench/cuda/throttle_watch.hpp"

#include <algorithm>

namespace steelyard::cuda {

std::optional<Nanoseconds> ThrottleWatch::judge(double sm_clock_hz) {
  const bool is_low = sm_clock_hz > 0 && sm_clock_hz < rule_.least_share * rule_.default_hz;
  if (!is_low) {
    in_a_row_ = 0;
    pause_ = rule_.first_pause;
    return std::nullopt;
  }
  if (given_in_) return std::nullopt;
  if (in_a_row_ == rule_.most_in_a_row) {
    given_in_ = true;
    return std::nullopt;
  }
  ++in_a_row_;
  ++discarded_;
  const Nanoseconds pause = pause_;
  pause_ = std::min(pause_ * rule_.pause_growth, rule_.longest_pause);
  return pause;
}

}  // namespace steelyard::cuda
