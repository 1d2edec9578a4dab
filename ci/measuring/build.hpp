// One side of a comparison as a work tree has it: built with the project's own command, and its programs as configured.
// The build's output is kept back unless it fails; then its last lines are what the error shows.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/model/left_processes.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard::ci {

struct BuildRequest {
  std::filesystem::path tree;
  std::string command;  // for /bin/sh; empty: nothing to build
  Nanoseconds timeout;
  std::string side;                                   // "the baseline (1a2b3c4d5)", for messages
  std::map<std::string, std::string> variables = {};  // beside the environment that it has anyway
  bench::SharedConfinement confinement = {};
  std::string left_by_interruption = {};  // what is said of it where it was interrupted; build() says it itself
  int builds_at_once = 1;                 // this one and those beside it
};

// The command has the caller's environment without secrets (bench/runner/secrets.hpp), and $CMAKE_BUILD_PARALLEL_LEVEL
// of compilers_of_a_build() where the caller has set none: without a number `cmake --build` starts one compiler, or as
// many as there are files, as the generator likes. Error (program): the command
// failed, with the last 40 lines of its output; it ran past its limit or was cancelled. What it left behind.
Result<LeftProcesses::Count> build(const BuildRequest& request, const std::atomic<bool>* cancelled);
// Runs a command as build() does, and tells errors of `side` alone. `tree` empty: the current folder.
Result<LeftProcesses::Count> run_shell(const BuildRequest& request, const std::atomic<bool>* cancelled);

// Whether two builds have room beside each other: more than one compiler may run, and there is a GiB for each of two a
// core, as a command may say by itself how many it starts.
bool has_room_for_two_builds(const std::filesystem::path& root = "/");

// How many compilers each of so many builds may start, one a core of those that this process may use: at least 1.
std::int64_t compilers_of_a_build(int builds_at_once, const std::filesystem::path& root = "/");

// A configured program as it stands in a work tree.
// arguments: appended to the command's own. with_suite: the program's name becomes its benchmarks' suite. Error
// (input): an absolute path, which is the same file in every work tree.
Result<bench::Program> program_in_tree(const ConfiguredProgram& configured, const std::filesystem::path& tree,
                                       const std::vector<std::string>& arguments, bool with_suite);

// What `steelyard doctor PROGRAM` finds severe in how a program was built, a warning each; nothing is known of a
// command, which may start anything. `baseline`: null where the program is measured alone.
std::vector<std::string> warnings_of_build(const bench::Program* baseline, const bench::Program& candidate);

}  // namespace steelyard::ci
