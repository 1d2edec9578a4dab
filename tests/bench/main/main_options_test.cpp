#include "bench/main/main_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace steelyard::main_options_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<MainOptions> parse(std::vector<std::string> arguments, const std::map<std::string, std::string>& variables = {},
                          bool time_takes_unit = false) {
  arguments.insert(arguments.begin(), "program");
  const auto variable = [&](const std::string& name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional<std::string>(at->second);
  };
  return parse_main_options(arguments, variable, time_takes_unit);
}

TEST(MainOptions, AskForEightBlocksOfAnEighthOfTheTime) {
  EXPECT_THAT(parse({})->rest, ElementsAre("program", "--benchmark_repetitions=8", "--benchmark_min_time=0.0625"));
  EXPECT_THAT(parse({}, {}, true)->rest.back(), "--benchmark_min_time=0.0625s");
  EXPECT_THAT(parse({"--benchmark_repetitions=3", "--benchmark_min_time=0.02", "--steelyard_blocks=2"})->rest,
              ElementsAre("program", "--benchmark_repetitions=3", "--benchmark_min_time=0.02",
                          "--benchmark_repetitions=6", "--benchmark_min_time=0.01"));
}

TEST(MainOptions, FollowTheLastFlagAndOnlyThenTheVariable) {
  const std::map<std::string, std::string> variables{{"BENCHMARK_REPETITIONS", "5"}, {"BENCHMARK_MIN_TIME", "2"}};
  EXPECT_EQ(parse({}, variables)->order.repetitions, 5);
  EXPECT_EQ(parse({}, variables)->order.min_time, seconds(2));
  const auto both = parse({"--benchmark_repetitions=2", "--benchmark_repetitions=3"}, variables);
  EXPECT_EQ(both->order.repetitions, 3);
}

TEST(MainOptions, LeaveRepetitionsWholeWhereTheyCannotBeSplit) {
  for (const char* argument :
       {"--steelyard_blocks=1", "--benchmark_min_time=100x", "--benchmark_min_time=0", "--benchmark_min_time=much",
        "--benchmark_repetitions=0", "--benchmark_enable_random_interleaving=true", "--benchmark_dry_run=true",
        "--steelyard_callgrind"}) {
    const auto options = parse({argument});
    EXPECT_EQ(options->order.blocks, 1) << argument;
    EXPECT_THAT(options->rest.back(), ::testing::Not(HasSubstr("--benchmark_min_time=0.0"))) << argument;
  }
  EXPECT_EQ(parse({"--benchmark_enable_random_interleaving=false"})->order.blocks, kDefaultBlocks);
}

TEST(MainOptions, SeeWhereTheReportGoes) {
  EXPECT_FALSE(parse({})->has_file);
  EXPECT_FALSE(parse({})->shows_blocks);
  EXPECT_TRUE(parse({"--benchmark_out=x"})->has_file);
  EXPECT_TRUE(parse({}, {{"BENCHMARK_OUT", "x"}})->has_file);
  EXPECT_EQ(parse({"--benchmark_out_format=csv"})->file_format, "csv");
  EXPECT_TRUE(parse({"--benchmark_format=json"})->shows_blocks);
}

TEST(MainOptions, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT(parse({"--steelyard_block=3"}).error().text(), HasSubstr("one of: --steelyard_axis, --steelyard_blocks"));
  EXPECT_THAT(parse({"--steelyard_blocks=many"}).error().text(), HasSubstr("from 1 to 10000"));
  EXPECT_FALSE(parse({"--steelyard_axis=n"}));
  EXPECT_FALSE(parse({"--steelyard_spans"}));
  EXPECT_EQ(parse({"--steelyard_spans=it.spans"})->spans.file, "it.spans");
  EXPECT_THAT(parse({"--steelyard_spans=it.spans", "--steelyard_samples=0"}).error().text(), HasSubstr("1 to 10000"));
  EXPECT_THAT(parse({"--steelyard_samples=100"}).error().text(), HasSubstr("--steelyard_spans"));
  EXPECT_EQ(parse({"--steelyard_spans=it.spans", "--steelyard_samples=100"})->spans.samples_hz, 100);
  EXPECT_FALSE(parse({"--steelyard_spans=it.spans"})->spans.records_device);
  EXPECT_TRUE(parse({"--steelyard_profile=it.spans"})->spans.records_device);
  EXPECT_EQ(parse({"--steelyard_profile=it.spans"})->spans.file, "it.spans");
  EXPECT_THAT(parse({"--steelyard_profile=a", "--steelyard_spans=b"}).error().text(), HasSubstr("a file beside a"));
  EXPECT_EQ(parse({"--steelyard_axis=n=3", "--steelyard_axis=m=[1:2]"})->axes.size(), 2U);
}

TEST(MainOptions, AreAllInTheHelp) {
  for (const char* name : {"--steelyard_axis", "--steelyard_blocks", "--steelyard_callgrind", "--steelyard_help",
                           "--steelyard_profile", "--steelyard_samples", "--steelyard_spans"}) {
    EXPECT_THAT(main_options_help(), HasSubstr(name));
  }
}

}  // namespace
}  // namespace steelyard::main_options_test
