#include "bench/runner/measured_side.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/environment/gpu_facts.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::side_record_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string result_of(const std::string& name, const std::string& real_time) {
  return R"({"context": {"date": "2026-01-02T03:04:05+00:00", "num_cpus": 2, "library_build_type": "release"},
"benchmarks": [{"name": ")" +
         name + R"(", "run_name": ")" + name + R"(", "run_type": "iteration", "repetitions": 2,
"repetition_index": 0, "threads": 1, "iterations": 10, "real_time": )" +
         real_time + R"(, "cpu_time": 2.0, "time_unit": "us", "label": "said at )" + real_time + R"("}]})";
}

class SideRecordTest : public ::testing::Test {
 protected:
  void add(int round, const std::string& output, const ChildResult& child = {}) {
    const auto file = folder_.write("out.json", output, false);
    record_.add({listed_benchmark("BM_x/8", "cpu"), round, 1}, child,
                [&](const ChildResult& ended) { return read_result(ended, file); });
  }
  void add_failing(int round, ChildEnd end) {
    ChildResult child;
    child.end = end;
    child.signal = end == ChildEnd::signalled ? 11 : 0;
    child.error_output = "last words\n";
    child.timeout = seconds(1);
    add(round, "", child);
  }

  testkit::TemporaryFolder folder_;
  SideRecord record_;
};

TEST_F(SideRecordTest, GroupsSamplesByInvocation) {
  ChildResult child;
  child.core = 3;
  child.started_at_unix_ns = 5;
  child.duration_ns = 7;
  add(0, result_of("BM_x/8", "1.5"), child);
  add(1, result_of("BM_x/8", "2.5"), child);
  const steelyard::Run run = record_.take();
  ASSERT_EQ(run.invocations.size(), 2U);
  EXPECT_EQ(run.invocations[1], (Invocation{1, 1, 3, 5, 7}));
  ASSERT_EQ(run.measurements.size(), 2U);
  const Measurement& real_time = run.measurements[0];
  EXPECT_EQ(real_time.benchmark.canonical(), "BM_x/8 [suite=cpu]");
  EXPECT_EQ(real_time.metric.name, kRealTime);
  ASSERT_EQ(real_time.invocations.size(), 2U);
  EXPECT_EQ(real_time.invocations[1].invocation, 1U);
  EXPECT_THAT(real_time.invocations[1].values, ElementsAre(2500.0));
  EXPECT_TRUE(run.failures.empty());
  EXPECT_THAT(run.labels, ElementsAre(::testing::Pair("BM_x/8 [suite=cpu]", "said at 1.5")));
}

TEST_F(SideRecordTest, KeepsWhatTheProgramSaysOfItselfAndLetsNoneOfItDecide) {
  add(0, result_of("BM_x/8", "1.5"));
  const steelyard::Run run = record_.take();
  ASSERT_NE(run.environment.find("google.library_build_type"), nullptr);
  EXPECT_EQ(*run.environment.find("google.library_build_type"), "release");
  EXPECT_EQ(run.environment.find("google.num_cpus"), nullptr);
  EXPECT_EQ(run.environment.fingerprint(), "");
}

TEST_F(SideRecordTest, TurnsACrashIntoAFailureWithTheLastWords) {
  add_failing(4, ChildEnd::signalled);
  const steelyard::Run run = record_.take();
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.failures[0].benchmark.canonical(), "BM_x/8 [suite=cpu]");
  EXPECT_EQ(run.failures[0].round, 4);
  EXPECT_EQ(run.failures[0].said,
            "was ended by signal 11 (Segmentation fault); its last line of stderr: \"last words\"");
  EXPECT_TRUE(run.invocations.empty());
}

