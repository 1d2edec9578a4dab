// Benchmarks that one run lacks and another has, and that may be the same under another name: by their names, what they
// count, the functions they execute and the time they take, as far as both runs have it. A proposal is for a person to
// confirm, by a line of steelyard.toml ([rename], ci/config/renames.hpp). Pure.
#pragma once

#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

// Each benchmark at most once, the likest first. Of at most 200 that are gone and 200 that are new; none where more
// are: then a suite was exchanged.
std::vector<RenameProposal> propose_renames(const Run& baseline, const Run& candidate);

// Whether each run has benchmarks that the other lacks and instructions of no two of them are known, so that only names
// and times could say which were renamed.
bool lacks_counts_of_renames(const Run& baseline, const Run& candidate);

}  // namespace steelyard::ci
