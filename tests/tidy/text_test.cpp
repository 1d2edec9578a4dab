// Sizes and words of the tree.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/tidy/source_tree.hpp"

namespace steelyard::tidy {
namespace {

const std::vector<std::string> kCode{".hpp", ".cpp", ".cu", ".cuh", ".sh", ".sql", ".cmake", "CMakeLists.txt"};
constexpr std::size_t kLongestLine = 120;
constexpr std::size_t kLongestFile = 600;            // lines; past this a file holds more than one concept
constexpr std::uintmax_t kLargestFile = 256 * 1024;  // bytes

TEST(Text, CodeLinesStayWithinAHundredAndTwentyColumns) {
  for (const SourceFile& file : read_source_files(kCode)) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      // Bytes, not columns: code is ASCII but for a few names in tests.
      if (file.path.starts_with("tests/") && file.lines[i].find('\xe2') != std::string::npos) continue;
      EXPECT_LE(file.lines[i].size(), kLongestLine) << file.path << ":" << i + 1 << ": break the line";
    }
  }
}

TEST(Text, SourceFilesStayWithinSixHundredLines) {
  for (const SourceFile& file : read_source_files({".hpp", ".cpp"})) {
    EXPECT_LE(file.lines.size(), kLongestFile) << file.path << ": split it by concept";
  }
}

TEST(Text, NoFileNameSaysNothing) {
  for (const SourceFile& file : read_source_files(kCode)) {
    const std::string stem = std::filesystem::path(file.path).stem().string();
    for (const char* word : {"utils", "util", "helpers", "helper", "common", "manager", "misc"}) {
      EXPECT_NE(stem, word) << file.path << ": name the concept";
    }
  }
}

TEST(Text, NoUnfinishedWordsInCode) {
  // Split so that this file does not find itself.
  const std::vector<std::string> words{std::string("TO") + "DO", std::string("FIX") + "ME", std::string("XX") + "X"};
  for (const SourceFile& file : read_source_files(kCode)) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string& word : words) {
        const std::size_t at = file.lines[i].find(word);
        // The letters that mktemp replaces are no unfinished word.
        const bool is_template = file.lines[i].find(std::string(6, 'X')) != std::string::npos;
        EXPECT_TRUE(at == std::string::npos || is_template)
            << file.path << ":" << i + 1 << ": finish it or file an issue";
      }
    }
  }
}

TEST(Text, TrackedFilesStayWithinTwoHundredAndFiftySixKilobytes) {
  for (const SourceFile& file : read_source_files({""})) {
    const auto size = std::filesystem::file_size(std::filesystem::path(STEELYARD_SOURCE_FOLDER) / file.path);
    EXPECT_LE(size, kLargestFile) << file.path;
  }
}

}  // namespace
}  // namespace steelyard::tidy
