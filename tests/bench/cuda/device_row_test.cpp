#include "bench/cuda/device_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/model/run.hpp"

namespace steelyard::cuda::device_row_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

DeviceRow row_of_two() {
  DeviceRow row;
  row.name = "add/n:4";
  row.cost = {Flops(2000), Bytes(3000), Bytes(1000)};
  row.samples.cold = {{microseconds(1), 1e9}, {microseconds(2), 0}};
  row.samples.hot = {nanoseconds(500)};
  row.samples.discarded = 3;
  row.samples.is_steady = true;
  row.cold_start = milliseconds(5);
  row.kernel_launches = 2;
  row.device_memory = Bytes(4096);
  return row;
}

TEST(DeviceRow, RatesAndCyclesAreOfTheirOwnSample) {
  const auto records = records_of(row_of_two());
  ASSERT_EQ(records.size(), 2U);
  const json first = json::parse(records[0]);
  EXPECT_DOUBLE_EQ(first["real_time"].get<double>(), 1000);
  EXPECT_DOUBLE_EQ(first["flops"].get<double>(), 2e9);
  EXPECT_DOUBLE_EQ(first["bandwidth"].get<double>(), 4e9);
  EXPECT_DOUBLE_EQ(first["device_cycles"].get<double>(), 1000);
  const json second = json::parse(records[1]);
  EXPECT_DOUBLE_EQ(second["flops"].get<double>(), 1e9);
  EXPECT_FALSE(second.contains("device_cycles")) << "a clock that is not known is not 0";
  EXPECT_FALSE(second.contains("sm_clock"));
}

TEST(DeviceRow, WhatThereIsOnceStandsInTheFirstRecordAlone) {
  const auto records = records_of(row_of_two());
  const json first = json::parse(records[0]);
  EXPECT_DOUBLE_EQ(first["cold_start"].get<double>(), 5e6);
  EXPECT_EQ(first["kernel_launches"].get<int>(), 2);
  EXPECT_EQ(first["device_memory"].get<int>(), 4096);
  EXPECT_EQ(first["discarded_samples"].get<int>(), 3);
  EXPECT_DOUBLE_EQ(first["hot_time"].get<double>(), 500);
  for (const char* key : {"cold_start", "kernel_launches", "hot_time", "label"}) {
    EXPECT_FALSE(json::parse(records[1]).contains(key)) << key;
  }
}

TEST(DeviceRow, WorkThatIsNoneHasNoRate) {
  DeviceRow row = row_of_two();
  row.cost = {};
  const json record = json::parse(records_of(row)[0]);
  EXPECT_FALSE(record.contains("flops"));
  EXPECT_FALSE(record.contains("bandwidth"));
}

// 200 tokens by 205 replays, in one second and in two.
DeviceRow row_of_replays() {
  DeviceRow row;
  row.name = "decoding/llama";
  row.cost = {Flops(2'000'000), Bytes(3'000'000), Bytes(1'000'000)};
  row.tokens = 200;
  row.replays = 205;
  row.samples.cold = {{seconds(1), 0}, {seconds(2), 0}};
  row.set_up = milliseconds(7);
  return row;
}

TEST(DeviceRow, ATokenRateIsOfItsOwnSample) {
  const auto records = records_of(row_of_replays());
  EXPECT_DOUBLE_EQ(json::parse(records[0])["tokens_per_second"].get<double>(), 200);
  EXPECT_DOUBLE_EQ(json::parse(records[1])["tokens_per_second"].get<double>(), 100);
  EXPECT_DOUBLE_EQ(json::parse(records[1])["bandwidth"].get<double>(), 2e6) << "of the whole iteration";
  EXPECT_FALSE(json::parse(records_of(row_of_two())[0]).contains("tokens_per_second"));
}

TEST(DeviceRow, WhatIsReplayedSaysHowOftenAndWhatItsGraphTook) {
  const auto records = records_of(row_of_replays());
  EXPECT_DOUBLE_EQ(json::parse(records[0])["set_up"].get<double>(), 7e6);
  EXPECT_EQ(json::parse(records[0])["replays"].get<int>(), 205);
  const std::string plain = records_of(row_of_two())[0];
  for (const char* key : {"set_up", "replays"}) {
    EXPECT_FALSE(json::parse(records[1]).contains(key)) << key;
    EXPECT_FALSE(json::parse(plain).contains(key)) << key;
  }
  for (const std::string& record : records) EXPECT_FALSE(json::parse(record).contains("hot_time"));
}

