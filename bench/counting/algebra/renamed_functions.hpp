// Finds functions that kept their body and their place in the calls, but not their name. Part of function_match.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bench/counting/algebra/function_match.hpp"
#include "bench/model/counted_profile.hpp"

namespace steelyard::bench {

inline constexpr std::uint32_t kNoPartner = std::numeric_limits<std::uint32_t>::max();

// For each function its partner's index on the other side, or kNoPartner.
struct FunctionPairs {
  std::vector<std::uint32_t> candidate_of;  // one per function of the baseline
  std::vector<std::uint32_t> baseline_of;   // one per function of the candidate
};

struct RenamedFunction {
  std::uint32_t baseline = 0;
  std::uint32_t candidate = 0;
  double score = 0;
};

// Pairs of functions without partner, each the other's best match by a clear distance. `pairs` gains them.
//
// score = weighted mean of what both sides know, each in [0, 1]:
//   weight 3  body: instructions of its own for each call, a; 1 - 3 (1 - min(a) / max(a)), at least 0
//   weight 2  callers: those both have, of all that have partners; one too many without partner counts against it
//   weight 2  callees: those both have, in the same way
//   weight 1  calls in an iteration: min / max
//   weight 1  lines: the costs of the body's lines, largest first, min / max each (where the profiles have lines)
// A pair needs something beside numbers to stand on: a caller or callee in common, one source file, or one address. Of
// two pairs within 0.02 (with 0.1 for the likeness of the names) neither is taken: who cannot tell does not guess. New
// pairs make neighbours known, so the search repeats until nothing is found.
//
// Cost: pairs of similar bodies times their calls, for each repetition. With more than 200,000 possible pairs only
// bodies of equal size are looked at, and where even those are more, none.
std::vector<RenamedFunction> find_renamed(const CountedProfile& baseline, const CountedProfile& candidate,
                                          const MatchOptions& options, FunctionPairs& pairs);

}  // namespace steelyard::bench
