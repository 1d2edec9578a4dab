// How a program was built, as its file tells: build id, compiler and switches, linkage, symbols, allocator, assertions,
// instrumentation. What the file does not say is left out or named as unknown, never guessed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/environment/dwarf_producers.hpp"
#include "bench/model/environment.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// What the producers of a program's units say in sum: which compiler, with which switches, how far optimized. Pure.

struct ProducedBy {
  std::string compiler;  // "GNU C++17 12.2.0", without the switches
  std::string switches;  // "-O2 -march=x86-64"; empty: not recorded
  bool is_assembly = false;
};
ProducedBy parse_producer(std::string_view producer);

struct ProgramSwitches {
  std::string compiler;      // by falling number of units: "GNU C++17 12.2.0 + GNU C17 12.2.0"
  std::string switches;      // of most units; " (and 2 other sets)" where units differ
  std::string optimization;  // "-O2"; "-O0 in 3 of 10 units, -O2 in 7" where units differ; empty: not recorded
  std::int64_t unoptimized_units = 0;
  std::int64_t units = 0;  // that say their switches
};

// `producers`: text and number of units. Units of assembly are left out.
ProgramSwitches summarize_producers(const std::map<std::string, std::int64_t>& producers);

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

}  // namespace steelyard::bench
