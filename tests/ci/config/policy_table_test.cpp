#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/config/configuration_key.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci::policy_table_test {
namespace {

TEST(PolicyTable, OneWithALastDayHoldsUntilThen) {
  const auto configuration = parse_configuration(
      "[[policy]]\nmatch = \"a/*\"\ngates = []\nuntil = \"2000-01-01\"\nreason = \"the checksum\"\n"
      "[[policy]]\nmatch = \"b/*\"\ngates = []\nuntil = \"2999-12-31\"\n",
      "steelyard.toml");
  ASSERT_TRUE(configuration) << configuration.error().text();
  ASSERT_EQ(configuration->policy.comparison.patterns.size(), 2U);
  EXPECT_EQ(configuration->policy.comparison.patterns[0].reason, "the checksum");
  const ComparisonPolicy policy = comparison_policy(configuration->policy);
  ASSERT_EQ(policy.patterns.size(), 1U);
  EXPECT_EQ(policy.patterns[0].match, "b/*");
  EXPECT_TRUE(is_over(configuration->policy.comparison.patterns[0], "2000-01-02"));
  EXPECT_FALSE(is_over(configuration->policy.comparison.patterns[0], "2000-01-01"))
      << "its last day is one of its days";
  for (const char* day : {"2026-13-01", "2026-02-30", "26-1-1", "2026-1-01", "tomorrow", ""}) {
    const auto refused = parse_configuration(
        "[[policy]]\nmatch = \"a\"\nmargin = 0.1\nuntil = \"" + std::string(day) + "\"\n", "steelyard.toml");
    ASSERT_FALSE(refused) << day;
    EXPECT_NE(refused.error().text().find("steelyard.toml:4"), std::string::npos) << refused.error().text();
  }
}

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  const auto parsed = parse_configuration(text, "steelyard.toml");
  EXPECT_FALSE(parsed) << text;
  return parsed ? "" : parsed.error().text();
}

// A table for the benchmark x with the rest of its lines, the first of which is line 3.
std::string error_of_table(const std::string& lines) { return error_of("[[policy]]\nmatch = \"x\"\n" + lines); }

