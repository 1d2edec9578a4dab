// The functions of one compilation unit's debug information: where the code of each lies, and which were inlined where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct Dwarf_CU;  // libdw's

namespace steelyard::bench {

// The address ranges of functions, and of the functions that were inlined into them, laid flat: for each address the
// innermost range that holds it. Pure; where the ranges come from is unit_origins' business.

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

// A function that has code, or one place at which one was inlined.
struct CodeEntry {
  std::uint32_t name = 0;   // index into UnitOrigins::names
  std::uint32_t owner = 0;  // index into entries: the function whose code it is part of; itself where not inlined
  std::string file;         // of an owner's declaration; empty: unknown, or inlined
  std::int32_t line = 0;    // of an owner's declaration; 0: unknown
};

struct UnitOrigins {
  std::vector<CodeRange> segments;  // their entry: index into entries
  std::vector<CodeEntry> entries;
  std::vector<std::string> names;  // as Callgrind prints them: demangled; without parameters where not exported
  bool is_whole = true;            // false: too large to read to its end, or nested too deep; the rest is unknown
  bool lacks_split_file = false;   // it lies in a .dwo file that is not where the compiler wrote it
};

// Walks the unit once. `budget`: how many entries may be read, reduced by those that were; a range of code takes ten, a
// name or path what it takes of memory and of the processor's time.
UnitOrigins read_unit_origins(Dwarf_CU* unit, std::size_t& budget);

}  // namespace steelyard::bench
