// How long something took. Apart from quantity.hpp, as what only holds durations need not read <chrono>.
#pragma once

#include <chrono>

#include "bench/model/quantity.hpp"

namespace steelyard {

// Wall time by the clock that never steps backwards.
inline Nanoseconds since(std::chrono::steady_clock::time_point begun) {
  return Nanoseconds(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count());
}

}  // namespace steelyard
