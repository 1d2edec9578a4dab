#include "ci/attribution/own_source.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace steelyard::ci {
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

namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";

// Past the bracket that closes the one at `open`, or the end of the name.
std::size_t past_closing(std::string_view name, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = open; i < name.size(); ++i) {
    if (name[i] == opening) ++depth;
    // Comparisons among template arguments stand in parentheses: "enable_if<((sizeof (a))<=(sizeof (b))), void>".
    if (opening == '<' && name[i] == '(') i = past_closing(name, i, '(', ')') - 1;
    // The arrow of "operator->" or of a trailing type closes nothing.
    const bool is_arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';
    if (name[i] == closing && !is_arrow && --depth == 0) return i + 1;
  }
  return name.size();
}

bool is_part_of_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The length of "operator<<", "operator()", "operator new" at `at`; 0 where there is no operator.
std::size_t operator_length(std::string_view name, std::size_t at) {
  if (!name.substr(at).starts_with(kOperator) || (at > 0 && is_part_of_word(name[at - 1]))) return 0;
  std::size_t end = at + kOperator.size();
  if (end >= name.size() || is_part_of_word(name[end])) return 0;
  if (name.substr(end).starts_with("()") || name.substr(end).starts_with("[]")) return end + 2 - at;
  // "operator new", "operator bool": up to the parameters.
  if (name[end] == ' ') {
    while (end < name.size() && name[end] != '(' && name[end] != '<') ++end;
    return end - at;
  }
  while (end < name.size() && std::string_view("<>=!+-*/%^&|~,").find(name[end]) != std::string_view::npos) ++end;
  return end - at;
}

// Where "::" follows outside of brackets, from `at` on, or the end of the name.
std::size_t next_scope(std::string_view name, std::size_t at) {
  while (at < name.size() && !name.substr(at).starts_with("::")) {
    at = name[at] == '<'   ? past_closing(name, at, '<', '>')
         : name[at] == '(' ? past_closing(name, at, '(', ')')
                           : at + 1;
  }
  return at;
}

}  // namespace

std::string_view qualified_name(std::string_view function) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < function.size();) {
    if (operator_length(function, i) > 0) break;
    if (function[i] == '<') {
      i = past_closing(function, i, '<', '>');
    } else if (function[i] == '(') {
      if (!function.substr(i).starts_with(kAnonymous)) break;
      i += kAnonymous.size();
    } else {
      if (function[i] == ' ') start = i + 1;
      ++i;
    }
  }
  return function.substr(start);
}

std::string short_function_name(std::string_view function) {
  if (function.starts_with("(below main)")) return std::string(function);
  const std::string_view name = qualified_name(function);
  std::string result;
  for (std::size_t i = 0; i < name.size();) {
    if (const std::size_t length = operator_length(name, i); length > 0) {
      result += name.substr(i, length);
      i += length;
    } else if (name.substr(i).starts_with(kAnonymous)) {
      result += kAnonymous;
      i += kAnonymous.size();
    } else if (name[i] == '<') {
      result += "<>";
      i = past_closing(name, i, '<', '>');
    } else if (name[i] == '(') {
      i = past_closing(name, i, '(', ')');
    } else if (name[i] == ' ' || name[i] == '[') {
      // " const", " [clone .cold]", "[abi:cxx11]": what qualifies the function does not name it. A lambda inside a
      // const member goes on after it.
      i = next_scope(name, i);
    } else {
      result += name[i++];
    }
  }
  return result.empty() ? std::string(function) : result;
}

}  // namespace steelyard::ci
