// The one function to name first: docs/guide/attribution.md, "The culprit".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "ci/attribution/call_structure.hpp"
#include "ci/attribution/inlined_pieces.hpp"
#include "ci/attribution/profile_difference.hpp"

namespace steelyard {

struct Culprit {
  std::uint32_t function = 0;        // index into functions; of a piece, where most of it runs
  std::optional<std::size_t> piece;  // index into LineDifference::pieces, where an inlined function is named
  double change = 0;                 // what it answers for, instructions an iteration
};

// The deepest function of the project's own sources that answers for at least 90 % of the change. It answers for its
// inclusive change; inside a cycle of calls for its own cost and what it calls outside the cycle; an inlined function
// for its own cost wherever it runs. Only what the change reached through callers counts (FunctionStanding). Of two
// that are equally deep: the one whose inclusive cost is less. Precondition: total_change is not 0.
std::optional<Culprit> find_culprit(const ProfileDifference& difference, const std::vector<FunctionStanding>& standings,
                                    const LineDifference& lines, const std::vector<std::filesystem::path>& own_sources);

}  // namespace steelyard
