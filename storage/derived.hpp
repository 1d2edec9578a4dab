// What was derived again from what a store holds.
#pragma once

#include <cstdint>

namespace steelyard {

struct Derived {
  std::int64_t alerts = 0;
  std::int64_t branches = 0;        // whose commits were put in order
  std::int64_t measurements = 0;    // whose value was looked at
  std::int64_t changed_values = 0;  // of these, those that were not what the samples say
  std::int64_t changed_points = 0;  // change points that were not what the last event of their life says
};

}  // namespace steelyard
