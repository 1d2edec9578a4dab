// The cost line of a callgrind.out file ("+4 +1 12 3"): positions, then costs. Nine of ten lines are one, so the usual
// form has a scanner of its own, which makes half of the reader's speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/counting/callgrind_header.hpp"

namespace steelyard {

using CallgrindPositions = std::array<std::uint64_t, 2>;  // one per column

struct CallgrindCostLine {
  CallgrindPositions position = {};  // of this line; before it was read: of the one before
  std::array<std::int64_t, kMaximumCallgrindEvents> cost = {};
  std::size_t cost_count = 0;
};

// Reads the line at `at` in its usual form: `columns` positions and at most `maximum` costs, one blank between two, or
// before the newline. Returns what is behind the newline; nullptr where the line has another form or is wrong, and then
// `line` is as before but for its costs: who reads lines with care has to look. Precondition: a newline follows.
const char* scan_cost_line(const char* at, std::size_t columns, std::size_t maximum, CallgrindCostLine& line);

}  // namespace steelyard
