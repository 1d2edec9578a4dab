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

TEST(Renames, AddAnAxisOnceToWhatLacksIt) {
  const Renames renames{{"BM_gemm/*", "BM_gemm/*/k:3"}, {"*", "all/*"}, {"BM_sort/*", "BM_*"}};
  EXPECT_EQ(current_name(renames, "BM_gemm/8"), "all/BM_gemm/8/k:3");
  EXPECT_EQ(current_name(renames, "all/BM_gemm/8/k:3"), "all/BM_gemm/8/k:3");
  EXPECT_EQ(current_name({{"f*", "f* [suite=s]"}}, "f/8"), "f/8 [suite=s]");
  EXPECT_EQ(current_name({{"f*", "f* [suite=s]"}}, "f/8 [suite=s]"), "f/8 [suite=s]");
  for (const char* name : {"BM_gemm/8 [suite=s]", "BM_gemm/8/k:3 [suite=s]"}) {
    EXPECT_EQ(current_name({renames[0]}, name), "BM_gemm/8/k:3 [suite=s]");
  }
  EXPECT_EQ(current_name({renames[2]}, "BM_sort/8"), "BM_8") << "its right side matches that too, and its left not it";
}

TEST(Renames, TellWhatTodaysBenchmarksWereCalledBefore) {
  using Names = std::map<std::string, std::string>;
  EXPECT_EQ(names_before({{"old/*", "new/*"}, {"a", "b"}, {"b", "c"}}, {"new/8", "c [suite=s]", "other"}),
            (Names{{"old/8", "new/8"}, {"a [suite=s]", "c [suite=s]"}, {"b [suite=s]", "c [suite=s]"}}));
  EXPECT_EQ(names_before({{"BM_gemm/*", "BM_gemm/*/k:3"}}, {"BM_gemm/8/k:3"}), (Names{{"BM_gemm/8", "BM_gemm/8/k:3"}}));
  EXPECT_EQ(names_before({{"* [suite=all]", "* [suite=text]"}}, {"f [suite=text]"}),
            (Names{{"f [suite=all]", "f [suite=text]"}}));
  EXPECT_EQ(names_before({{"f/*/*", "f/*"}}, {"f/8"}), Names{}) << "what the second was nobody can tell";
  EXPECT_EQ(names_before({{"a", "b"}, {"a", "c"}}, {"b", "c"}), (Names{{"a", "b"}})) << "each line once, the first";
  EXPECT_EQ(names_before({{"a", "b"}}, {"a", "b"}), Names{}) << "they are two";
  EXPECT_EQ(names_before({}, {"a"}), Names{});
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
