// How the functions of a difference call each other, with both sides' calls taken together: what lies below what, which
// functions form a cycle, and how much of the benchmark's change can have reached a function through its callers.
#pragma once

#include <cstdint>
#include <vector>

#include "ci/attribution/profile_difference.hpp"

namespace steelyard {

struct FunctionStanding {
  std::uint32_t cycle = 0;    // functions that call each other have one number
  bool is_in_cycle = false;   // with another function
  int depth = 0;              // arcs on the longest path from a root, a cycle taken as one; a callee is always deeper
  double reached_share = 0;   // of the benchmark's change, that came down to it, in [0, ...)
  double leaving_change = 0;  // of its own cost and what it calls outside its cycle; otherwise its inclusive change
};

// One per function of the difference. A root is reached by what it changed itself; every other function by no more than
// its callers are, so that code that moved into a new function, and left its caller's cost as it was, is reached by
// nothing. Precondition: total_change is not 0. Linear in functions + arcs.
std::vector<FunctionStanding> call_structure(const ProfileDifference& difference);

}  // namespace steelyard
