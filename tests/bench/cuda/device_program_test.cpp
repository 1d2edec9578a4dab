// The whole device program with a worker that crashes, hangs and loses its device, and what `steelyard` makes of it.
#include "bench/cuda/device_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/formats/google_benchmark.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/measure.hpp"

namespace steelyard::cuda::device_program_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class DeviceProgramTest : public ::testing::Test {
 protected:
  std::filesystem::path out_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("device_program_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");

  ~DeviceProgramTest() override {
    std::error_code ignored;
    std::filesystem::remove(out_, ignored);
  }

  bench::ChildResult run(std::vector<std::string> arguments, const std::string& mood = "") const {
    bench::ChildCommand command;
    command.executable = FAKE_DEVICE_PROGRAM;
    command.arguments = std::move(arguments);
    command.environment["TMPDIR"] = ::testing::TempDir();
    if (!mood.empty()) command.environment[mood] = "1";
    const Result<bench::ChildResult> child = bench::run_child(command);
    EXPECT_TRUE(child) << child.error().text();
    return child ? *child : bench::ChildResult{};
  }

  std::string to_file() const { return "--benchmark_out=" + out_.string(); }

  bench::GoogleBenchmarkFile file() const {
    std::ifstream stream(out_);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const auto parsed = bench::parse_google_benchmark(text, out_.string());
    EXPECT_TRUE(parsed) << parsed.error().text();
    return parsed ? *parsed : bench::GoogleBenchmarkFile{};
  }

  static std::string failure_of(const bench::GoogleBenchmarkFile& file, const std::string& kind) {
    const std::string name = parse_google_benchmark_name("fake/kind:" + kind).canonical();
    for (const Failure& failure : file.failures) {
      BenchmarkId on_any_device = failure.benchmark;
      on_any_device.device.clear();
      if (on_any_device.canonical() == name) return failure.said;
    }
    return "none";
  }

  static std::vector<std::string> measured(const bench::GoogleBenchmarkFile& file) {
    std::vector<std::string> names;
    for (const Measurement& measurement : file.measurements) {
      if (measurement.metric.name == "real_time") names.push_back(measurement.benchmark.canonical());
    }
    return names;
  }
};

TEST_F(DeviceProgramTest, ListsWithoutADevice) {
  const bench::ChildResult child =
      run({"--benchmark_list_tests=true", "--benchmark_filter=kind:(good|fine)$"}, "FAKE_NO_DEVICE");
  EXPECT_EQ(child.exit_code, kDone);
  EXPECT_EQ(child.output, "fake/kind:good\nfake/kind:fine\n");
}

TEST_F(DeviceProgramTest, ARowThatCannotBeMeasuredCostsNoOther) {
  const bench::ChildResult child = run({to_file()});
  EXPECT_EQ(child.exit_code, kDone) << child.error_output;
  const bench::GoogleBenchmarkFile result = file();
  EXPECT_EQ(measured(result).size(), 3U);  // good, fine, last
  EXPECT_THAT(failure_of(result, "crash"), HasSubstr("signal 6"));
  EXPECT_THAT(failure_of(result, "sticky"), HasSubstr("cudaErrorIllegalAddress"));
  EXPECT_THAT(failure_of(result, "exit"), HasSubstr("ended with status 9"));
  EXPECT_THAT(failure_of(result, "half"), HasSubstr("signal 9"));
  EXPECT_THAT(failure_of(result, "lacking"), HasSubstr("f8 needs"));
  EXPECT_EQ(failure_of(result, "good"), "none");
  EXPECT_EQ(failure_of(result, "last"), "none");
}

