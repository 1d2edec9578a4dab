// Two readings of each multiprocessor's timers, and the clock between them. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace steelyard::cuda {

// 16 bytes that the device writes at once.
struct alignas(16) SmStamp {
  unsigned long long cycles = 0;
  unsigned long long nanoseconds = 0;  // 0: this multiprocessor ran no block of the reading kernel
};

inline constexpr std::size_t kMaxStamps = 1024;  // multiprocessors

// Cycles per second over all multiprocessors that both readings have; 0 where there is none, or no time has passed. The
// sum over many evens out that the timer steps by up to a microsecond.
inline double clock_between(std::span<const SmStamp> begin, std::span<const SmStamp> end) {
  double cycles = 0;
  double nanoseconds = 0;
  for (std::size_t i = 0; i < begin.size() && i < end.size(); ++i) {
    const bool is_in_both = begin[i].nanoseconds != 0 && end[i].nanoseconds != 0;
    if (!is_in_both || end[i].nanoseconds < begin[i].nanoseconds || end[i].cycles < begin[i].cycles) continue;
    cycles += static_cast<double>(end[i].cycles - begin[i].cycles);
    nanoseconds += static_cast<double>(end[i].nanoseconds - begin[i].nanoseconds);
  }
  return nanoseconds > 0 ? 1e9 * cycles / nanoseconds : 0;
}

}  // namespace steelyard::cuda
