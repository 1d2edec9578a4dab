// Two counted profiles of one benchmark laid over each other: each function and each call of either side with what
// changed an iteration. Which function is which: bench/counting/algebra/function_match.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/counted_profile.hpp"

namespace steelyard {

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

}  // namespace steelyard