TEST(DeviceTable, HasAColumnOfTokensWhereSomethingMakesThem) {
  FinishedRow copy;
  copy.summary = {.name = "copy", .cold_ns = 2000, .hot_ns = 1000, .bandwidth = 3e12, .samples = 10, .text = ""};
  FinishedRow decoding;
  decoding.summary = {.name = "decoding", .cold_ns = 1e9, .bandwidth = 2.6e12, .tokens = 196, .samples = 5, .text = ""};
  FinishedRow failed;
  failed.summary = {.name = "gelu", .end = RowEnd::failed, .text = "out of memory"};
  EXPECT_EQ(result_table({copy, failed}),
            "benchmark     cold      hot  arithmetic  bandwidth  samples\n"
            "copy       2.00 us  1.00 us              3.00 TB/s       10\n"
            "gelu        failed\n"
            "    out of memory\n");
  EXPECT_THAT(result_table({copy, decoding, failed}),
              AllOf(HasSubstr("bandwidth        tokens  samples\n"), HasSubstr("2.60 TB/s  196 tokens/s        5\n")));
}

TEST_F(DeviceProgramTest, WhatFailedKeepsItsTarget) {
  run({to_file()});
  const bench::GoogleBenchmarkFile result = file();
  for (const char* kind : {"crash", "sticky", "exit", "half"}) {
    BenchmarkId id = parse_google_benchmark_name("fake/kind:" + std::string(kind));
    id.device = "Made-Up 100";
    const auto label = result.labels.find(id.canonical());
    ASSERT_NE(label, result.labels.end()) << kind;
    EXPECT_EQ(label->second, "target: 0.61 of bandwidth") << kind;
  }
}

TEST_F(DeviceProgramTest, AHangIsEndedAndTheNextBenchmarkRuns) {
  const bench::ChildResult child =
      run({to_file(), "--steelyard_large", "--steelyard_timeout=300ms", "--benchmark_filter=kind:(hang|good)$"});
  EXPECT_EQ(child.exit_code, kDone) << child.error_output;
  EXPECT_THAT(failure_of(file(), "hang"), HasSubstr("ran past its limit of 300 ms"));
  EXPECT_EQ(measured(file()).size(), 1U);
}

TEST_F(DeviceProgramTest, WhatWasCutOffByASignalToAllIsNoFailedRow) {
  const bench::ChildResult child = run({to_file(), "--steelyard_large", "--benchmark_filter=kind:(good|interrupted)$"});
  EXPECT_EQ(child.exit_code, 128 + SIGTERM) << child.error_output;
  EXPECT_EQ(measured(file()).size(), 1U);
  EXPECT_EQ(failure_of(file(), "interrupted"), "none");
}

TEST_F(DeviceProgramTest, AKillLeavesTheRowsThatWereWholeBesideTheResult) {
  const std::filesystem::path partial = out_.string() + ".partial";
  run({to_file(), "--steelyard_large", "--benchmark_filter=kind:(good|crash|fine|killed)$"});
  EXPECT_FALSE(std::filesystem::exists(out_));
  std::ifstream stream(partial);
  std::string line;
  ASSERT_TRUE(std::getline(stream, line));
  EXPECT_EQ(nlohmann::json::parse(line)["gpu.device"], "Made-Up 100");
  std::vector<std::string> names;
  while (std::getline(stream, line)) names.push_back(nlohmann::json::parse(line)["name"]);
  EXPECT_EQ(std::count(names.begin(), names.end(), "fake/kind:good"), 12);
  EXPECT_EQ(std::count(names.begin(), names.end(), "fake/kind:crash"), 1) << "a failed row is a row";
  EXPECT_EQ(std::count(names.begin(), names.end(), "fake/kind:fine"), 12);
  EXPECT_EQ(names.size(), 25U);
  // One that ends by itself leaves the result alone.
  run({to_file(), "--benchmark_filter=kind:good$"});
  EXPECT_TRUE(std::filesystem::exists(out_));
  EXPECT_FALSE(std::filesystem::exists(partial));
}

