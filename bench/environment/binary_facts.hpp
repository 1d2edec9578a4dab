// How a program was built, as its file tells: build id, compiler and switches, linkage, symbols, allocator, assertions,
// instrumentation. What the file does not say is left out or named as unknown, never guessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/environment/dwarf_producers.hpp"
#include "bench/environment/program_switches.hpp"
#include "bench/model/environment.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

struct BinaryFacts {
  std::string build_id;               // hex digits; empty: none
  std::vector<std::string> comments;  // distinct texts of .comment: the compilers that had a hand in it
  DebugInfo debug_info = DebugInfo::none;
  ProgramSwitches switches;
  bool is_static = false;  // neither a loader nor a library is asked for
  bool is_stripped = false;
  std::vector<std::string> libraries;    // that the loader brings
  std::string allocator;                 // "jemalloc", "tcmalloc", "mimalloc", "its own"; empty: the C library's
  std::optional<bool> assertions;        // calls of assert() are in it; absent: a static program always has some
  std::vector<std::string> instruments;  // "address sanitizer", "coverage", ...
};

// Error (input): no ELF program for little-endian machines. A damaged file yields what could be read of it.
Result<BinaryFacts> read_binary(std::string_view bytes);

// Sets program.build_id, .compiler, .switches, .optimization, .unoptimized_units, .debug_info, .linkage, .symbols,
// .allocator, .assertions, .instruments; none decides.
void add_binary_facts(const BinaryFacts& facts, Environment& environment);

// "jemalloc" for a text that names such a library, as LD_PRELOAD may; empty where none is known.
std::string allocator_of_library(std::string_view paths);

}  // namespace steelyard
