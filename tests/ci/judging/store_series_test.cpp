#include "ci/judging/stored_series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace steelyard::ci::store_series_test {
namespace {

using testing::ElementsAre;

storage::HistorySeries stored(const std::string& benchmark, const std::string& fingerprint,
                              std::vector<storage::HistoryPoint> points) {
  return {benchmark, *well_known_metric(kRealTime), fingerprint, std::move(points), "shop"};
}

storage::HistoryPoint point(const std::string& run, const std::string& commit, double value) {
  storage::HistoryPoint one;
  one.run = run;
  one.commit = commit;
  one.value = value;
  return one;
}

TEST(StoreSeries, RunsOfOneCommitOnOneMachineAreOnePoint) {
  const StoreSeries all = series_of_store(
      {stored("BM", "m",
              {point("r1", "a", 1), point("r2", "b", 2), point("r3", "b", 3), point("r4", "", 4), point("r5", "", 5)})},
      5);
  ASSERT_EQ(all.series.size(), 1U);
  EXPECT_THAT(all.projects, ElementsAre("shop"));
  EXPECT_THAT(all.is_cut, ElementsAre(true)) << "as many as were asked for: there may be older ones";
  const Series& series = all.series.front();
  ASSERT_EQ(series.points.size(), 4U);
  EXPECT_THAT(series.points[1].values, ElementsAre(2, 3));
  EXPECT_EQ(series.points[1].run, "r3");
  EXPECT_EQ(series.points[1].machine, "m");
  EXPECT_THAT(series.points[3].values, ElementsAre(5)) << "without a commit each run stands for itself";
}

TEST(StoreSeries, WhatWasCutTogetherWithOtherBranchesIsCutByItself) {
  std::vector<storage::HistorySeries> all{stored("BM", "m", {point("r1", "a", 1), point("r2", "b", 2)}),
                                          stored("BM_other", "m", {point("r3", "a", 3)})};
  all[0].points[0].branch = "main";
  EXPECT_THAT(series_of_store(of_branch("", all), 2, all).is_cut, ElementsAre(true, false));
}

TEST(StoreSeries, MachinesOfOneBenchmarkAreOneSeriesAndOthersAreNot) {
  const StoreSeries all =
      series_of_store({stored("BM", "m1", {point("r1", "a", 1)}), stored("BM", "m2", {point("r2", "a", 2)}),
                       stored("BM_other", "m1", {point("r3", "a", 3), point("r4", "b", NAN)})},
                      5);
  ASSERT_EQ(all.series.size(), 2U);
  ASSERT_EQ(all.series[0].points.size(), 2U);
  EXPECT_EQ(all.series[0].points[1].machine, "m2");
  EXPECT_THAT(all.is_cut, ElementsAre(false, false));
  EXPECT_EQ(all.series[1].points.size(), 1U) << "what is not finite is no point";
}

TEST(StoreSeries, ABranchHasItsOwnPointsAndWhatWasKeptOfAllTogetherIsGoneUnlessItWasAccepted) {
  std::vector<storage::HistoryPoint> points{point("r1", "a", 1), point("r2", "f", 2), point("r3", "b", 3),
                                            point("r4", "n", 4)};
  for (std::size_t i : {0U, 1U, 2U}) {
    points[i].branch = i == 1 ? "feature" : "main";
    points[i].at_unix_ns = static_cast<std::int64_t>(i);
  }
  points[3].at_unix_ns = -1;
  const std::vector<storage::HistorySeries> all{stored("BM", "m", points)};
  EXPECT_THAT(branches_of(all), ElementsAre("", "feature", "main"));
  EXPECT_THAT(newest_branches_of(all), ElementsAre("main", "feature", ""));
  ASSERT_EQ(of_branch("main", all).size(), 1U);
  EXPECT_EQ(of_branch("main", all)[0].points.size(), 2U);
  EXPECT_TRUE(of_branch("other", all).empty());

  const auto kept = [](const std::string& id, const std::string& commit) {
    storage::KeptChangePoint one;
    one.id = id;
    one.project = "shop";
    one.benchmark = "BM";
    one.metric = std::string(kRealTime);
    one.fingerprint = "m";
    one.commit = commit;
    return one;
  };
  storage::AcceptedAlert accepted;
  accepted.subject.change_point = "agreed";
  const auto events =
      of_mixed_branches({kept("mixed", "f"), kept("agreed", "b"), kept("own", "n"), kept("far", "z")}, all, {accepted});
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].point.id, "mixed");
  EXPECT_TRUE(events[0].point.gone);
  EXPECT_EQ(events[0].event, storage::ChangeEvent::gone);
}

TEST(StoreSeries, AMetricWithoutADirectionHasNoRegressions) {
  storage::HistorySeries undeclared = stored("BM", "m", {point("r1", "a", 1)});
  undeclared.metric.better = Better::undeclared;
  EXPECT_TRUE(series_of_store({undeclared}, 5).series.empty());
}

}  // namespace
}  // namespace steelyard::ci::store_series_test
