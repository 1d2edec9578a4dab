#include "tests/studies/judging/study_arguments.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace steelyard::judging::study_arguments_test {
namespace {

constexpr std::string_view kKnown[] = {"--row", "--gates"};

std::optional<StudyArguments> read(const std::vector<const char*>& words) {
  return read_study_arguments(words, kKnown);
}

TEST(StudyArguments, AreAFolderAndOptionsWithAValueEach) {
  const auto given = read({"noise", "--gates", "20", "--row", "alarms: duet, with looks, 1 %"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->folder, "noise");
  EXPECT_EQ(given->number("--gates", 1000), 20);
  EXPECT_EQ(given->text("--row"), "alarms: duet, with looks, 1 %");
  EXPECT_EQ(given->number("--seed", 1), 1);
  EXPECT_EQ(given->text("--seed"), "");
}

TEST(StudyArguments, OfNoFolderAnUnknownOptionOrOneWithoutAValueAreNone) {
  EXPECT_FALSE(read({}));
  EXPECT_FALSE(read({"noise", "--gates"}));
  EXPECT_FALSE(read({"noise", "--windows", "3"}));
}

TEST(StudyArguments, ANumberThatIsNoneIsZero) {
  for (const char* text : {"x", "-3", "0", "3x", "", "99999999999"}) {
    EXPECT_EQ(read({"noise", "--gates", text})->number("--gates", 1000), 0) << text;
  }
}

}  // namespace
}  // namespace steelyard::judging::study_arguments_test
