// How many blocks an adaptive measurement takes. Stopping as soon as the times agree picks the moments at which they
// agree by chance: the spread is too small and intervals miss the truth (docs/harness.md has the figures). So the
// decision and the data are kept apart, as Stein (1945) did for the mean: a pilot of 20 blocks gives the spread, the
// plan the number of blocks, and the measurement is exactly so many *fresh* blocks. Whatever the pilot shows, their
// statistics are those of a number fixed beforehand. Pure: numbers in, numbers out.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace steelyard {

inline constexpr std::size_t kPilotBlocks = 20;
inline constexpr std::size_t kFewestBlocks = 20;

// Between the order statistics that hold the median with at least 95 % probability, if the times are independent (the
// sign test's interval). times: in any order. Absent below 6.
struct TimeInterval {
  double low = 0;
  double high = 0;
};
std::optional<TimeInterval> sign_interval(std::vector<double> times);

// Whether the intervals of the first and the second half touch: no drift that such a pilot could show. Halves without
// an interval are said to agree.
bool halves_agree(const std::vector<double>& times);

// Half the width of the interval over the median; absent where there is no interval or the median is not above 0.
std::optional<double> relative_precision(const std::vector<double>& times);

// Blocks for that precision, if width shrinks with the root of their number; at least kFewestBlocks.
// Precondition: precision above 0. `most` wins over all.
std::size_t plan_blocks(const std::vector<double>& pilot, double precision, std::size_t least, std::size_t most);

}  // namespace steelyard