TEST_F(SideRecordTest, TurnsAMissingACutAndAForeignOutputIntoFailures) {
  record_.add({listed_benchmark("BM_x/8", "cpu"), 0, 0}, ChildResult{},
              [&](const ChildResult& ended) { return read_result(ended, folder_.path() / "missing"); });
  const std::string whole = result_of("BM_x/8", "1.5");
  add(1, whole.substr(0, whole.size() / 2));
  add(2, "[1, 2");
  add(3, result_of("BM_y", "1.5"));
  const steelyard::Run run = record_.take();
  ASSERT_EQ(run.failures.size(), 4U);
  EXPECT_THAT(run.failures[0].said, HasSubstr("no result file"));
  EXPECT_THAT(run.failures[1].said, HasSubstr("its output"));
  EXPECT_THAT(run.failures[2].said, HasSubstr("its output"));
  EXPECT_EQ(run.failures[3].said, "its output holds no result of this benchmark");
  EXPECT_TRUE(run.measurements.empty());
}

TEST_F(SideRecordTest, TurnsABadNumberIntoAFailure) {
  add(0, result_of("BM_x/8", "NaN"));
  const steelyard::Run run = record_.take();
  ASSERT_FALSE(run.failures.empty());
  EXPECT_THAT(run.failures[0].said, HasSubstr("real_time"));
}

TEST_F(SideRecordTest, HasNotFailedAndIsTriedOnWhereTheOtherSideCouldNotBePrepared) {
  for (int round = 0; round < 4; ++round) add_failing(round, ChildEnd::not_run);
  EXPECT_FALSE(record_.has_given_up("BM_x/8"));
  const steelyard::Run run = record_.take();
  ASSERT_EQ(run.failures.size(), 4U);
  for (const Failure& failure : run.failures) EXPECT_EQ(failure.kind, FailureKind::not_reached);
}

TEST_F(SideRecordTest, KeepsASkipAsOneWithItsWordsAlone) {
  ChildResult child;
  child.error_output = "last words\n";
  add(0, R"({"context": {}, "benchmarks": [{"name": "BM_x/8", "run_name": "BM_x/8", "run_type": "iteration",
            "skipped": true, "skip_message": "no AVX10 here"}]})",
      child);
  add(1, R"({"context": {}, "benchmarks": [{"name": "BM_x/8", "run_name": "BM_x/8", "run_type": "iteration",
            "error_occurred": true, "error_message": "no AVX10 here"}]})",
      child);
  const steelyard::Run run = record_.take();
  ASSERT_EQ(run.failures.size(), 2U);
  EXPECT_EQ(run.failures[0].kind, FailureKind::skipped);
  EXPECT_EQ(run.failures[0].said, "no AVX10 here");
  EXPECT_EQ(run.failures[1].kind, FailureKind::reported_error);
}

TEST_F(SideRecordTest, GivesUpAfterThreeFailuresAndNoSooner) {
  add_failing(0, ChildEnd::signalled);
  add(1, result_of("BM_x/8", "1.5"));
  add_failing(2, ChildEnd::signalled);
  EXPECT_FALSE(record_.has_given_up("BM_x/8"));
  add_failing(3, ChildEnd::signalled);
  EXPECT_TRUE(record_.has_given_up("BM_x/8"));
  EXPECT_FALSE(record_.has_given_up("BM_y"));
  EXPECT_EQ(record_.take().invocations.size(), 1U);
}

TEST_F(SideRecordTest, GivesUpAfterTwoTimeOuts) {
  add_failing(0, ChildEnd::timed_out);
  EXPECT_FALSE(record_.has_given_up("BM_x/8"));
  add_failing(1, ChildEnd::timed_out);
  EXPECT_TRUE(record_.has_given_up("BM_x/8"));
}

TEST_F(SideRecordTest, ForgetsACancelledProcess) {
  add_failing(0, ChildEnd::cancelled);
  EXPECT_TRUE(record_.take().failures.empty());
}

std::string on_device(const std::string& uuid) {
  std::string text = result_of("BM_x/8", "1.5");
  const std::string context = "\"context\": {";
  text.insert(text.find(context) + context.size(),
              "\"gpu.device\": \"NVIDIA H200\", \"gpu.uuid\": \"" + uuid + "\", \"gpu.cublas\": \"13\", ");
  return text;
}

