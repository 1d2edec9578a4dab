// Results of hyperfine: each run of a command is an invocation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bench/formats/import_formats.hpp"

namespace steelyard::bench::hyperfine_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const ImportFormat& hyperfine() {
  const auto formats = import_formats();
  return *std::find_if(formats.begin(), formats.end(), [](const ImportFormat& one) { return one.name == "hyperfine"; });
}

using LoadedRun = Result<Run>;  // gtest has a Run of its own

class Hyperfine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard_hyperfine_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  LoadedRun load(const std::string& text) {
    const std::filesystem::path file = folder_ / "in.json";
    std::ofstream(file) << text;
    warnings_.clear();
    ImportReading reading;
    Result<steelyard::Run> run = hyperfine().load(file, reading);
    warnings_ = reading.warnings;
    return run;
  }

  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
};

// As hyperfine 1.19 writes it.
constexpr const char* kTwoCommands = R"({"results": [
  {"command": "sort", "mean": 0.3, "stddev": 0.1, "median": 0.3, "user": 0.2, "system": 0.0, "min": 0.25, "max": 0.5,
   "times": [0.25, 0.5], "memory_usage_byte": [1048576, 2097152], "exit_codes": [0, 0], "parameters": {"threads": "4"}},
  {"command": "find /usr", "mean": 1.0, "stddev": null, "median": 1.0, "user": 0.2, "system": 0.0, "min": 1, "max": 1,
   "times": [1], "exit_codes": [1]}]})";

TEST_F(Hyperfine, EveryRunIsAnInvocationWithOneSample) {
  const LoadedRun run = load(kTwoCommands);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->header.tool, "hyperfine");
  EXPECT_THAT(run->invocations, SizeIs(3));
  ASSERT_THAT(run->measurements, SizeIs(3));
  const Measurement& time = run->measurements[0];
  EXPECT_EQ(time.benchmark.canonical(), "sort/threads:4");
  EXPECT_EQ(time.metric.name, kRealTime);
  ASSERT_THAT(time.invocations, SizeIs(2));
  EXPECT_EQ(time.invocations[0].invocation, 0U);
  EXPECT_THAT(time.invocations[0].values, ElementsAre(250e6));
  EXPECT_THAT(time.invocations[1].values, ElementsAre(500e6));
  EXPECT_EQ(run->measurements[1].metric.name, "peak_rss");
  EXPECT_THAT(run->measurements[1].invocations[1].values, ElementsAre(2097152));
  EXPECT_EQ(run->measurements[2].benchmark.canonical(), "find /usr");
  EXPECT_EQ(run->measurements[2].invocations[0].invocation, 2U);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("find /usr: 1 run ended with another exit status")));
}

TEST_F(Hyperfine, AMeanWithoutItsTimesIsABadRecordAndTheRestIsRead) {
  const LoadedRun run = load(R"({"results": [{"command": "a", "mean": 0.3}, {"command": "b", "times": [1, 2]},
                                               {"command": "b", "times": [1]}, {"times": [1]}, 7,
                                               {"command": "c", "times": [1, -1]}]})");
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_THAT(run->measurements, SizeIs(2)) << "of b, and of c what can be used";
  ASSERT_THAT(run->failures, SizeIs(5));
  for (const Failure& failure : run->failures) EXPECT_EQ(failure.kind, FailureKind::bad_record);
  EXPECT_THAT(warnings_, SizeIs(5));
  EXPECT_THAT(run->failures[0].said, HasSubstr("no \"times\""));
  EXPECT_THAT(run->failures[1].said, HasSubstr("again"));
}

TEST_F(Hyperfine, OneBadTimeAmongGoodOnesCostsItselfAlone) {
  const LoadedRun run = load(R"({"results": [{"command": "a", "times": [1, -1, null, 2],
                                               "memory_usage_byte": [10, 20, 30, 40]}]})");
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_THAT(run->invocations, SizeIs(2));
  ASSERT_THAT(run->measurements, SizeIs(2));
  ASSERT_THAT(run->measurements[0].invocations, SizeIs(2));
  EXPECT_THAT(run->measurements[0].invocations[1].values, ElementsAre(2e9));
  EXPECT_THAT(run->measurements[1].invocations[1].values, ElementsAre(40)) << "the memory of the same run";
  ASSERT_THAT(run->failures, SizeIs(2));
  EXPECT_THAT(run->failures[0].said, HasSubstr("results[0].times[1]: found -1, wanted a time above 0"));
  EXPECT_THAT(run->failures[1].said, HasSubstr("results[0].times[2]: found null"));
}

TEST_F(Hyperfine, ATimeLongerThanAClockCountsIsABadRecord) {
  const LoadedRun run = load(R"({"results": [{"command": "a", "times": [1e300]}, {"command": "b", "times": [1e10]},
                                               {"command": "c", "times": [1], "memory_usage_byte": [1e308]}]})");
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_THAT(run->failures, SizeIs(2));
  ASSERT_THAT(run->measurements, SizeIs(1)) << "the time of c, and no memory";
  EXPECT_THAT(run->measurements[0].invocations[0].values, ElementsAre(1e9));
}

TEST_F(Hyperfine, RefusesWhatIsNotItsOwn) {
  for (const char* text : {"", "{", "[]", "{}", R"({"results": {}})", R"({"results": []})", R"({"benchmarks": []})",
                           R"({"results": [[[[[[[[[[1]]]]]]]]]]})"}) {
    const LoadedRun run = load(text);
    ASSERT_FALSE(run) << text;
    EXPECT_THAT(run.error().text(), HasSubstr("hyperfine")) << text;
  }
  ImportReading reading;
  EXPECT_FALSE(hyperfine().load(folder_ / "absent.json", reading));
}

}  // namespace
}  // namespace steelyard::bench::hyperfine_test
