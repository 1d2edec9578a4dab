// Whose code a function is: the project's own, or a library's, the compiler's or the system's. Decided from the paths
// and names in a profile alone; no file is opened, because the tree that was counted may be gone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/counted_profile.hpp"

namespace steelyard {

bool is_own_source(const ProfiledFunction& function, const std::vector<std::filesystem::path>& own_sources);

// `file` below the first of `roots` that holds it, without that root; else as it is, but for detours ("a/../b" is "b").
// Two trees of one project give equal paths.
std::string path_below(const std::string& file, const std::vector<std::filesystem::path>& roots);

}  // namespace steelyard
