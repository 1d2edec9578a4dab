// What of a program file a process would have in memory, as one hash: equal for two builds that differ in nothing but
// what is never loaded (debug information, the table of symbols, comments) and in what only names the build (the build
// id). A program of equal hash, with equal libraries, arguments, environment and files, runs the same instructions.
//
// Not the hash of the file: program.sha256 is that.
#pragma once

#include <string>
#include <string_view>

#include "bench/model/result.hpp"

namespace steelyard {

struct LoadedSections {
  std::string sha256;
  std::string interpreter;  // the dynamic loader's path; empty: a static program, or a library
};

// Hashes class, machine, entry, and every segment that is loaded or that tells the loader how (thread-local storage,
// stack, relocations made read-only): address, flags, size in memory, content. Blank: the build id, and where the file
// keeps its table of sections. Dynamic relocations are content. Error (input): no ELF program; nothing in it is loaded;
// a segment that lies outside the file.
Result<LoadedSections> read_loaded_sections(std::string_view bytes);

}  // namespace steelyard
