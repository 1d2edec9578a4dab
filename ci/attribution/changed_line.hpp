// On which line of a function its cost changed most, though the lines of the two builds have other numbers: the lines
// are laid over each other in their order, as a text comparison does, by what they cost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace steelyard {

struct LineCost {
  std::int32_t line = 0;
  double cost = 0;  // an iteration
};

// The candidate's line that gained most where the whole gained, or lost most where it lost; of a line that only the
// baseline has, the candidate's next one. Nothing where no line changed or the candidate has none. `baseline` and
// `candidate`: ascending lines of one file. Cost: product of their lengths; above a million, lines are matched by their
// distance from the first instead.
std::optional<std::int32_t> changed_line(const std::vector<LineCost>& baseline, const std::vector<LineCost>& candidate);

}  // namespace steelyard
