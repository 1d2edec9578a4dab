// Change points that were told before, found again in a series that has grown: identity is kept, so that a point that
// moves by a place is the same point and nobody is told of it twice.
#pragma once

#include <string>
#include <vector>

#include "bench/model/series.hpp"
#include "regress/history/machine_values.hpp"

namespace steelyard {

struct KnownPoint {
  std::size_t place = 0;  // among the machine's values
  bool rises = false;
  std::string id;
};

// Those of `known` that are confirmed and of this machine, ascending; by commit where the series has it, else by index.
// What the series does not hold any more is left out.
std::vector<KnownPoint> known_places(const std::vector<ChangePoint>& known, const Series& series,
                                     const MachineValues& machine);

// The id of the known point that this one is: in the same direction, within its range or kSamePlace values; it is taken
// out of `known`. Else a new id, from series, machine and commit (or index).
std::string identify(const ChangePoint& change, std::size_t place, std::vector<KnownPoint>& known, const Series& series,
                     const MachineValues& machine);
inline constexpr std::size_t kSamePlace = 5;

}  // namespace steelyard
