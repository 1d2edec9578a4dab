#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/policy/pattern_policy.hpp"
#include "regress/targets/declared_target.hpp"

namespace steelyard::regress::declared_target_test {
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

using ::testing::HasSubstr;

Target parse(const std::string& text) {
  const auto target = parse_target(text, "steelyard.toml:14");
  EXPECT_TRUE(target) << target.error().text();
  return target ? *target : Target{};
}

std::string error_of(const std::string& text) {
  const auto target = parse_target(text, "steelyard.toml:14");
  EXPECT_FALSE(target) << text;
  if (target) return "";
  EXPECT_EQ(target.error().kind, ErrorKind::input);
  return target.error().text();
}

TEST(ParseTarget, ReadsAShareOfEachCeiling) {
  const Target bandwidth = parse(" 0.6 of bandwidth ");
  EXPECT_EQ(bandwidth.of, Target::Of::bandwidth);
  EXPECT_EQ(bandwidth.metric, "bandwidth");
  EXPECT_DOUBLE_EQ(bandwidth.least, 0.6);
  EXPECT_EQ(bandwidth.text, "0.6 of bandwidth");
  EXPECT_EQ(bandwidth.where, "steelyard.toml:14");
  const Target flops = parse("60 % of flops");
  EXPECT_EQ(flops.of, Target::Of::flops);
  EXPECT_EQ(flops.metric, "flops");
  EXPECT_DOUBLE_EQ(flops.least, 0.6);
  const Target roofline = parse("At least 50% OF Roofline");
  EXPECT_EQ(roofline.of, Target::Of::roofline);
  EXPECT_EQ(roofline.metric, "") << "the machine decides";
  EXPECT_DOUBLE_EQ(roofline.least, 0.5);
  EXPECT_DOUBLE_EQ(parse("1 of bandwidth").least, 1);
}

TEST(ParseTarget, TakesTheLevelAndTheDtypeOfTheCeiling) {
  EXPECT_EQ(parse("0.6 of l2 bandwidth").level, "L2");
  EXPECT_EQ(parse("0.6 of DRAM roofline").level, "DRAM");
  EXPECT_EQ(parse("0.6 of bf16 flops").dtype, "bf16");
  EXPECT_EQ(parse("0.6 of float L1 roofline").dtype, "f32");
  EXPECT_THAT(error_of("0.6 of L2 flops"), HasSubstr("\"L2\" names no ceiling of flops"));
  EXPECT_THAT(error_of("0.6 of f32 bandwidth"), HasSubstr("\"f32\" names no ceiling of bandwidth"));
  EXPECT_THAT(error_of("0.6 of fast bandwidth"), HasSubstr("\"fast\" names no ceiling"));
}

TEST(ParseTarget, ReadsARateWithItsUnit) {
  const Target bytes = parse("at least 12 GB/s");
  EXPECT_EQ(bytes.of, Target::Of::rate);
  EXPECT_EQ(bytes.metric, "bandwidth");
  EXPECT_DOUBLE_EQ(bytes.least, 12e9);
  EXPECT_DOUBLE_EQ(parse("1.5GiB/s").least, 1.5 * 1024 * 1024 * 1024);
  const Target flops = parse("40 Gflop/s");
  EXPECT_EQ(flops.metric, "flops");
  EXPECT_DOUBLE_EQ(flops.least, 40e9);
  EXPECT_DOUBLE_EQ(parse("2.5 TFLOPS").least, 2.5e12);
}

TEST(ParseTarget, SaysWhatIsTakenAndHowToFixIt) {
  for (const char* text : {"", "fast", "0.6", "12 apples/s", "0.6 of", "of bandwidth", "nan of flops"}) {
    const std::string error = error_of(text);
    EXPECT_THAT(error, HasSubstr("steelyard.toml:14: found \"" + std::string(text) + '"'));
    EXPECT_THAT(error, HasSubstr("\"0.6 of bandwidth\"")) << text;
    EXPECT_THAT(error, HasSubstr("\"40 Gflop/s\"")) << text;
  }
  EXPECT_THAT(error_of("60 of bandwidth"), HasSubstr("write a % sign if per cent is meant"));
  EXPECT_THAT(error_of("110 % of bandwidth"), HasSubstr("at most 1 (100 %)"));
  EXPECT_THAT(error_of("0 of bandwidth"), HasSubstr("above 0"));
  EXPECT_THAT(error_of("-1 GB/s"), HasSubstr("above 0"));
  EXPECT_THAT(error_of("12 Gb/s"), HasSubstr("write GB/s: b means bits"));
  EXPECT_THAT(error_of("0.6 of compute"), HasSubstr("end it with bandwidth, flops or roofline"));
}

TEST(TargetOfLabel, IsOnePartOfALabel) {
  EXPECT_FALSE(target_of_label("item:12ab", "BM_x"));
  EXPECT_FALSE(target_of_label("", "BM_x"));
  EXPECT_FALSE(target_of_label("off target: 0.6", "BM_x"));
  const auto alone = target_of_label("target: 0.6 of bandwidth", "the label of BM_x");
  ASSERT_TRUE(alone && *alone);
  EXPECT_EQ((*alone)->where, "the label of BM_x");
  const auto among = target_of_label("item:12ab; Target:60% of flops;more", "BM_x");
  ASSERT_TRUE(among && *among);
  EXPECT_EQ((*among)->of, Target::Of::flops);
  const auto wrong = target_of_label("target: soon", "the label of BM_x");
  ASSERT_TRUE(wrong);
  ASSERT_FALSE(*wrong);
  EXPECT_THAT(wrong->error().text(), HasSubstr("the label of BM_x: found \"soon\""));
}

TEST(CheckCeilingChoice, BringsWordsToOurNamesAndRefusesOthers) {
  Target target = parse("0.6 of roofline");
  target.level = "dram";
  target.dtype = "float";
  target.access = "TRIAD";
  target.threads = 2;
  ASSERT_TRUE(check_ceiling_choice(target, "here"));
  EXPECT_EQ(target.level + target.dtype + target.access, "DRAMf32triad");
  target.level = "L9";
  EXPECT_THAT(check_ceiling_choice(target, "here").error().text(),
              HasSubstr("here level: found \"L9\", wanted one of L1, L2, L3, DRAM"));
  target.level = "";
  target.dtype = "posit";
  EXPECT_THAT(check_ceiling_choice(target, "here").error().text(), HasSubstr("wanted one of f64, f32"));
  target.dtype = "";
  target.threads = 0;
  EXPECT_THAT(check_ceiling_choice(target, "here").error().text(), HasSubstr("here threads: found 0"));
}

TEST(ParseTarget, MayNameTheSourceOfTheCeiling) {
  EXPECT_EQ(parse_target("0.9 of measured bandwidth", "").value().source, "measured");
  const Target sheet = parse_target("60 % of datasheet bf16 flops", "").value();
  const Target reading = parse_target("85 % of measured read bandwidth", "").value();
  EXPECT_EQ(reading.source + ' ' + reading.access, "measured read");
  EXPECT_FALSE(parse_target("85 % of read flops", ""));
  EXPECT_EQ(sheet.source, "datasheet");
  EXPECT_EQ(sheet.dtype, "bf16");
  EXPECT_FALSE(parse_target("0.9 of measured measured bandwidth", ""));
  Target wrong = sheet;
  wrong.source = "guessed";
  EXPECT_FALSE(check_ceiling_choice(wrong, "here"));
}

}  // namespace

}  // namespace steelyard::regress::declared_target_test
