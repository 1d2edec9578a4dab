// A program with the libraries that the dynamic loader brings, each known by the hash of its loaded sections: whether
// two builds are the same to whoever runs them.
//
//     STEELYARD_TRY(const LoadedProgram loaded, read_loaded_program(program, cancelled));
//     if (loaded.sha256 == other.sha256) ...  // same instructions, if arguments, environment and files are equal too
//
// Not for what the program opens while it runs (dlopen, data): see counted_inputs.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"

namespace steelyard {

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

}  // namespace steelyard
