// The project's own text files, read for the tests that hold the tree to its rules.
#pragma once

#include <string>
#include <vector>

namespace steelyard::tidy {

struct SourceFile {
  std::string path;  // relative to the source folder, with slashes
  std::vector<std::string> lines;
};

// Every file under bench/, regress/, storage/, ci/ and tests/ whose name ends in one of `endings`, by path.
std::vector<SourceFile> read_source_files(const std::vector<std::string>& endings);

// The entries of the source folder itself, by name: those that git tracks; where it cannot tell, all but the build.
std::vector<std::string> top_level_entries();

// What stands between the quotes or angle brackets of an include line; empty for any other line.
std::string included_path(const std::string& line);

// Why `from` may not include `to` (both relative to the source folder); empty where it may.
std::string arrow_fault(const std::string& from, const std::string& to);

}  // namespace steelyard::tidy
