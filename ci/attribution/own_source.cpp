#include "ci/attribution/own_source.hpp"

#include <algorithm>
#include <array>

#include "ci/attribution/function_name.hpp"

namespace steelyard {
namespace {

bool is_unknown(const std::string& text) { return text.empty() || text == "???"; }

// Where distributions keep headers and libraries, and where they say their sources were when they built them.
constexpr std::array<std::string_view, 6> kSystemFolders{"/usr/",    "/lib/",   "/lib64/",
                                                         "/opt/rh/", "/build/", "/nix/store/"};
// glibc's and GCC's files as their debug information names them, relative to their build folders.
constexpr std::array<std::string_view, 14> kLibraryPaths{
    "./csu/",   "./elf/",  "./malloc/", "./string/",  "./stdlib/",   "./stdio-common/", "./nptl/",
    "./libio/", "./math/", "./misc/",   "./sysdeps/", "../sysdeps/", "../csu/",         "../../../../src/libstdc"};
// Without debug information the name is all there is: instantiations of the library land in the executable.
constexpr std::array<std::string_view, 6> kLibraryNames{
    "std::", "__gnu_cxx::", "benchmark::", "operator new", "operator delete", "__"};
constexpr std::array<std::string_view, 4> kStartNames{"_start", "(below main)", "_init", "_fini"};

template <std::size_t n>
bool starts_with_any(std::string_view text, const std::array<std::string_view, n>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

bool is_system_object(const std::string& object) {
  const std::string name = std::filesystem::path(object).filename().string();
  return starts_with_any(object, kSystemFolders) || name.starts_with("ld-linux") || name.starts_with("libc.so") ||
         name.starts_with("vgpreload");
}

// The path from `root` to `file`, or empty where it is not below.
std::string below(const std::string& file, const std::filesystem::path& root) {
  if (root.empty()) return "";
  const std::filesystem::path relative =
      std::filesystem::path(file).lexically_normal().lexically_relative(root.lexically_normal());
  if (relative.empty() || relative == "." || *relative.begin() == "..") return "";
  return relative.generic_string();
}

}  // namespace

std::string path_below(const std::string& file, const std::vector<std::filesystem::path>& roots) {
  for (const std::filesystem::path& root : roots) {
    std::string relative = below(file, root);
    if (!relative.empty()) return relative;
  }
  const bool has_detours = file.find("/../") != std::string::npos || file.find("/./") != std::string::npos;
  return has_detours ? std::filesystem::path(file).lexically_normal().generic_string() : file;
}

bool is_own_source(const ProfiledFunction& function, const std::vector<std::filesystem::path>& own_sources) {
  if (!is_unknown(function.file)) {
    const bool is_absolute = function.file.front() == '/';
    if (!own_sources.empty() && is_absolute) {
      return std::any_of(own_sources.begin(), own_sources.end(),
                         [&](const auto& root) { return !below(function.file, root).empty(); });
    }
    if (starts_with_any(function.file, kSystemFolders) || starts_with_any(function.file, kLibraryPaths)) return false;
    return !is_system_object(function.object);
  }
  if (is_system_object(function.object)) return false;
  const std::string_view name = qualified_name(function.name);
  return !is_unknown(function.name) && !starts_with_any(name, kLibraryNames) && !starts_with_any(name, kStartNames);
}

}  // namespace steelyard
