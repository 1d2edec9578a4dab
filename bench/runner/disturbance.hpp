// Which processes were disturbed while they ran. The rule reads the conditions alone, never what was measured, and
// holds each process against its own kind: to pick rounds by their results would bias them, and a program that faults
// or waits by its nature is not disturbed by it.
//
// An indicator of disturbance counts where it is above its floor and above what is usual for this benchmark of this
// side: the median plus six standard deviations (1.4826 times the median absolute deviation) of all its invocations.
// With fewer than four invocations the floor alone decides.
//
//     const UsualConditions usual = usual_conditions(invocations);   // of one benchmark and side
//     for (const Invocation& invocation : invocations) causes = disturbed_by(invocation, usual);
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bench/model/measurement.hpp"

namespace steelyard {

inline constexpr std::size_t kDisturbanceIndicators = 6;

struct UsualConditions {
  // Of each indicator; where the system gave fewer than four values, its floor alone decides.
  std::array<double, kDisturbanceIndicators> limits;
  UsualConditions() { limits.fill(-std::numeric_limits<double>::infinity()); }
};

UsualConditions usual_conditions(std::span<const Invocation> invocations);

// The causes' names ("steal time"), in the order of the indicators; empty: nothing unusual was seen.
std::vector<std::string> disturbed_by(const Invocation& invocation, const UsualConditions& usual);

}  // namespace steelyard
