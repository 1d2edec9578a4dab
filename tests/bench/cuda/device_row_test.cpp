#include "bench/cuda/device_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/model/run.hpp"

namespace steelyard::cuda {
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

TEST(JsonText, WhatIsNoTextIsEscapedOrReplaced) {
  EXPECT_EQ(json_text("a\"b\\c\td"), "\"a\\\"b\\\\c\\u0009d\"");
  EXPECT_EQ(json_text("\xC3\xA9"), "\"\xC3\xA9\"");
  for (const char* broken : {"\xC3", "\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "a\xE2\x82"}) {
    EXPECT_THAT(json_text(broken), HasSubstr("\\ufffd")) << broken;
    EXPECT_TRUE(json::accept(json_text(broken)));
  }
}

TEST(JsonText, NumbersReadBackToThemselves) {
  for (const double value : {0.0, 1.0 / 3, 1e300, 5e-324, 123456789012345678.0, -2.5}) {
    EXPECT_EQ(json::parse(json_number(value)).get<double>(), value);
  }
}

}  // namespace
}  // namespace steelyard::cuda