// 134 MB in and out, as of 4096 x 16384 values of 16 bits, on a cache of 50 MiB; three samples, hot a tenth slower.
DeviceRow row_of_a_normalization() {
  DeviceRow row;
  row.cost = {Flops(470'000'000), Bytes(134'000'000), Bytes(134'000'000)};
  row.samples.cold = {{microseconds(90), 0}, {microseconds(91), 0}, {microseconds(92), 0}};
  row.samples.hot = {microseconds(100), microseconds(101)};
  return row;
}
constexpr TimingConditions kConditions{.l2 = Bytes(50 << 20), .launch_floor = microseconds(2), .input_sets = 2};

DeviceRow chosen(DeviceRow row, const TimingConditions& conditions = kConditions) {
  choose_rate_times(conditions, row);
  return row;
}

TEST(RateTimes, AreHotWhereResultsAreInTheCacheWhenAColdSampleEnds) {
  const DeviceRow row = chosen(row_of_a_normalization());
  EXPECT_EQ(row.rates, RateTimes::hot);
  EXPECT_THAT(label_of(row), HasSubstr("rates: of hot times"));
  EXPECT_THAT(label_of(row), HasSubstr("results are in the cache when a cold sample ends"));
  const auto records = records_of(row);
  EXPECT_DOUBLE_EQ(json::parse(records[0])["bandwidth"].get<double>(), 268e6 / 100e-6);
  EXPECT_DOUBLE_EQ(json::parse(records[1])["bandwidth"].get<double>(), 268e6 / 101e-6);
  EXPECT_FALSE(json::parse(records[2]).contains("bandwidth")) << "there were two hot batches";
  EXPECT_DOUBLE_EQ(json::parse(records[0])["real_time"].get<double>(), 90e3)
      << "what builds are compared by stays cold";
  EXPECT_EQ(median_rate_time(row), microseconds(101));
}

