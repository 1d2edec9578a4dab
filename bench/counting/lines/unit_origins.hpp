// The functions of one compilation unit's debug information: where the code of each lies, and which were inlined where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/counting/lines/code_segments.hpp"

struct Dwarf_CU;  // libdw's

namespace steelyard {

// A function that has code, or one place at which one was inlined.
struct CodeEntry {
  std::uint32_t name = 0;   // index into UnitOrigins::names
  std::uint32_t owner = 0;  // index into entries: the function whose code it is part of; itself where not inlined
  std::string file;         // of an owner's declaration; empty: unknown, or inlined
  std::int32_t line = 0;    // likewise; 0: unknown
};

struct UnitOrigins {
  std::vector<CodeRange> segments;  // their entry: index into entries
  std::vector<CodeEntry> entries;
  std::vector<std::string> names;  // as Callgrind prints them: demangled; without parameters where not exported
  bool is_whole = true;            // false: too large to read to its end, or nested too deep; the rest is unknown
  bool lacks_split_file = false;   // it lies in a .dwo file that is not where the compiler wrote it
};

// Walks the unit once. `budget`: how many entries may be read, reduced by those that were; a range of code takes ten.
UnitOrigins read_unit_origins(Dwarf_CU* unit, std::size_t& budget);

}  // namespace steelyard
