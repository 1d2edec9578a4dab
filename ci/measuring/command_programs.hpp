// Commands that are no Google Benchmark programs, as a person names them: in an option, or in a [[program]] of
// steelyard.toml with a `format`. What they are measured by is bench/runner/command_program.hpp.
#pragma once

#include <filesystem>
#include <string>

#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard::ci {

// `named.how.format` is not empty. Runs in `folder` (empty: the current one); its executable is a path in there where
// it has a slash, else one that PATH finds; with a shell it is /bin/sh. `where` names the option or key. Error (input):
// no such command, no such format, a quote that is not closed.
Result<bench::Program> command_program(const ConfiguredProgram& named, const std::filesystem::path& folder,
                                       const std::string& where);

// What the one benchmark of these commands is called where nobody gave it a name: the command where both are one, the
// program's name where they run one of the same name, else "command".
std::string name_of_commands(const std::string& baseline, const std::string& candidate);

}  // namespace steelyard::ci
