// How many blocks an adaptive measurement takes. Stopping as soon as the times agree picks the moments at which they
// agree by chance: the spread is too small and intervals miss the truth (docs/guide/harness.md has the figures). So the
// decision and the data are kept apart, as Stein (A two-sample test for a linear hypothesis whose power is independent
// of the variance, 1945) did for the mean: a pilot of 20 blocks gives the spread, the plan the number of blocks, and
// the measurement is exactly so many *fresh* blocks. Whatever the pilot shows, their statistics are those of a number
// fixed beforehand. Pure: numbers in, numbers out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace steelyard {

inline constexpr std::size_t kPilotBlocks = 20;
inline constexpr std::size_t kFewestBlocks = 20;

// All times below are per run, in the order they were taken.

// Whether the median's 95 % intervals of the first and the second half touch: no drift that such a pilot could show.
// Halves that are too short for an interval are said to agree.
bool halves_agree(std::span<const double> times);

// Half the width of the median's 95 % interval over the median; absent where there is no interval
// (median_interval.hpp).
std::optional<double> relative_precision(std::span<const double> times);

// Blocks for that precision, if width shrinks with the root of their number; at least `least` and kFewestBlocks. A
// pilot without an interval asks for ten times its blocks. Precondition: precision above 0. `most` wins over all.
std::size_t plan_blocks(std::span<const double> pilot, double precision, std::size_t least, std::size_t most);

}  // namespace steelyard
