// Two counted profiles of one benchmark laid over each other: each function and each call of either side with what
// changed an iteration. Which function is which: bench/counting/algebra/function_match.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/counted_profile.hpp"

namespace steelyard::ci {

// What one side spent on a function, an iteration.
struct FunctionCost {
  double self = 0;
  double inclusive = 0;
  double calls = 0;
};

struct FunctionDifference {
  const ProfiledFunction* shown = nullptr;  // the candidate's where it has one; points into the profiles
  bool is_in_baseline = false;
  bool is_in_candidate = false;
  std::string renamed_from;  // its name in the baseline where that is another; empty: the same
  FunctionCost baseline;
  FunctionCost candidate;
  double self_change = 0;  // instructions an iteration, candidate minus baseline
  double inclusive_change = 0;
  double calls_change = 0;
  int depth = 0;  // arcs on the shortest path from a root, on the side that `shown` is from; 0: a root
};

struct ArcDifference {
  std::uint32_t caller = 0;  // index into ProfileDifference::functions
  std::uint32_t callee = 0;
  double baseline = 0;  // inclusive cost an iteration
  double candidate = 0;
};

struct ProfileDifference {
  double total_change = 0;                    // instructions an iteration
  std::vector<FunctionDifference> functions;  // in the order of the candidate, then what only the baseline has
  std::vector<ArcDifference> arcs;            // by caller, then callee
  // For each function of a side the index of its difference.
  std::vector<std::uint32_t> of_baseline;
  std::vector<std::uint32_t> of_candidate;
};

// A copy that the compiler made beside a function counts as that function. A profile without instructions ("Ir") yields
// nothing.
ProfileDifference subtract(const CountedProfile& baseline, const CountedProfile& candidate);

// For each function the number of arcs on the shortest path from a root: a function that nothing else calls, or, where
// every function is called (recursion through the root), the one with the largest inclusive cost. What no root reaches
// has depth 0.
std::vector<int> depths(const CountedProfile& profile);

// How the functions of a difference call each other, with both sides' calls taken together: what lies below what, which
// functions form a cycle, and how much of the benchmark's change can have reached a function through its callers.

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

// The calls through which most of a change reached the function that spends it.

// The shortest chain of calls from a root to `target` among those whose every call carries as much of the change as
// can be had: at least nine tenths, else half, a quarter, a tenth, else any. Indices into functions, the root first;
// `target` alone where it is a root or nothing reaches it. Precondition: total_change is not 0. Linear in functions +
// arcs.
std::vector<std::uint32_t> call_path_to(std::uint32_t target, const ProfileDifference& difference);

}  // namespace steelyard::ci
