// The address ranges of functions, and of the functions that were inlined into them, laid flat: for each address the
// innermost range that holds it. Pure; where the ranges come from is unit_origins' business.
#pragma once

#include <cstdint>
#include <vector>

namespace steelyard {

struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;    // one past the last address
  std::uint32_t entry = 0;  // whose range it is: a later entry lies inside an earlier one that has the same range
};

// Sorted and apart, each with the innermost range's entry; what no range holds is in none. Ranges without an address
// are passed over. Ranges are expected to nest; of two that only overlap, the one that began later is taken for the
// inner. Cost: n log n, however deep they nest.
std::vector<CodeRange> flatten(std::vector<CodeRange> ranges);

// The segment that holds `address`; null where none does. Precondition: `segments` is sorted and apart.
const CodeRange* segment_of(const std::vector<CodeRange>& segments, std::uint64_t address);

}  // namespace steelyard
