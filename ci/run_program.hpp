// The whole program as a function: main only calls it, as the tests do.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace steelyard::ci {

// `arguments` without the program's name. Returns the exit status (ci/app/app.hpp).
int run_program(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace steelyard::ci
