// A configured program as it stands in a work tree.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

// arguments: appended to the command's own. with_suite: the program's name becomes its benchmarks' suite. Error
// (input): an absolute path, which is the same file in every work tree.
Result<Program> program_in_tree(const ConfiguredProgram& configured, const std::filesystem::path& tree,
                                const std::vector<std::string>& arguments, bool with_suite);

}  // namespace steelyard
