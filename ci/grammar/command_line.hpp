// The command line: arguments in, what a verb was asked to do out. The only file that knows the library it is read with
// is command_line.cpp.
//
//     Result<ParsedCommand> parsed = parse_command_line({"compare", "a.syrun", "b.syrun", "--json"});
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/app/options.hpp"

namespace steelyard {

// Text that was asked for: --help, --version.
struct RequestedText {
  std::string text;
};
using ParsedCommand = std::variant<RequestedText, VerbOptions>;

// Errors (input): an unknown verb or option, with the nearest known one; an option without its value; too few or too
// many names. Everything after a lone -- is the measured program's.
Result<ParsedCommand> parse_command_line(const std::vector<std::string>& arguments);

// Names of the verbs, in the order of the help.
std::vector<std::string> verb_names();

}  // namespace steelyard