TEST_F(DeviceProgramTest, WithoutADeviceItSaysSoOnceAndWritesNothing) {
  const bench::ChildResult child = run({to_file()}, "FAKE_NO_DEVICE");
  EXPECT_EQ(child.exit_code, kNoDevice);
  EXPECT_THAT(child.error_output, HasSubstr("found no NVIDIA driver"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(DeviceProgramTest, ADeviceThatIsLostFailsTheRest) {
  const bench::ChildResult child = run({to_file()}, "FAKE_LOST");
  EXPECT_EQ(child.exit_code, kDone) << child.error_output;
  EXPECT_EQ(measured(file()).size(), 1U);
  EXPECT_THAT(failure_of(file(), "last"), HasSubstr("the device was lost: no device is left"));
}

TEST_F(DeviceProgramTest, AWorkerThatDiesBeforeItBeginsIsNotStartedForEver) {
  const bench::ChildResult child = run({to_file()}, "FAKE_DEAD_AT_START");
  EXPECT_EQ(child.exit_code, kDone);
  EXPECT_THAT(failure_of(file(), "good"), HasSubstr("before it began"));
}

TEST_F(DeviceProgramTest, RecordsCarryWhatTheReaderKnows) {
  run({to_file(), "--benchmark_filter=kind:good$", "--benchmark_context=branch=main"});
  const bench::GoogleBenchmarkFile result = file();
  EXPECT_TRUE(result.bad_records.empty());
  std::vector<std::string> metrics;
  for (const Measurement& measurement : result.measurements) {
    metrics.push_back(measurement.metric.name + " " + std::to_string(measurement.invocations.front().values.size()));
  }
  EXPECT_THAT(metrics, Contains("real_time 12"));
  EXPECT_THAT(metrics, Contains("hot_time 2"));
  EXPECT_THAT(metrics, Contains("device_cycles 12"));
  EXPECT_THAT(metrics, Contains("kernel_launches 1"));
  ASSERT_EQ(result.labels.size(), 1U);
  EXPECT_EQ(result.labels.begin()->second,
            "target: 0.61 of bandwidth; kernels: made_up_kernel<float, 4>, other; stopped: the noise has settled");
}

TEST_F(DeviceProgramTest, StdoutGetsATableOrTheJson) {
  const bench::ChildResult table = run({"--benchmark_filter=kind:(good|lacking)$"});
  EXPECT_THAT(table.output, HasSubstr("101 us"));
  EXPECT_THAT(table.output, HasSubstr("f8 needs compute capability 8.9"));
  const bench::ChildResult json = run({"--benchmark_filter=kind:good$", "--benchmark_format=json"});
  EXPECT_TRUE(bench::parse_google_benchmark(json.output, "stdout"));
}

TEST_F(DeviceProgramTest, ProfilesInPlaceOfMeasuring) {
  const bench::ChildResult child = run(
      {"--benchmark_filter=good|fine", "--steelyard_profile=it.spans", "--steelyard_profile_iterations=20", to_file()});
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(child.output, "2 cases, 20 iterations, into it.spans\n");
  EXPECT_FALSE(std::filesystem::exists(out_)) << "nothing is measured";
  EXPECT_EQ(run({"--steelyard_profile="}).exit_code, 3);
}

TEST_F(DeviceProgramTest, AnOptionThatIsNoneIsRefused) {
  const bench::ChildResult child = run({"--benchmark_fliter=x"});
  EXPECT_EQ(child.exit_code, kBadInput);
  EXPECT_THAT(child.error_output, HasSubstr("--benchmark_fliter"));
}

TEST_F(DeviceProgramTest, AResultThatCannotBeWrittenIsAnErrorBeforeAnythingIsMeasured) {
  for (const std::string place : {"/no/such/folder/out.json", "/tmp"}) {
    const bench::ChildResult child = run({"--benchmark_filter=kind:good$", "--benchmark_out=" + place});
    EXPECT_EQ(child.exit_code, kNotWritten) << place;
    EXPECT_THAT(child.error_output, HasSubstr(place));
    EXPECT_EQ(child.output, "") << "nobody waits for rows that are lost";
  }
}

}  // namespace
}  // namespace steelyard::cuda::device_program_test
