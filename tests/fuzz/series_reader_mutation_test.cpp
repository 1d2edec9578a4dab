// Seeded mutations of files of series, with words of theirs; corpus_test.cpp has those of all readers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "ci/judging/series_file.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::series_reader_mutation_test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(STEELYARD_FUZZ_CORPUS "/series_reader")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const std::filesystem::path& file : files) texts.push_back(text_of(file));
  return texts;
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

 private:
  std::mt19937_64 engine_;
};

void mutate(std::string& text, Chance& chance) {
  static const std::vector<std::string> kPieces = {"null",
                                                   "NaN",
                                                   "-Infinity",
                                                   "Infin",
                                                   "1e999",
                                                   "-0.0",
                                                   "1e-400",
                                                   "9223372036854775808",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   ",",
                                                   "\"",
                                                   "\\u0000",
                                                   "\\ud800",
                                                   "\"values\":",
                                                   "\"commits\": [null, 3]",
                                                   "\"better\": \"higher\"",
                                                   "[[[[[[[[",
                                                   "\xff",
                                                   std::string(1, '\0')};
  if (text.empty()) return;
  const std::size_t at = chance.below(text.size());
  const std::size_t length = 1 + chance.below(12);
  switch (chance.below(6)) {
    case 0:
      text[at] = static_cast<char>(chance.below(256));
      break;
    case 1:
      text[at] = static_cast<char>('0' + chance.below(10));
      break;
    case 2:
      text.resize(at);
      break;
    case 3:
      text.erase(at, length);
      break;
    case 4:
      text.insert(chance.below(text.size()), text.substr(at, length));
      break;
    default:
      text.insert(at, kPieces[chance.below(kPieces.size())]);
  }
}

TEST(SeriesReaderMutations, NoMutationOfAFileBreaksAClaim) {
  Chance chance(1);
  std::size_t accepted = 0;
  std::size_t tried = 0;
  for (const std::string& whole : corpus()) {
    for (int mutant = 0; mutant < 400; ++mutant) {
      std::string text = whole;
      for (std::size_t changes = 1 + chance.below(3); changes > 0; --changes) mutate(text, chance);
      const auto broken = testkit::broken_claim_about_series(text);
      ASSERT_FALSE(broken) << *broken << ", mutant " << mutant << ":\n" << text;
      ++tried;
      if (ci::parse_series(text, "file")) ++accepted;
    }
  }
  EXPECT_GT(accepted, tried / 50);
  EXPECT_LT(accepted, tried / 2);
}

}  // namespace
}  // namespace steelyard::series_reader_mutation_test
