#include "bench/counting/counters/heap_count.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "bench/counting/benchmark_count.hpp"
#include "tests/bench/counting/counting_fixture.hpp"

namespace steelyard::bench::heap_count_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string bytes_of(const HeapRecord& record) { return {reinterpret_cast<const char*>(&record), sizeof record}; }

HeapCollection collection(std::int64_t iterations, std::uint64_t allocations, std::uint64_t bytes, std::uint64_t peak) {
  HeapCollection made;
  made.record = {kHeapRecordMark, 1, allocations, bytes, 0, peak, 0, 1};
  made.iterations = iterations;
  return made;
}

TEST(HeapRecord, ReadsBackAndRefusesWhatIsNone) {
  const HeapRecord record{kHeapRecordMark, 1, 2, 3, 4, 5, 0, 1};
  const auto read = parse_heap_record(bytes_of(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bytes, 3U);
  EXPECT_EQ(parse_heap_record(""), std::nullopt);
  EXPECT_EQ(parse_heap_record(bytes_of(record) + "x"), std::nullopt);
  EXPECT_EQ(parse_heap_record(bytes_of({1, 1, 2, 3, 4, 5, 0, 1})), std::nullopt) << "another mark";
  EXPECT_EQ(parse_heap_record(bytes_of({kHeapRecordMark, 1, 2, 3, 6, 5, 0, 1})), std::nullopt)
      << "lives above its peak";
}

TEST(HeapPair, WhatHappensOnceCancelsAndThePeakIsThatOfTheSmaller) {
  HeapCount count;
  ASSERT_TRUE(add_pair(collection(10, 23, 1300, 90), collection(20, 43, 2300, 90), count));
  EXPECT_THAT(count.allocations, ElementsAre(2));
  EXPECT_THAT(count.bytes, ElementsAre(100));
  EXPECT_THAT(count.peak_bytes, ElementsAre(90));
  EXPECT_FALSE(count.keeps_memory);
  ASSERT_TRUE(add_pair(collection(10, 23, 1300, 90), collection(20, 43, 2300, 190), count));
  EXPECT_TRUE(count.keeps_memory);
  EXPECT_EQ(count.iterations, 10);
}

TEST(HeapPair, FewerAtTwiceTheIterationsIsAnErrorAndNoCount) {
  HeapCount count;
  EXPECT_FALSE(add_pair(collection(10, 23, 1300, 90), collection(20, 22, 2300, 90), count));
  EXPECT_FALSE(add_pair(collection(10, 23, 1300, 90), collection(10, 23, 1300, 90), count));
  EXPECT_TRUE(count.allocations.empty());
}

class Heap : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto missing = counting_unavailable({});
    STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
    STEELYARD_SKIP_WITHOUT("benchmark", std::filesystem::exists(beside_this("counters_allocating")),
                           "Google Benchmark is not installed");
  }
};

CountedRun heap_of(const std::string& program, const std::vector<std::string>& benchmarks) {
  CountOptions options;
  options.counters.heap = true;
  return counted(program_of(program), benchmarks, options);
}

// Of the metric: the value, or -1 where there is none; -2 where repeats differ.
double value(const CountedRun& run, const std::string& benchmark, const std::string& metric) {
  for (const Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() != canonical(benchmark) || measurement.metric.name != metric) continue;
    const std::vector<double>& values = measurement.invocations.front().values;
    return std::count(values.begin(), values.end(), values.front()) == static_cast<long>(values.size()) ? values.front()
                                                                                                        : -2;
  }
  return -1;
}

std::vector<double> heap_values(const CountedRun& run, const std::string& benchmark) {
  return {value(run, benchmark, "heap_allocations"), value(run, benchmark, "heap_bytes"),
          value(run, benchmark, "heap_peak_bytes")};
}

std::string heap_failure(const CountedRun& run, const std::string& benchmark) {
  for (const Failure& failure : run.failures) {
    if (failure.benchmark.canonical() == canonical(benchmark) && failure.metric == "heap_allocations") {
      return failure.said;
    }
  }
  return "";
}

TEST_F(Heap, CountsEveryWayToAllocateInTheTimedLoopAndNothingElse) {
  const CountedRun run = heap_of("counters_allocating", {"one_new", "every_way", "around_the_loop", "nothing"});
  EXPECT_THAT(heap_values(run, "one_new"), ElementsAre(1, 100, 100));
  EXPECT_THAT(heap_values(run, "every_way"), ElementsAre(7, 501, 491));
  EXPECT_THAT(heap_values(run, "around_the_loop"), ElementsAre(1, 8, 8));
  EXPECT_THAT(heap_values(run, "nothing"), ElementsAre(0, 0, 0));
  for (const Measurement& measurement : run.measurements) {
    EXPECT_EQ(measurement.count_basis.jitter, 0) << measurement.metric.name;
    EXPECT_EQ(measurement.metric.name == kInstructions, gates_by_default(measurement.metric));
  }
}

TEST_F(Heap, ALibraryOfCxxInsideTheProgramMakesNoDifference) {
  const CountedRun run = heap_of("counters_allocating_static", {"one_new", "every_way"});
  EXPECT_THAT(heap_values(run, "one_new"), ElementsAre(1, 100, 100));
  EXPECT_THAT(heap_values(run, "every_way"), ElementsAre(7, 501, 491));
}

TEST_F(Heap, MemoryThatIsKeptIsSaidAndCountsInThePeak) {
  const CountedRun run = heap_of("counters_allocating", {"keeps"});
  EXPECT_EQ(value(run, "keeps", "heap_allocations"), 1);
  EXPECT_GE(value(run, "keeps", "heap_peak_bytes"), 160);
  const std::string* fact = run.environment.find("count.keeps_memory");
  ASSERT_NE(fact, nullptr);
  EXPECT_THAT(*fact, HasSubstr("keeps"));
}

TEST_F(Heap, ThreadsAreCountedTogetherAndTheirJitterIsLearned) {
  const CountedRun run = heap_of("counters_allocating", {"in_threads/threads:2"});
  EXPECT_EQ(value(run, "in_threads/threads:2", "heap_allocations"), 1);
  EXPECT_EQ(value(run, "in_threads/threads:2", "heap_bytes"), 100);
  EXPECT_GE(run.measurements.back().count_basis.jitter.value_or(0), kMinLearnedJitter);
}

TEST_F(Heap, AnAllocatorInsideTheProgramIsAFailureInWordsThatLeavesTheInstructions) {
  const CountedRun run = heap_of("counters_allocating_itself", {"one_new"});
  EXPECT_GT(value(run, "one_new", "instructions"), 0);
  EXPECT_THAT(heap_failure(run, "one_new"), HasSubstr("a malloc of its own inside"));
}

}  // namespace
}  // namespace steelyard::bench::heap_count_test
