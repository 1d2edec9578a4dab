// steelyard config init: a first steelyard.toml for a project of CMake or make, found by asking CMake and by reading
// its scripts, and proven by building.
#pragma once

#include "bench/model/result.hpp"
#include "ci/app/app.hpp"

namespace steelyard::ci {

// Asks CMake (its file API, codemodel 2) which executables of the project here link Google Benchmark; where none does,
// once more with the project's own options that name benchmarks switched on. Without CMake: the files with "bench" in
// their name that rules of the Makefile make or scripts start. Builds those, lists their benchmarks, runs one of each
// program, with the arguments by which a script of the repository starts it (shell, make, the CI services' files), and
// writes steelyard.toml at the repository's root. What cannot be built, listed or run is no part of the file, and told.
// Errors (input): a file is there already, neither CMake nor make, no such program; (program): the project cannot be
// configured, or none of its programs can be built and run.
Result<ExitCode> write_first_configuration(const App& app);

}  // namespace steelyard::ci
