#include "bench/model/benchmark_id.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace steelyard::benchmark_id_test {
namespace {

TEST(BenchmarkId, GoogleNameSurvivesParsingAndPrinting) {
  for (const char* name : {"BM_sort", "BM_sort/1024", "BM_copy/size:64/8", "BM_x/real_time/threads:2", "BM_a//b",
                           "BM_map<std::pair<a/b, c>>/8", "BM_x/threads:02", "BM_x/threads:2/8", "a/std::string", ""}) {
    EXPECT_EQ(parse_google_benchmark_name(name).canonical(), name);
  }
}

TEST(BenchmarkId, TakesNamedParametersAndThreadsApart) {
  const BenchmarkId id = parse_google_benchmark_name("BM_copy/size:64/8/threads:4");
  EXPECT_EQ(id.name, "BM_copy");
  ASSERT_EQ(id.parameters.size(), 2U);
  EXPECT_EQ(id.parameters[0], (Parameter{"size", "64"}));
  EXPECT_EQ(id.parameters[1], (Parameter{"", "8"}));
  EXPECT_EQ(id.threads, 4);
}

TEST(BenchmarkId, SlashInsideTemplateArgumentsBelongsToTheName) {
  EXPECT_EQ(parse_google_benchmark_name("BM_map<a/b>/8").name, "BM_map<a/b>");
}

TEST(BenchmarkId, SuiteDeviceAndDtypeArePartOfTheIdentity) {
  BenchmarkId id = parse_google_benchmark_name("BM_gemm/512");
  id.suite = "cpu";
  id.dtype = "f32";
  EXPECT_EQ(id.canonical(), "BM_gemm/512 [suite=cpu,dtype=f32]");
}

TEST(BenchmarkId, NameThatImitatesASuffixStaysApart) {
  BenchmarkId real = parse_google_benchmark_name("BM_gemm");
  real.suite = "cpu";
  EXPECT_NE(parse_google_benchmark_name("BM_gemm [suite=cpu]").canonical(), real.canonical());
}

TEST(BenchmarkId, NamesOfParametersArePartsThatReadBack) {
  EXPECT_TRUE(can_name_parameter("x_step.0-a"));
  for (const char* name : {"", "0k", "a/b", "a:b", "a<b", "a b", "a%b"}) EXPECT_FALSE(can_name_parameter(name)) << name;
  EXPECT_TRUE(can_name_parameter(std::string(100, 'a')));
  EXPECT_FALSE(can_name_parameter(std::string(101, 'a')));
}

TEST(BenchmarkId, WhatLooksLikeAnEscapeInANameIsShownAsItWasGivenAndIsNoBracket) {
  std::set<std::string> all;
  const std::vector<std::string> names{"f [x]",     "f %5Bx]", "f %255Bx]", "f %25255Bx]", "with%percent %5B",
                                       "f [ %5B [", "f %25",   "f %2525B",  "f %5B %5B/8"};
  for (const std::string& given : names) {
    const std::string canonical = parse_google_benchmark_name(given).canonical();
    EXPECT_EQ(name_as_given(canonical), given);
    all.insert(canonical);
  }
  EXPECT_EQ(all.size(), names.size());
  EXPECT_EQ(parse_google_benchmark_name("f [x]/100%/%5B").canonical(), "f %5Bx]/100%/%5B") << "as it always was";
}

TEST(BenchmarkId, AnOpeningBracketInANameIsShownAsItWasGivenAndFoundAsItIsShown) {
  for (const char* given : {"nice name (v2) [x]", "a [b] [c]/8", "plain/8", " [", "x [suite"}) {
    for (const char* suite : {"", "cpu"}) {
      BenchmarkId id = parse_google_benchmark_name(given);
      id.suite = suite;
      const std::string suffix = *suite == '\0' ? "" : " [suite=cpu]";
      EXPECT_EQ(name_as_given(id.canonical()), given + suffix);
      EXPECT_EQ(canonical_as_typed(given + suffix), id.canonical());
      EXPECT_EQ(canonical_as_typed(id.canonical()), id.canonical());
    }
  }
}

TEST(BenchmarkId, WhatGoogleBenchmarkAppendsIsNoParameter) {
  for (const char* word : {"threads", "iterations", "repeats", "min_time", "real_time"}) {
    EXPECT_TRUE(is_measuring_word(word)) << word;
  }
  EXPECT_FALSE(is_measuring_word("rows"));
}

TEST(BenchmarkId, IsOfItsOwnSuiteAlone) {
  for (const char* suite : {"", "a", "ab", "a,b", "b"}) {
    BenchmarkId id = parse_google_benchmark_name("BM_x [suite=b]/8");
    id.suite = suite;
    for (const char* dtype : {"", "f32"}) {
      id.dtype = dtype;
      for (const char* asked : {"", "a", "ab", "a,b", "b"}) {
        EXPECT_EQ(is_of_suite(id.canonical(), asked), std::string(suite) == asked) << id.canonical() << ' ' << asked;
      }
    }
  }
  EXPECT_FALSE(is_of_suite("(all)", "a"));
}

}  // namespace
}  // namespace steelyard::benchmark_id_test
