// The command line: a table of verbs and the arguments in, the verb that was asked for with its options set out; or
// text that was asked for.
//
//     const std::vector<Verb> verbs = all_verbs();
//     STEELYARD_TRY(const ParsedCommand parsed, parse_command_line(verbs, {"compare", "a.syrun", "b.syrun"}));
//     if (parsed.verb != nullptr) STEELYARD_TRY(const ExitCode code, parsed.verb->run(app));
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/grammar/verb.hpp"

namespace steelyard::ci {

// A place that an option names for what the verb writes.
struct NamedOutput {
  std::string option;
  std::filesystem::path place;
  Writes writes = Writes::nothing;
};

struct ParsedCommand {
  std::string text;            // --help, --version: to be printed; then there is no verb
  const Verb* verb = nullptr;  // of the table
  std::vector<NamedOutput> outputs = {};
};

// Errors (input): an unknown verb or option, with the nearest known one; an option without its value; too few or too
// many names. Everything after a lone -- is the measured program's.
Result<ParsedCommand> parse_command_line(const std::vector<Verb>& verbs, const std::vector<std::string>& arguments);

// Whether all of them can be written; nothing of what is tried stays. A folder need not be there, nor need a file's
// that another of them makes. Error (input): the first that cannot.
Result<void> check_outputs(const std::vector<NamedOutput>& outputs);

}  // namespace steelyard::ci