TEST(RateTimes, AreColdWhereTheCacheKeepsLittleOfWhatIsWrittenOrMoved) {
  DeviceRow large = row_of_a_normalization();
  large.cost.written = Bytes(8LL * (50 << 20));
  EXPECT_EQ(chosen(large).rates, RateTimes::cold);
  large.cost.written = Bytes(8LL * (50 << 20) - 1);
  EXPECT_EQ(chosen(large).rates, RateTimes::hot);
  DeviceRow reads = row_of_a_normalization();
  reads.cost.written = Bytes(32'768);  // a product with a vector
  EXPECT_EQ(chosen(reads).rates, RateTimes::cold);
  DeviceRow arithmetic = row_of_a_normalization();
  arithmetic.cost.flops = Flops(16LL * 268'000'000);
  EXPECT_EQ(chosen(arithmetic).rates, RateTimes::cold) << "memory does not bound it";
  EXPECT_THAT(label_of(chosen(arithmetic)), Not(HasSubstr("rates")));
}

TEST(RateTimes, AreColdWhereAHotBatchWouldFindItsInputsInTheCache) {
  DeviceRow row = row_of_a_normalization();
  row.cost.read = row.cost.written = Bytes(30 << 20);
  EXPECT_EQ(chosen(row, {.l2 = Bytes(50 << 20), .launch_floor = {}, .input_sets = 3}).rates, RateTimes::cold);
  EXPECT_EQ(chosen(row, {.l2 = Bytes(50 << 20), .launch_floor = {}, .input_sets = 4}).rates, RateTimes::hot);
  // The label says what is wrong with them all the same.
  EXPECT_THAT(label_of(chosen(row, {.l2 = Bytes(50 << 20), .launch_floor = {}, .input_sets = 1})),
              HasSubstr("results are in the cache"));
}

TEST(RateTimes, AreHotOfWhatTakesLessThanFiveLaunchesOfNothing) {
  DeviceRow row = row_of_a_normalization();
  row.cost.written = Bytes(2048);
  row.samples.cold = {{microseconds(9.9), 0}};
  row.samples.hot = {microseconds(8)};
  EXPECT_EQ(chosen(row).rates, RateTimes::hot);
  EXPECT_THAT(label_of(chosen(row)), HasSubstr("a launch of nothing takes 2.00 us"));
  row.samples.cold = {{microseconds(10), 0}};
  EXPECT_EQ(chosen(row).rates, RateTimes::cold);
  EXPECT_EQ(chosen(row, {.l2 = Bytes(50 << 20), .launch_floor = {}, .input_sets = 1}).rates, RateTimes::cold);
}

TEST(RateTimes, AreColdWhereNoHotBatchWasTakenOrTheCacheIsUnknown) {
  DeviceRow row = row_of_a_normalization();
  row.samples.hot.clear();
  EXPECT_EQ(chosen(row).rates, RateTimes::cold);
  EXPECT_EQ(chosen(row_of_a_normalization(), {}).rates, RateTimes::cold);
  DeviceRow empty;
  choose_rate_times(kConditions, empty);
  EXPECT_EQ(median_rate_time(empty), Nanoseconds());
}

TEST(RateTimes, AreColdOfWhatIsReplayed) {
  DeviceRow row = row_of_a_normalization();  // which alone would have hot ones
  row.replays = 205;
  const DeviceRow replayed = chosen(row);
  EXPECT_EQ(replayed.rates, RateTimes::cold);
  EXPECT_TRUE(replayed.notes.empty());
}

TEST(LibraryKernels, AreToldWhereThereAreMoreThanWereAskedFor) {
  EXPECT_EQ(library_kernels_note(0, 12, {"a"}), "");
  EXPECT_EQ(library_kernels_note(8, 8, {"a"}), "");
  EXPECT_EQ(library_kernels_note(8, 12, {"gemm", "void cublasLt::epilogue::impl::globalKernel<8>"}),
            "the library launched 12 kernels where 8 were asked for: void cublasLt::epilogue::impl::globalKernel<8>");
  EXPECT_EQ(library_kernels_note(1, 2, {"cublasLt::splitKreduce_kernel<32>", "gemm"}),
            "the library launched 2 kernels where 1 were asked for: cublasLt::splitKreduce_kernel<32>");
}

TEST(DeviceRow, AFailedRowIsOneRecordWithItsReason) {
  const auto records = records_of(row_without_samples("add", RowEnd::failed, "out of \"memory\"\n"));
  ASSERT_EQ(records.size(), 1U);
  const json record = json::parse(records[0]);
  EXPECT_TRUE(record["error_occurred"].get<bool>());
  EXPECT_EQ(record["error_message"].get<std::string>(), std::string(kBrokenBenchmark) + "out of \"memory\"\n");
  EXPECT_FALSE(record.contains("real_time"));
}

TEST(DeviceRow, WhatYieldedNothingKeepsItsTarget) {
  DeviceRow failed = row_without_samples("add", RowEnd::failed, "out of memory");
  failed.target = "0.6 of bandwidth";
  EXPECT_EQ(json::parse(records_of(failed)[0])["label"].get<std::string>(), "target: 0.6 of bandwidth");
  DeviceRow empty = row_of_two();
  empty.samples.cold.clear();
  ASSERT_EQ(records_of(empty).size(), 1U) << "a row without samples is not forgotten";
  EXPECT_TRUE(json::parse(records_of(empty)[0])["error_occurred"].get<bool>());
}

TEST(DeviceRow, ASeparatorWithinAPartOfTheLabelIsNone) {
  DeviceRow row = row_of_two();
  row.notes = {"one; two"};
  EXPECT_EQ(label_of(row), "stopped: the time was up; note: one, two");
}

TEST(JsonText, NumbersReadBackToThemselves) {
  for (const double value : {0.0, 1.0 / 3, 1e300, 5e-324, 123456789012345678.0, -2.5}) {
    EXPECT_EQ(json::parse(json_number(value)).get<double>(), value);
  }
}

}  // namespace
}  // namespace steelyard::cuda::device_row_test
