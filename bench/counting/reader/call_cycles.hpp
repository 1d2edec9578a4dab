// Cycles of calls (recursion) in a counted profile, and the inclusive cost that stays right in spite of them. Adding up
// the arcs inside a cycle counts its cost once a level; here only what enters a cycle from outside counts.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/model/counted_profile.hpp"

namespace steelyard::bench {

// The strongly connected components of the call graph (Tarjan, "Depth-first search and linear graph algorithms", 1972).
struct CallCycles {
  std::vector<std::uint32_t> cycle_of;  // one per function
  std::vector<std::uint32_t> size_of;   // one per cycle; 1: a function that is in no cycle with another
};

// Linear in functions + arcs; needs no call stack of its own, however deep the calls go.
CallCycles find_call_cycles(std::size_t function_count, const std::vector<CallArc>& arcs);

// Sets `inclusive` of every function, from self costs and arcs:
// - called from outside its cycle: what those arcs cost;
// - in a cycle (or alone) that nothing outside calls: self and outgoing arcs of the whole cycle, charged to the cycle's
//   first function; the others of it get 0.
// False where a sum does not fit into 63 bits. Precondition: all cost vectors have `event_count` numbers.
bool set_inclusive_costs(std::vector<ProfiledFunction>& functions, const std::vector<CallArc>& arcs,
                         std::size_t event_count);

// For each event, by how much arcs and functions disagree: what the arcs into a cycle cost, against self and outgoing
// arcs of the cycle, the differences of all cycles added up without their signs (at most 63 bits). 0 in a profile where
// every call has ended. Precondition: all cost vectors have `event_count` numbers.
std::vector<std::int64_t> find_unbalanced_costs(const std::vector<ProfiledFunction>& functions,
                                                const std::vector<CallArc>& arcs, std::size_t event_count);

}  // namespace steelyard::bench
