#include "bench/cuda/device_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::cuda::device_options_test {
namespace {

using ::testing::HasSubstr;

DeviceOptions parsed(const std::vector<std::string>& arguments) {
  const auto options = parse_device_options(arguments);
  EXPECT_TRUE(options) << options.error().text();
  return options ? *options : DeviceOptions{};
}

std::string error_of(const std::string& argument) {
  const auto options = parse_device_options({argument});
  return options ? "none" : options.error().text();
}

TEST(DeviceOptions, TakesWhatTheRunnerGives) {
  const DeviceOptions options =
      parsed({"--benchmark_list_tests=false", "--benchmark_format=json", "--benchmark_min_time=0.02s",
              "--benchmark_repetitions=30", "--benchmark_report_aggregates_only=false",
              "--benchmark_display_aggregates_only=false", "--benchmark_out_format=json", "--benchmark_out=/tmp/x.json",
              "--benchmark_filter=^add$"});
  EXPECT_FALSE(options.list_tests);
  EXPECT_TRUE(options.json_on_stdout);
  EXPECT_EQ(options.out, "/tmp/x.json");
  EXPECT_EQ(options.filter, "^add$");
  EXPECT_EQ(options.limits.stopping.min_time, milliseconds(20));
  EXPECT_EQ(options.limits.stopping.min_samples, 30);
}

TEST(DeviceOptions, TheTimeBoundIsThirtyTimesTheLeastTimeButNoMoreThanItsOwn) {
  EXPECT_EQ(parsed({"--benchmark_min_time=0.1"}).limits.stopping.max_time, seconds(3));
  EXPECT_EQ(parsed({"--benchmark_min_time=2s"}).limits.stopping.max_time, seconds(15));
  EXPECT_EQ(parsed({}).limits.stopping.max_time, seconds(15));
}

TEST(DeviceOptions, TheWarmUpIsHalfASecondAtLeastUnlessItIsGiven) {
  EXPECT_EQ(parsed({}).limits.least_warm_up, seconds(0.5));
  EXPECT_EQ(parsed({"--steelyard_warm_up=50ms"}).limits.least_warm_up, milliseconds(50));
  // More than the bound: the bound gives way.
  EXPECT_EQ(parsed({"--steelyard_warm_up=5s"}).limits.longest_warm_up, seconds(5));
  EXPECT_THAT(error_of("--steelyard_warm_up=5"), HasSubstr("--steelyard_warm_up"));
}

TEST(DeviceOptions, MoreSamplesAtLeastThanAtMostIsTheLeast) {
  const auto stopping = parsed({"--benchmark_repetitions=50", "--steelyard_most_samples=20"}).limits.stopping;
  EXPECT_EQ(stopping.min_samples, 50);
  EXPECT_EQ(stopping.max_samples, 50);
}

TEST(DeviceOptions, ErrorsNameOptionValueAndWhatWasWanted) {
  EXPECT_THAT(error_of("--benchmark_format=csv"), HasSubstr("found \"csv\", wanted console or json"));
  EXPECT_THAT(error_of("--benchmark_min_time=10x"), HasSubstr("--benchmark_min_time"));
  EXPECT_THAT(error_of("--benchmark_repetitions=0"), HasSubstr("from 1 to"));
  EXPECT_THAT(error_of("--benchmark_repetitions=2.5"), HasSubstr("a whole number"));
  EXPECT_THAT(error_of("--steelyard_device"), HasSubstr("no value"));
  EXPECT_THAT(error_of("--steelyard_verify=perhaps"), HasSubstr("true or false"));
  EXPECT_THAT(error_of("--steelyard_axis=n"), HasSubstr("n"));
  EXPECT_THAT(error_of("--steelyard_profile"), HasSubstr("the file that is recorded into"));
  EXPECT_THAT(error_of("--steelyard_profile_iterations=0"), HasSubstr("from 1 to"));
  EXPECT_THAT(error_of("extra"), HasSubstr("an option of --help"));
}

TEST(DeviceOptions, HelpNamesEveryOptionOfOurs) {
  const std::string help = device_options_help("suite");
  for (const char* option :
       {"--steelyard_device", "--steelyard_large", "--steelyard_axis", "--steelyard_list_devices",
        "--steelyard_timeout", "--steelyard_warm_up", "--steelyard_verify", "--steelyard_seed",
        "--steelyard_launch_latency", "--steelyard_profile", "--steelyard_profile_iterations", "Example: suite"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

}  // namespace
}  // namespace steelyard::cuda::device_options_test
