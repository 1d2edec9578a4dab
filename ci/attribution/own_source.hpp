// Whose code a function is: the project's own, or a library's, the compiler's or the system's. Decided from the paths
// and names in a profile alone; no file is opened, because the tree that was counted may be gone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

bool is_own_source(const ProfiledFunction& function, const std::vector<std::filesystem::path>& own_sources);

// `file` below the first of `roots` that holds it, without that root; else as it is, but for detours ("a/../b" is "b").
// Two trees of one project give equal paths.
std::string path_below(const std::string& file, const std::vector<std::filesystem::path>& roots);

// Where the project's own sources stood when a run was counted. The runs themselves keep it, so that whoever reads them
// later names the same functions.

inline constexpr const char* kSourcesSetting = "sources";  // of a run's header

// Folders of both sides, where they are known: AttributionOptions::own_sources.
inline std::vector<std::filesystem::path> own_folders(const Run& baseline, const Run& candidate) {
  std::vector<std::filesystem::path> folders;
  for (const Run* run : {&baseline, &candidate}) {
    const auto found = run->header.settings.find(kSourcesSetting);
    if (found != run->header.settings.end() && !found->second.empty()) folders.emplace_back(found->second);
  }
  return folders;
}

// C++ names as debuggers print them, made short enough for a line. For showing and for guessing whose they are, never
// for matching: two overloads become one.

// Without the return type, which templates are printed with: "void std::vector<int>::push_back(int)" begins with std.
std::string_view qualified_name(std::string_view function);

// "std::vector<>::push_back": without return type, parameters, template arguments and the marks of clones.
std::string short_function_name(std::string_view function);

}  // namespace steelyard::ci
