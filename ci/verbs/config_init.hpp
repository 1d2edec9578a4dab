// steelyard config init: a first steelyard.toml for a CMake project, found by asking CMake and proven by building.
#pragma once

#include "bench/model/result.hpp"
#include "ci/app/app.hpp"

namespace steelyard::ci {

// Asks CMake (its file API, codemodel 2) which executables of the project here link Google Benchmark; where none does,
// once more with the project's own options that name benchmarks switched on. Builds those, lists their benchmarks, runs
// one of each program, and writes steelyard.toml at the repository's root. What cannot be built, listed or run is no
// part of the file, and told. Errors (input): a file is there already, no CMake project, no such executable; (program):
// the project cannot be configured, or none of its programs can be built and run.
Result<ExitCode> write_first_configuration(const App& app);

}  // namespace steelyard::ci