TEST_F(SideRecordTest, WhatRanOnADeviceBearsItsNameFailuresToo) {
  add_failing(0, ChildEnd::signalled);
  add(1, on_device("GPU-1"));
  EXPECT_EQ(record_.device(), "NVIDIA H200");
  const steelyard::Run run = record_.take();
  ASSERT_EQ(run.measurements.size(), 2U);
  EXPECT_EQ(run.measurements[0].benchmark.canonical(), "BM_x/8 [suite=cpu,device=NVIDIA H200]");
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.failures[0].benchmark, run.measurements[0].benchmark);
  EXPECT_THAT(run.labels, ElementsAre(::testing::Pair("BM_x/8 [suite=cpu,device=NVIDIA H200]", "said at 1.5")));
  for (const Fact& fact : run.environment.facts) EXPECT_EQ(fact.decisive, is_decisive_gpu_fact(fact.name)) << fact.name;
}

TEST_F(SideRecordTest, AnotherDeviceInBetweenIsAFailure) {
  add(0, on_device("GPU-1"));
  add(1, on_device("GPU-2"));
  const steelyard::Run run = record_.take();
  EXPECT_EQ(run.invocations.size(), 1U);
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_THAT(run.failures[0].said, HasSubstr("gpu.uuid is GPU-2, was GPU-1"));
}

TEST_F(SideRecordTest, ASideThatYieldedNothingIsToldTheOthersDevice) {
  add_failing(0, ChildEnd::signalled);
  record_.assume_device("NVIDIA H200");
  record_.assume_device("another");
  EXPECT_EQ(record_.so_far().failures.at(0).benchmark.device, "NVIDIA H200");
  EXPECT_EQ(record_.take().failures.at(0).benchmark.device, "NVIDIA H200");
}

TEST_F(SideRecordTest, KnowsHowLongEachSampleOfWhatCountsLasted) {
  const std::string record = result_of("BM_x/8", "1.5");
  const std::size_t begin = record.find("[{") + 1;
  const std::string one = record.substr(begin, record.rfind(']') - begin);
  std::string two = one;
  two.replace(two.find("1.5"), 3, "0.5");
  add(0, record.substr(0, begin) + one + ", " + two + ", " + one + ", " + one + "]}");
  add(1, record);
  const auto benchmark = listed_benchmark("BM_x/8", "cpu");
  ASSERT_EQ(record_.searched(benchmark, 2).size(), 2U);
  EXPECT_EQ(record_.searched(benchmark, 2)[0].iterations, 10);
  EXPECT_EQ(record_.searched(benchmark, 4)[0].shortest, microseconds(5));
  EXPECT_EQ(record_.searched(benchmark, 2)[0].shortest, microseconds(20)) << "two records a sample";
  EXPECT_EQ(record_.searched(benchmark, 3)[0].shortest, microseconds(50)) << "which are whose is not known";
  EXPECT_EQ(record_.searched(benchmark, 1)[1].round, 1);
  record_.exclude(0);
  ASSERT_EQ(record_.searched(benchmark, 4).size(), 1U);
}

TEST_F(SideRecordTest, SaysWhichBenchmarksLeftProcessesBehind) {
  const auto one = listed_benchmark("BM_x/8", "cpu");
  const auto other = listed_benchmark("BM_y", "cpu");
  ChildResult child;
  record_.note_left({one}, child);
  EXPECT_FALSE(record_.left_processes().any());
  child.left_ended = 8;
  record_.note_left({one}, child);
  record_.note_left({one}, child);
  child.left_running = 1;
  record_.note_left({one, other}, child);
  child.end = ChildEnd::cancelled;
  record_.note_left({other}, child);
  LeftProcesses left;
  left.benchmarks["BM_x/8 [suite=cpu]"] = {16, 0};
  left.benchmarks[""] = {8, 1};
  EXPECT_EQ(record_.left_processes(), left) << "of a process that measured both it is not known which";
}

}  // namespace
}  // namespace steelyard::bench::side_record_test
