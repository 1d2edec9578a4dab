// The call graph of a joined profile without its cycles, and how each function's cost is spread over its callers. Call
// arcs say what one caller's calls of a function cost together, not which stack they stood on: below a function with
// several callers the split is an estimate, in proportion to the arcs' inclusive cost (as gprof's: Graham, Kessler and
// McKusick, "gprof: a call graph execution profiler", 1982). What a function costs in all is exact all the same.
#pragma once

#include <cstdint>
#include <vector>

#include "ci/report/flame/joined_profile.hpp"

namespace steelyard {

struct CallShare {
  std::uint32_t callee = 0;
  BySide<double> share{};  // of the callee's cost that came by this caller; over all callers they add up to 1 or 0
};

struct CallOrder {
  std::vector<std::uint32_t> order;             // every function, callers before callees
  std::vector<std::vector<CallShare>> callees;  // by function; arcs that would close a cycle are left out
  std::vector<BySide<double>> root_share;       // by function: 1 where nothing calls it on that side, else 0
  std::vector<BySide<double>> below;            // by function: its self cost and what its callees cost for it
};

// Depth first from the functions that nothing calls, the costlier callee first; an arc back to a function on the way
// (recursion) is left out, so that a cycle is drawn once, from where it is entered. Linear in functions + arcs but for
// sorting the arcs of each function; needs no call stack, however deep the calls go.
CallOrder order_calls(const JoinedProfile& profile);

}  // namespace steelyard
