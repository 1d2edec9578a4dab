// The options by which a verb measures commands that are no Google Benchmark programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"
#include "ci/config/configuration.hpp"
#include "ci/grammar/verb.hpp"

namespace steelyard::ci {

struct CommandOptions {
  std::vector<std::string> commands;
  std::string name;  // of their benchmark; empty: follows from the commands
  CommandChoice how = {};
};

void add_command_options(Verb& verb, CommandOptions& options);
// Error (input): an option of a command, and no command.
Result<void> check_commands(const CommandOptions& options);
// As the configuration has it; the format is one.
ConfiguredProgram configured_command(const CommandOptions& options, const std::string& command);
// One that runs in `folder` (empty: the current one).
Result<bench::Program> program_of_command(const CommandOptions& options, const std::string& command,
                                          const std::filesystem::path& folder);

}  // namespace steelyard::ci
