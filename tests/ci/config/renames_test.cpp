#include "ci/config/renames.hpp"

#include <gtest/gtest.h>

#include "ci/config/configuration.hpp"
#include "ci/config/configuration_key.hpp"

namespace steelyard::ci::renames_test {
namespace {

using Renames = std::vector<BenchmarkRename>;

TEST(Renames, GiveABenchmarkItsNameOfToday) {
  const Renames renames{{"BM_old", "BM_new"}};
  EXPECT_EQ(current_name(renames, "BM_old"), "BM_new");
  EXPECT_EQ(current_name(renames, "BM_older"), "BM_older");
  EXPECT_EQ(current_name(renames, "BM_old [suite=text]"), "BM_new [suite=text]") << "what says no suite is of any";
  EXPECT_EQ(current_name({}, "BM_old"), "BM_old");
}

TEST(Renames, PutWhatAStarStoodForIntoItsPlace) {
  EXPECT_EQ(current_name({{"old/*", "new/*"}}, "old/64/threads:2"), "new/64/threads:2");
  EXPECT_EQ(current_name({{"*/*", "*/size:*"}}, "sort/64"), "sort/size:64");
  EXPECT_EQ(current_name({{"a*b*", "*"}}, "aXbY"), "X") << "fewer on the right are the first ones";
  EXPECT_EQ(current_name({{"a*a", "b*b"}}, "a"), "a") << "its two ends are no one letter";
  EXPECT_EQ(current_name({{"a*a", "b*b"}}, "aa"), "bb");
}

TEST(Renames, TakeAStarBehindABackslashAsTheCharacter) {
  const Renames renames{{"BM_copy<int\\*>", "BM_copy<char\\*>"}};
  EXPECT_EQ(current_name(renames, "BM_copy<int*>"), "BM_copy<char*>");
  EXPECT_EQ(current_name(renames, "BM_copy<int>"), "BM_copy<int>");
  EXPECT_EQ(current_name({{"BM<\\*>/*", "BM_pointer/*"}}, "BM<*>/64"), "BM_pointer/64");
  EXPECT_EQ(current_name({{as_pattern("a*b*"), "c"}}, "a*b*"), "c");
  EXPECT_EQ(current_name({{as_pattern("a*b*"), "c"}}, "axbx"), "axbx");
  EXPECT_EQ(literal_part({as_pattern("a*b*"), ""}), "a*b*") << "what a store is asked for";
  const Result<Configuration> parsed = parse_configuration("[rename]\n\"a\" = \"b<\\\\*>\"\n", "steelyard.toml");
  ASSERT_TRUE(parsed) << "no more stars on the right than on the left: " << parsed.error().text();
  EXPECT_EQ(current_name(parsed->renames, "a"), "b<*>");
}

TEST(Renames, GiveAnAxisThatWasAddedItsDefault) {
  const Renames renames{{"BM_gemm/*", "BM_gemm/*/threads:1"}};
  EXPECT_EQ(current_name(renames, "BM_gemm/512"), "BM_gemm/512/threads:1");
}

TEST(Renames, SplitAndJoinSuites) {
  const Renames renames{{"parse* [suite=all]", "parse* [suite=text]"}, {"* [suite=all]", "* [suite=math]"}};
  EXPECT_EQ(current_name(renames, "parse/json [suite=all]"), "parse/json [suite=text]");
  EXPECT_EQ(current_name(renames, "gemv/8 [suite=all]"), "gemv/8 [suite=math]");
}

TEST(Renames, FollowEachOtherInTheOrderOfTheFile) {
  EXPECT_EQ(current_name({{"a", "b"}, {"b", "c"}}, "a"), "c");
  EXPECT_EQ(current_name({{"b", "c"}, {"a", "b"}}, "a"), "b") << "a swap of two names does not go round";
}

TEST(Renames, AreReadFromTheFileAndPrintedAsTheyAreRead) {
  const Result<Configuration> parsed =
      parse_configuration("[rename]\n\"BM_old/*\" = \"BM_new/*\"\nsort = \"BM_sort\"\n", "steelyard.toml");
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->renames, (Renames{{"BM_old/*", "BM_new/*"}, {"sort", "BM_sort"}}));
  const Result<Configuration> again = parse_configuration(to_toml(*parsed), "printed");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->renames, parsed->renames);
  EXPECT_EQ(to_toml(Renames{}), "");
}

TEST(Renames, ThatCannotBeAreRefusedWithTheirLine) {
  const auto error_of = [](const std::string& line) {
    const Result<Configuration> parsed = parse_configuration("[rename]\n" + line + '\n', "steelyard.toml");
    return parsed ? "" : parsed.error().text();
  };
  for (const char* line : {"a = 3", "a = \"\"", "\"\" = \"b\"", "\"a*\" = \"b**\"", "a = [\"b\"]"}) {
    EXPECT_NE(error_of(line).find("steelyard.toml:2"), std::string::npos) << line << ": " << error_of(line);
  }
  EXPECT_NE(parse_configuration("[[rename]]\na = \"b\"\n", "steelyard.toml").error().text().find("[rename]"),
            std::string::npos);
}

TEST(Renames, KnowTheLongestPartThatEveryNameHas) {
  EXPECT_EQ(literal_part({"BM_sort/*/threads:*", ""}), "/threads:");
  EXPECT_EQ(literal_part({"*", ""}), "");
}

}  // namespace
}  // namespace steelyard::ci::renames_test
