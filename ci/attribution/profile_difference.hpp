// Two counted profiles of one benchmark laid over each other: each function of either side with what changed an
// iteration, and its depth below the benchmark.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/counted_profile.hpp"

namespace steelyard {

struct FunctionDifference {
  const ProfiledFunction* shown = nullptr;  // the candidate's where it has one; points into the profiles
  double self_change = 0;                   // instructions an iteration, candidate minus baseline
  double inclusive_change = 0;
  double calls_change = 0;
  double inclusive = 0;  // of the side that `shown` is from
  int depth = 0;         // arcs on the shortest path from a root; 0: a root
};

struct ProfileDifference {
  double total_change = 0;                    // instructions an iteration
  std::vector<FunctionDifference> functions;  // in the order of the candidate, then what only the baseline has
};

// Functions are one if name and object's file name are equal; where a name occurs more than once on a side, its source
// file (below `own_sources`) must be equal too. A profile without instructions ("Ir") yields nothing.
ProfileDifference subtract(const CountedProfile& baseline, const CountedProfile& candidate,
                           const std::vector<std::filesystem::path>& own_sources);

// For each function the number of arcs on the shortest path from a root: a function that nothing else calls, or, where
// every function is called (recursion through the root), the one with the largest inclusive cost. What no root reaches
// has depth 0.
std::vector<int> depths(const CountedProfile& profile);

}  // namespace steelyard
