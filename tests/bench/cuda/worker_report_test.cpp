#include "bench/cuda/supervise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::cuda::worker_report_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

DeviceRow row_of(const std::string& name) {
  DeviceRow row;
  row.name = name;
  row.cost = {Flops(4000), Bytes(1000), Bytes(1000)};
  row.samples.cold = {{nanoseconds(300), 0}, {nanoseconds(100), 0}, {nanoseconds(200), 0}};
  row.samples.hot = {nanoseconds(60), nanoseconds(80)};
  return row;
}

TEST(WorkerReport, ASummaryHoldsMediansAndRatesAtTheColdOne) {
  const RowSummary summary = summary_of(row_of("add"));
  EXPECT_EQ(summary.cold_ns, 200);
  EXPECT_EQ(summary.hot_ns, 70);
  EXPECT_DOUBLE_EQ(summary.flops, 2e10);
  EXPECT_DOUBLE_EQ(summary.bandwidth, 1e10);
  EXPECT_EQ(summary.samples, 3);
}

TEST(WorkerReport, ASummaryOfWhatMakesTokensHasTheirRate) {
  DeviceRow row = row_of("decoding");
  EXPECT_EQ(summary_of(row).tokens, 0);
  row.tokens = 200;
  EXPECT_DOUBLE_EQ(summary_of(row).tokens, 1e9);
}

TEST(WorkerReport, WhatIsWrittenIsReadAgainByteForByte) {
  DeviceRow made = row_of("add/n:4");
  made.tokens = 3;
  const FinishedRow row = finished(made);
  const std::string text = fact_lines({{"gpu.device", "a\tb"}}) + begin_line("add/n:4") + row_lines(row);
  WorkerReport report;
  for (const char c : text) report.add(std::string_view(&c, 1));
  EXPECT_THAT(report.facts(), ElementsAre(Pair("gpu.device", "a b")));
  ASSERT_EQ(report.rows().size(), 1U);
  EXPECT_EQ(report.rows()[0].summary, row.summary);
  EXPECT_EQ(report.rows()[0].records, row.records);
  EXPECT_EQ(report.begun(), std::nullopt);
}

TEST(WorkerReport, WhereNoHotSampleWasTakenThereIsNoHotTime) {
  DeviceRow row = row_of("replayed");
  row.samples.hot.clear();
  WorkerReport report;
  report.add(begin_line("replayed") + row_lines(finished(row)));
  ASSERT_EQ(report.rows().size(), 1U);
  EXPECT_EQ(report.rows()[0].summary.cold_ns, 200);
  EXPECT_EQ(report.rows()[0].summary.hot_ns, std::nullopt);
}

TEST(WorkerReport, ARowWithoutItsEndDidNotHappen) {
  const std::string whole = row_lines(finished(row_of("add")));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    WorkerReport report;
    report.add(begin_line("add"));
    report.add(whole.substr(0, size));
    EXPECT_THAT(report.rows(), IsEmpty()) << size;
    EXPECT_EQ(report.begun(), "add") << size;
  }
}

TEST(WorkerReport, LinesThatAreNoneAreLeftOut) {
  WorkerReport report;
  report.add(
      "\n\t\t\nrow\tadd\nfact\tonly\nend\tadd\nrecord\t{}"
      "\nbegin\tadd\nrow\tadd\tmeasured\tx\t0\t0\t0\t0\t1\t\nend\tadd\n");
  EXPECT_THAT(report.rows(), IsEmpty());
  EXPECT_THAT(report.facts(), IsEmpty());
  EXPECT_EQ(report.begun(), "add");
}

TEST(WorkerReport, AFaultIsTheWorkersOwnSentence) {
  WorkerReport report;
  report.add(fault_line("no driver\nat all"));
  EXPECT_EQ(report.fault(), "no driver at all");
}

}  // namespace
}  // namespace steelyard::cuda::worker_report_test
