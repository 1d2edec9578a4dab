#include "ci/report/flame/folded_stacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <regex>

#include "tests/ci/report/flame/sample_profiles.hpp"

namespace steelyard {
namespace {

struct Line {
  std::vector<std::string> stack;
  std::vector<std::int64_t> costs;
};

// Strict: every line is frames joined by ';', then `columns` whole numbers; no empty frame, no other character that
// flamegraph.pl would take for a separator.
std::optional<std::vector<Line>> read_folded(const std::string& text, int columns) {
  const std::regex form(columns == 1 ? "([^;\\n]+(?:;[^;\\n]+)*) (\\d+)" : "([^;\\n]+(?:;[^;\\n]+)*) (\\d+) (\\d+)");
  std::vector<Line> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) return std::nullopt;
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    std::smatch parts;
    if (!std::regex_match(line, parts, form)) return std::nullopt;
    Line& read = lines.emplace_back();
    std::string stack = parts[1];
    for (std::size_t cut; (cut = stack.find(';')) != std::string::npos; stack.erase(0, cut + 1)) {
      read.stack.push_back(stack.substr(0, cut));
    }
    read.stack.push_back(stack);
    for (int column = 0; column < columns; ++column) {
      read.costs.push_back(std::stoll(parts[static_cast<std::size_t>(column) + 2]));
    }
  }
  return lines;
}

TEST(FoldedStacks, OneLineForEachFrameWithCostOfItsOwn) {
  const JoinedProfile profile = testing::joined(testing::diamond());
  const Result<std::string> text = folded_stacks(profile, unfold(profile, {}));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "main 10\n"
            "main;left 20\n"
            "main;left;shared 75\n"
            "main;right 30\n"
            "main;right;shared 25\n");
}

TEST(FoldedStacks, NamesKeepTheFormatsOwnCharactersOut) {
  const JoinedProfile profile = testing::joined(testing::sample_profile({{"a;b\nc\td", 5}, {"", 6}}, {}));
  const Result<std::string> text = folded_stacks(profile, unfold(profile, {}));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "??? 6\na:b c d 5\n");
  EXPECT_TRUE(read_folded(*text, 1));
}

TEST(FoldedStacks, GoldenCorpusReadBackAddsUpToEachFunctionsSelf) {
  for (const char* file :
       {"01_names/compressed.callgrind.out", "06_parts_toggle/callgrind.out.2", "08_recursion/merged.callgrind.out"}) {
    SCOPED_TRACE(file);
    const CountedProfile part = testing::corpus(file).front();
    const JoinedProfile profile = testing::joined(part);
    const Result<std::string> text = folded_stacks(
        profile, unfold(profile, {.most_frames = 1'000'000, .greatest_depth = 1'000'000, .least_share = 0}));
    ASSERT_TRUE(text);
    const auto lines = read_folded(*text, 1);
    ASSERT_TRUE(lines);
    std::map<std::string, std::int64_t> found;
    for (const Line& line : *lines) found[line.stack.back()] += line.costs.front();
    std::map<std::string, std::int64_t> wanted;
    for (const ProfiledFunction& function : part.functions) {
      if (function.self.front() != 0) wanted[function.name] += function.self.front();
    }
    EXPECT_EQ(found, wanted);
  }
}

TEST(FoldedStacks, OfADifferenceHaveTwoNumbersAtOneCountOfIterations) {
  const CountedProfile baseline = testing::sample_profile({{"f", 100}}, {}, 10);
  const CountedProfile candidate = testing::sample_profile({{"f", 300}, {"fresh", 15}}, {}, 15);
  const JoinedProfile profile = testing::joined(baseline, candidate);
  const Result<std::string> text = folded_stacks(profile, unfold(profile, {}));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "f 300 600\nfresh 0 30\n");
  EXPECT_TRUE(read_folded(*text, 2));
}

TEST(FoldedStacks, ScalingBeyondItsTypeIsAnError) {
  const CountedProfile baseline =
      testing::sample_profile({{"f", std::numeric_limits<std::int64_t>::max() / 2}}, {}, 10);
  const CountedProfile candidate = testing::sample_profile({{"f", 3}}, {}, 997);
  const JoinedProfile profile = testing::joined(baseline, candidate);
  EXPECT_FALSE(folded_stacks(profile, unfold(profile, {})));
}

}  // namespace
}  // namespace steelyard
