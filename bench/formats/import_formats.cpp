#include "bench/formats/import_formats.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "bench/formats/google_benchmark.hpp"

namespace steelyard::bench {

// Each defined by the file of its name.
Result<Run> load_hyperfine(const std::filesystem::path& path, std::vector<std::string>& warnings);

std::span<const ImportFormat> import_formats() {
  static constexpr std::array kFormats{
      ImportFormat{"google-benchmark", "JSON of Google Benchmark, or a folder with a file for each process",
                   "context benchmarks", load_google_benchmark},
      ImportFormat{"hyperfine", "JSON of hyperfine --export-json", "results", load_hyperfine},
  };
  return kFormats;
}

namespace {

constexpr std::size_t kLongestMember = 64;  // a longer name is none of a format's
constexpr std::size_t kMaxMembers = 1000;

// Names of the outermost object's members, as far as the text is JSON at all: whoever loads it says what is wrong.
std::set<std::string> outermost_members(std::istream& stream) {
  std::set<std::string> members;
  std::string text;  // the last string at the outermost level
  int depth = 0;
  bool in_string = false;
  bool is_escaped = false;
  for (std::istreambuf_iterator<char> at(stream), end; at != end && members.size() < kMaxMembers; ++at) {
    const char c = *at;
    if (in_string) {
      in_string = is_escaped || c != '"';
      is_escaped = !is_escaped && c == '\\';
      if (in_string && depth == 1 && text.size() <= kLongestMember) text += c;
    } else if (c == '"') {
      in_string = true;
      text.clear();
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':' && depth == 1) {
      members.insert(text);
    }
  }
  return members;
}

bool has_members(const std::set<std::string>& found, std::string_view wanted) {
  std::istringstream words{std::string(wanted)};
  for (std::string word; words >> word;) {
    if (!found.contains(word)) return false;
  }
  return true;
}

// The file itself; of a folder its first .json file by name; absent: it has none.
std::optional<std::filesystem::path> file_to_look_at(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) return path;
  std::optional<std::filesystem::path> first;
  for (std::filesystem::directory_iterator entry(path, code), end; !code && entry != end; entry.increment(code)) {
    if (entry->path().extension() == ".json" && (!first || entry->path() < *first)) first = entry->path();
  }
  return first;
}

}  // namespace

Result<const ImportFormat*> recognise_format(const std::filesystem::path& path) {
  const std::optional<std::filesystem::path> file = file_to_look_at(path);
  if (!file) return input_error(path.string(), "no .json file in it", "a folder with a file for each process");
  std::ifstream stream(*file, std::ios::binary);
  if (!stream) return input_error(path.string(), "no such file", "a file of another tool's results");
  const std::set<std::string> members = outermost_members(stream);
  std::string names;
  for (const ImportFormat& format : import_formats()) {
    if (has_members(members, format.members)) return &format;
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  return input_error(path.string(), "no format that is known by its content", "one of " + names,
                     "say which: steelyard import FORMAT " + path.string());
}

}  // namespace steelyard::bench
