// What a program read while it was counted, beside itself and its libraries: data files, and what it loaded on its own
// (dlopen). A count holds for an equal program only where these are equal too.
//
//     const CountedInputs inputs = parse_opened_files(log, program);    // of Valgrind's --trace-syscalls=yes
//     STEELYARD_TRY(const InputHashes now, hash_inputs(inputs, program, loaded));
//     if (now == hashes_of_the_other_side) ...
//
// Not seen: what comes from a pipe or the clock, and whether a file is there, how long and how old, where the program
// asks without opening it. A program that takes its work from the first two has no count that means anything.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"

namespace steelyard::bench {

// A program with the libraries that the dynamic loader brings, each known by the hash of its loaded sections: whether
// two builds are the same to whoever runs them.
//
//     STEELYARD_TRY(const LoadedProgram loaded, read_loaded_program(program, cancelled));
//     if (loaded.sha256 == other.sha256) ...  // same instructions, if arguments, environment and files are equal too
//
// Not for what the program opens while it runs (dlopen, data): see counted_inputs.

struct LoadedObject {
  std::filesystem::path path;
  std::string sha256;  // of its loaded sections
};

struct LoadedProgram {
  std::vector<LoadedObject> objects;  // the program, then its libraries and the loader in the loader's order
  std::string sha256;                 // over the program and, by file name and in order, the libraries
};

// Asks the program's own loader (`ld.so --list`, one short process) with the environment that the program is counted
// in; a static program has no libraries. Error: the file is no ELF program (a script), a library is not found, the
// loader does not answer in time.
Result<LoadedProgram> read_loaded_program(const Program& program, const std::atomic<bool>* cancelled = nullptr);

struct CountedInputs {
  // As one build and another name the same file: relative to the working folder, or "$ORIGIN/" and relative to the
  // program's folder, or absolute. Each once, sorted. Also files that were asked for and are not there.
  std::vector<std::string> files;
  // Why the list may not be whole ("it starts other processes"); empty: it is.
  std::string unknown = "nobody looked";
  bool operator==(const CountedInputs&) const = default;
};

// `log`: what Valgrind wrote; a log that was cut off is no whole list. Left out: what is only written, the kernel's own
// files (/proc, /sys, /dev), Valgrind's, the loader's cache, and what lies in `own_folder`.
CountedInputs parse_opened_files(std::string_view log, const Program& program, const std::filesystem::path& own_folder);

// The lines of the log that are no trace: what Valgrind has to say.
std::string without_trace(std::string_view log);

using InputHashes = std::map<std::string, std::string>;    // by name
inline constexpr std::string_view kAbsentFile = "absent";  // in place of a hash: there is no such file

// Of the files as `program` would find them now; its libraries are left out. Error (input): inputs.unknown; a folder or
// another special file; more than 256 files or 256 MiB together.
Result<InputHashes> hash_inputs(const CountedInputs& inputs, const Program& program, const LoadedProgram& loaded);

}  // namespace steelyard::bench