TEST(PolicyTable, SaysWhatHoldsForWhichBenchmarks) {
  const auto parsed = parse_configuration(
      "[[policy]]\nminimum_effect = \"2%\"\nstrict = true\n\n"
      "[[policy]]\nmatch = \"gemv*\"\nminimum_effect = 0.05\nmargin = \"6%\"\ngates = [\"real_time\"]\n"
      "counted_minimum_effect = 0\nbudget = \"30s\"\nowner = \"kernels@example.org\"\nmachine = \"*EPYC*\"\n\n"
      "[[policy]]\nmatch = \"*\"\ngates = []\n",
      "steelyard.toml");
  ASSERT_TRUE(parsed) << parsed.error().text();
  const PolicySettings& policy = parsed->policy;
  EXPECT_EQ(policy.comparison.minimum_effect, 0.02);
  EXPECT_TRUE(policy.strict);
  ASSERT_EQ(policy.comparison.patterns.size(), 2U);
  const PatternPolicy& first = policy.comparison.patterns[0];
  EXPECT_EQ(first.match, "gemv*");
  EXPECT_EQ(first.where, "steelyard.toml:5");
  EXPECT_EQ(first.minimum_effect, 0.05);
  EXPECT_EQ(first.margin, 0.06);
  EXPECT_EQ(first.counted_minimum_effect, 0.0);
  EXPECT_EQ(first.gates, std::vector<std::string>{"real_time"});
  EXPECT_EQ(first.budget_ns, 30'000'000'000);
  EXPECT_EQ(first.owner, "kernels@example.org");
  EXPECT_EQ(first.machine, "*EPYC*");
  EXPECT_FALSE(policy.comparison.patterns[1].margin);
  ASSERT_TRUE(policy.comparison.patterns[1].gates);
  EXPECT_TRUE(policy.comparison.patterns[1].gates->empty());
}

// In a kept comparison's policy the first that matches holds, as it always did: verify judges by its order.
TEST(PolicyTable, TheLastInTheFileHoldsBeforeThoseAboveIt) {
  const auto parsed = parse_configuration(
      "[[policy]]\nmatch = \"*\"\nmargin = 0.1\n[[policy]]\nmatch = \"a/*\"\nmargin = 0.2\n", "steelyard.toml");
  ASSERT_TRUE(parsed) << parsed.error().text();
  const ComparisonPolicy policy = comparison_policy(parsed->policy);
  ASSERT_EQ(policy.patterns.size(), 2U);
  EXPECT_EQ(policy.patterns[0].match, "a/*");
  EXPECT_EQ(regress::margin_of(policy, "a/1"), 0.2);
  EXPECT_EQ(regress::margin_of(policy, "b/1"), 0.1);
}

TEST(PolicyTable, IsPrintedSoThatItReadsBack) {
  const auto parsed = parse_configuration(
      "[[policy]]\nmargin = 0.03\n\n[[policy]]\nmatch = \"a \\\"b\\\"\"\nmachine = \"*EPYC*\"\nminimum_effect = 0.05\n"
      "margin = 0.06\ncounted_minimum_effect = 0.001\ngates = [\"real_time\", \"cpu_time\"]\nbudget = \"90s\"\nowner = "
      "\"me\"\n",
      "steelyard.toml");
  ASSERT_TRUE(parsed) << parsed.error().text();
  const std::string text = to_toml(*parsed);
  EXPECT_THAT(text, HasSubstr("[[policy]]\nmatch = \"a \\\"b\\\"\"\nmachine = \"*EPYC*\"\nminimum_effect = 0.05\n"
                              "margin = 0.06\ncounted_minimum_effect = 0.001\ngates = [\"real_time\", \"cpu_time\"]\n"
                              "budget = \"90s\"\nowner = \"me\"\n"));
  const auto again = parse_configuration(text, "steelyard.toml");
  ASSERT_TRUE(again) << again.error().text();
  Configuration without_lines = *again;
  without_lines.policy.comparison.patterns.at(0).where = parsed->policy.comparison.patterns.at(0).where;
  EXPECT_EQ(without_lines.policy.comparison.patterns, parsed->policy.comparison.patterns);
  EXPECT_EQ(again->policy.comparison.margin, 0.03);
}

TEST(PolicyTable, IsRefusedWithItsLineAndWhatToWrite) {
  EXPECT_THAT(
      error_of_table("minimm_effect = 0.1\n"),
      AllOf(HasSubstr("steelyard.toml:3: [[policy]]: found unknown key"), HasSubstr("write \"minimum_effect\"")));
  EXPECT_THAT(error_of_table("strict = true\n"),
              HasSubstr("steelyard.toml:3: [[policy]]: found key \"strict\" beside"));
  EXPECT_THAT(error_of_table("rounds = 12\n"), HasSubstr("it belongs under [run]"));
  EXPECT_THAT(error_of_table("margin = 0\n"), HasSubstr("steelyard.toml:3: [[policy]] margin: found 0"));
  EXPECT_THAT(error_of_table("budget = 30\n"), HasSubstr("a duration with its unit"));
  EXPECT_THAT(error_of_table("gates = \"real_time\"\n"), HasSubstr("write [\"real_time\"]"));
  EXPECT_THAT(error_of_table("owner = \"\"\n"), HasSubstr("steelyard.toml:3: [[policy]] owner: found \"\""));
  EXPECT_THAT(error_of_table(""), HasSubstr("steelyard.toml:1: [[policy]]: found a pattern that says nothing"));
  EXPECT_THAT(error_of("[[policy]]\nowner = \"me\"\n"), HasSubstr("found key \"owner\" without match"));
  EXPECT_THAT(error_of("[[policy]]\nmargin = 0.1\n[[policy]]\nstrict = true\n"),
              AllOf(HasSubstr("steelyard.toml:3: [[policy]]: found no match"), HasSubstr("steelyard.toml:1")));
  EXPECT_THAT(error_of("[[policy]]\nconfidense = 0.9\n"), HasSubstr("write \"confidence\""));
}

TEST(PolicyTable, BesideATableOfAllItSaysHowTomlWantsTheTwo) {
  EXPECT_THAT(error_of("[policy]\nmargin = 0.1\n\n[[policy]]\nmatch = \"x\"\nmargin = 0.2\n"),
              AllOf(HasSubstr("steelyard.toml:4: found both [policy] and [[policy]]"),
                    HasSubstr("write [[policy]], without match, in place of [policy]")));
  EXPECT_THAT(error_of("[[policy]]\nmatch = \"x\"\nmargin = 0.2\n[policy] # of all\nmargin = 0.1\n"),
              HasSubstr("steelyard.toml:4: found both"));
}

}  // namespace
}  // namespace steelyard::ci::policy_table_test
