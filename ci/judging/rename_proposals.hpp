// Benchmarks that one run lacks and another has, and that may be the same under another name: by their names, what they
// count, the functions they execute and the time they take, as far as both runs have it. A proposal is for a person to
// confirm, by a line of steelyard.toml ([rename], ci/config/renames.hpp). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"

namespace steelyard::ci {

struct RenameProposal {
  std::string from;  // canonical
  std::string to;
  double names = 0;                         // likeness of the two, 0 to 1
  std::optional<double> functions = {};     // share of the functions of both that each executes
  std::optional<double> counts_ratio = {};  // of instructions, candidate over baseline
  std::optional<double> time_ratio = {};
  double likeness() const;
};

// Each benchmark at most once, the likest first. Of at most 200 that are gone and 200 that are new; none where more
// are: then a suite was exchanged.
std::vector<RenameProposal> propose_renames(const Run& baseline, const Run& candidate);

// What to tell: the lines that would confirm them, and why. Empty: none.
std::string proposals_text(const std::vector<RenameProposal>& proposals);

}  // namespace steelyard::ci
