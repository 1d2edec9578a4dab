#include "regress/targets/declared_target.hpp"

#include <gtest/gtest.h>

#include "regress/targets/parse_target.hpp"

namespace steelyard {
namespace {

DeclaredTarget declared(const std::string& pattern, const std::string& text) {
  return {pattern, parse_target(text, "here").value()};
}

TEST(MatchesPattern, TakesStarsAndQuestionMarks) {
  EXPECT_TRUE(matches_pattern("gemv*", "gemv/f32/n:512"));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("*/n:512", "gemv/f32/n:512"));
  EXPECT_TRUE(matches_pattern("g*v/f?2/?:*", "gemv/f32/n:512"));
  EXPECT_TRUE(matches_pattern("a*b*c", "aXbXbXc"));
  EXPECT_FALSE(matches_pattern("gemv", "gemv/f32"));
  EXPECT_FALSE(matches_pattern("gemv?", "gemv"));
  EXPECT_FALSE(matches_pattern("a*b*c", "aXcXb"));
  EXPECT_FALSE(matches_pattern("", "gemv"));
}

TEST(MatchesPattern, TheSuiteMayBeLeftOut) {
  EXPECT_TRUE(matches_pattern("gemv/512", "gemv/512 [suite=cpu,dtype=f32]"));
  EXPECT_TRUE(matches_pattern("*suite=cpu*", "gemv/512 [suite=cpu,dtype=f32]"));
  EXPECT_FALSE(matches_pattern("*suite=gpu*", "gemv/512 [suite=cpu,dtype=f32]"));
}

TEST(MatchesPattern, ManyStarsCostNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(matches_pattern(pattern + 'b', std::string(5000, 'a')));
}

TEST(TargetsOf, TakesTheFirstOfEachKind) {
  const std::vector<DeclaredTarget> all{declared("gemv/f64", "0.9 of bandwidth"),
                                        declared("gemv*", "0.6 of bandwidth"),
                                        declared("gemv*", "10 GB/s"),
                                        declared("gemv*", "3 Gflop/s"),
                                        declared("gemv*", "4 Gflop/s"),
                                        declared("matmul", "0.5 of flops")};
  const std::vector<Target> special = targets_of("gemv/f64", all, {});
  ASSERT_EQ(special.size(), 3U);
  EXPECT_EQ(special[0].text, "0.9 of bandwidth");
  EXPECT_EQ(special[1].text, "10 GB/s");
  EXPECT_EQ(special[2].text, "3 Gflop/s");
  EXPECT_EQ(targets_of("gemv/f32", all, {}).at(0).text, "0.6 of bandwidth");
  EXPECT_TRUE(targets_of("softmax", all, {}).empty());
}

TEST(TargetsOf, AProgramsOwnBenchmarksAreNoPatterns) {
  const std::vector<DeclaredTarget> labels{declared("copy<float*>", "10 GB/s"), declared("copy", "20 GB/s")};
  EXPECT_EQ(targets_of("copy<float*>", {}, labels).at(0).text, "10 GB/s");
  EXPECT_TRUE(targets_of("copy<float, double*>", {}, labels).empty());
  EXPECT_TRUE(targets_of("copy [suite=other]", {}, labels).empty());
  const std::vector<DeclaredTarget> file{declared("copy*", "5 GB/s")};
  EXPECT_EQ(targets_of("copy", file, labels).at(0).text, "5 GB/s") << "the project's file comes first";
}

TEST(TargetsOf, AreThoseOfTheBenchmarksDevice) {
  DeclaredTarget of_class{"gemv*", {}};
  of_class.target.text = "of a class";
  of_class.target.device = "a100 40g";
  DeclaredTarget of_pattern = of_class;
  of_pattern.target.text = "of a pattern";
  of_pattern.target.device = "*H100*";
  const std::vector<DeclaredTarget> all{of_class, of_pattern};
  EXPECT_EQ(targets_of("gemv", all, {}, {"NVIDIA A100-SXM4-40GB", "A100 40G"}).at(0).text, "of a class");
  EXPECT_EQ(targets_of("gemv", all, {}, {"NVIDIA H100 80GB HBM3"}).at(0).text, "of a pattern");
  EXPECT_TRUE(targets_of("gemv", all, {}, {"NVIDIA A100-SXM4-80GB", "A100 80G SXM"}).empty());
  EXPECT_TRUE(targets_of("gemv", all, {}).empty()) << "the CPU";
}

}  // namespace
}  // namespace steelyard
