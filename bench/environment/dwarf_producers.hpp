// Which compiler, called with which switches, produced each unit of a program: DW_AT_producer of DWARF 2 to 5. GCC
// writes the switches that affect code into it; Clang only its version, unless told -grecord-command-line. Read by
// libdw from the first entry of each unit; nothing else is looked at, and no other file is opened.
#pragma once

#include <map>
#include <string>

#include "bench/environment/elf_file.hpp"

namespace steelyard::bench {

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

// Of the first 250,000 units. Files are taken for forged: libdw is given nothing that would cost it more time or memory
// than the size of the file explains.
DwarfProducers read_producers(const ElfFile& file);

}  // namespace steelyard::bench
