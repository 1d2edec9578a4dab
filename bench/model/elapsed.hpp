// What time it is, and how long something took. Apart from quantity.hpp, as what only holds durations need not read
// <chrono>.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/model/quantity.hpp"

namespace steelyard {

inline std::int64_t now_unix_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}
inline std::int64_t now_unix_s() { return now_unix_ns() / 1'000'000'000; }

// Wall time by the clock that never steps backwards.
inline Nanoseconds since(std::chrono::steady_clock::time_point begun) {
  return Nanoseconds(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count());
}

}  // namespace steelyard
