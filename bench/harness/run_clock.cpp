#include "bench/harness/run_clock.hpp"

#include <chrono>

namespace steelyard {

double MonotonicClock::seconds_of(std::int64_t runs, const TimedLoop& loop) {
  const auto begin = std::chrono::steady_clock::now();
  loop(runs);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace steelyard
