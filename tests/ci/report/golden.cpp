#include "tests/ci/report/golden.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace steelyard::golden {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The common beginning and end are left out; what is between them is printed with - (wanted) and + (got).
std::string difference(const std::string& wanted_text, const std::string& got_text) {
  const std::vector<std::string> wanted = lines_of(wanted_text);
  const std::vector<std::string> got = lines_of(got_text);
  std::size_t first = 0;
  while (first < wanted.size() && first < got.size() && wanted[first] == got[first]) ++first;
  std::size_t last = 0;
  while (last < wanted.size() - first && last < got.size() - first &&
         wanted[wanted.size() - 1 - last] == got[got.size() - 1 - last]) {
    ++last;
  }
  std::string text = "line " + std::to_string(first + 1) + ":\n";
  for (std::size_t i = first; i < wanted.size() - last; ++i) text += "- " + wanted[i] + "\n";
  for (std::size_t i = first; i < got.size() - last; ++i) text += "+ " + got[i] + "\n";
  return text;
}

}  // namespace

void expect_equal(const std::string& got, const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(STEELYARD_SOURCE_FOLDER) / "tests" / "golden" / name;
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update && std::string_view(update) == "1") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << got;
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  ASSERT_TRUE(stream) << file << " is missing; run the test with UPDATE_GOLDEN=1 and read what it wrote";
  const std::string wanted((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (got == wanted) return;
  const std::string got_file = file.filename().string() + ".got";
  std::ofstream(got_file, std::ios::binary) << got;
  ADD_FAILURE() << name << " differs (" << std::filesystem::absolute(got_file).string() << "):\n"
                << difference(wanted, got);
}

}  // namespace steelyard::golden
