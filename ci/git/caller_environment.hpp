// The environment variables of whoever called us, for the children that are the user's own tools (git, the build
// command) and need them (the build command without the store's password). Measured programs get the allow-list of
// bench/runner instead.
#pragma once

#include <map>
#include <string>

namespace steelyard {

std::map<std::string, std::string> caller_environment();

}  // namespace steelyard
