#include "ci/config/configuration_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::ci::target_table_test {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  const auto parsed = parse_configuration(text, "steelyard.toml");
  EXPECT_FALSE(parsed) << text;
  return parsed ? "" : parsed.error().text();
}

// A table of the benchmark x with the rest of its lines.
std::string error_of_table(const std::string& lines) { return error_of("[[target]]\nbenchmark = \"x\"\n" + lines); }

TEST(TargetTable, SaysWhichBenchmarksPromiseWhat) {
  const auto parsed = parse_configuration(
      "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.6 of bandwidth\"\n\n"
      "[[target]]\ntarget = \"60% of roofline\"\nbenchmark = \"mat*\"\nlevel = \"l2\"\ndtype = \"float\"\n"
      "access = \"read\"\nthreads = 2\n",
      "steelyard.toml");
  ASSERT_TRUE(parsed) << parsed.error().text();
  ASSERT_EQ(parsed->targets.size(), 2U);
  EXPECT_EQ(parsed->targets[0].benchmark, "gemv*");
  EXPECT_EQ(parsed->targets[0].target.of, Target::Of::bandwidth);
  EXPECT_EQ(parsed->targets[0].target.where, "steelyard.toml:3");
  const Target& second = parsed->targets[1].target;
  EXPECT_EQ(second.where, "steelyard.toml:6");
  EXPECT_EQ(second.level + ' ' + second.dtype + ' ' + second.access, "L2 f32 read");
  EXPECT_EQ(second.threads, 2);
}

TEST(TargetTable, IsPrintedSoThatItReadsBack) {
  const std::string text =
      "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.6 of bandwidth\"\nlevel = \"L2\"\nthreads = 2\n";
  const auto parsed = parse_configuration(text, "steelyard.toml");
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_THAT(to_toml(*parsed), HasSubstr('\n' + text));
}

TEST(TargetTable, MayBeForADeviceAndOverAnAxis) {
  const std::string text =
      "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.6 of bandwidth\"\nceiling = \"measured\"\n"
      "device = \"A100 40G\"\nover = \"n\"\n";
  const auto parsed = parse_configuration(text, "steelyard.toml");
  ASSERT_TRUE(parsed) << parsed.error().text();
  const Target& target = parsed->targets.at(0).target;
  EXPECT_EQ(target.source + ' ' + target.device + ' ' + target.over, "measured A100 40G n");
  EXPECT_THAT(to_toml(*parsed), HasSubstr('\n' + text));
  EXPECT_THAT(error_of_table("target = \"0.6 of bandwidth\"\nceiling = \"guessed\"\n"),
              HasSubstr("one of datasheet, measured"));
  EXPECT_THAT(error_of_table("target = \"0.6 of measured bandwidth\"\nceiling = \"datasheet\"\n"),
              HasSubstr("wanted one ceiling"));
}

TEST(TargetTable, MistakesNameTheirLineAndTheFix) {
  EXPECT_THAT(error_of("target = \"1 GB/s\"\n"), HasSubstr("found key \"target\", wanted the table [[target]]"));
  EXPECT_THAT(error_of("[[targt]]\nbenchmark = \"x\"\n"), HasSubstr("write [[target]]"));
  EXPECT_THAT(error_of("[target]\nbenchmark = \"x\"\n"), HasSubstr("wanted [[target]]"));
  EXPECT_THAT(error_of("[[target]]\ntarget = \"1 GB/s\"\n"),
              HasSubstr("steelyard.toml:1: [[target]]: found no benchmark"));
  EXPECT_THAT(error_of("[[target]]\nbenchmrk = \"x\"\n"), HasSubstr("write \"benchmark\""));
  EXPECT_THAT(error_of("[[target]]\nbenchmark = 3\n"), HasSubstr("text in quotes"));
  EXPECT_THAT(error_of_table(""), HasSubstr("found no target"));
  EXPECT_THAT(error_of_table("target = \"soon\"\n"), HasSubstr("steelyard.toml:3: found \"soon\""));
  EXPECT_THAT(error_of_table("target = \"1 GB/s\"\nthreads = 0\n"), HasSubstr("from 1 to 4096"));
  EXPECT_THAT(error_of_table("target = \"1 GB/s\"\nlevel = \"L9\"\n"), HasSubstr("one of L1, L2, L3, DRAM"));
  EXPECT_THAT(error_of_table("target = \"0.5 of L1 bandwidth\"\nlevel = \"L2\"\n"),
              HasSubstr("a target of L1 beside level = \"L2\", wanted one level"));
}

}  // namespace
}  // namespace steelyard::ci::target_table_test
