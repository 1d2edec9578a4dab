// Which compiler, called with which switches, produced each unit of a program: DW_AT_producer of DWARF 2 to 5. GCC
// writes the switches that affect code into it; Clang only its version, unless told -grecord-command-line. Not a
// debugger's reader: it reads the first entry of each unit and nothing else.
#pragma once

#include <map>
#include <string>

#include "bench/environment/elf_file.hpp"

namespace steelyard {

enum class DebugInfo {
  none,        // no .debug_info section
  present,     // read
  compressed,  // present in compressed sections, which are not unpacked here
  split,       // only skeletons: the units are in .dwo files
  separate,    // in a file of its own (.gnu_debuglink, or dwz's common one)
  damaged,     // does not follow the format
};
std::string_view to_text(DebugInfo state);

struct DwarfProducers {
  DebugInfo state = DebugInfo::none;
  // Text of DW_AT_producer and number of units; at most 1000 texts of 8 KiB. Where the state is damaged: those before
  // the damage.
  std::map<std::string, std::int64_t> units;
};

// Bounded by the size of the file; every view is checked.
DwarfProducers read_producers(const ElfFile& file);

}  // namespace steelyard
