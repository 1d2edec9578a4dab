// Which processes were disturbed while they ran. The rule reads the conditions alone, never what was measured, and
// holds each process against its own kind: to pick rounds by their results would bias them, and a program that faults
// or waits by its nature is not disturbed by it.
//
// A witness speaks where it is above its floor and above what is usual for this benchmark of this side: the median plus
// six standard deviations (1.4826 times the median absolute deviation) of all its invocations. With fewer than four
// invocations the floor alone decides.
//
//     const UsualConditions usual = usual_conditions(invocations);   // of one benchmark and side
//     for (const Invocation& invocation : invocations) causes = disturbed_by(invocation, usual);
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/measurement.hpp"

namespace steelyard {

struct Witness {
  std::string_view cause;  // for people: "steal time"
  double floor = 0;        // below it nothing is worth a word
  // Absent where the system did not tell.
  std::optional<double> (*read)(const Invocation& invocation);
};

// In the order in which causes are named. The floors, with their reasons:
// - steal time above 1 % of the process's time, beyond the two ticks that the kernel's counter may be off: the size of
//   the effects that people ask about;
// - other work on its core above 2 %, likewise;
// - more than 50 involuntary switches a second: a quiet core shows the kernel's own few;
// - a page read from a disk; a pinned process that moved more than once (pinning itself moves it);
// - its core's clock 2 % faster or slower after than before.
inline constexpr std::size_t kWitnessCount = 6;
const std::array<Witness, kWitnessCount>& witnesses();

struct UsualConditions {
  // Of each witness; one that never spoke, or too seldom to tell, has no say beyond its floor.
  std::array<double, kWitnessCount> limits;
  UsualConditions() { limits.fill(-std::numeric_limits<double>::infinity()); }
};

UsualConditions usual_conditions(std::span<const Invocation> invocations);

// The causes' names, in the order of witnesses(); empty: nothing unusual was seen.
std::vector<std::string> disturbed_by(const Invocation& invocation, const UsualConditions& usual);

}  // namespace steelyard
