#include "regress/ab/match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace steelyard::regress::match_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using SideRun = steelyard::Run;

Measurement of(const std::string& benchmark, std::string_view metric) {
  Measurement measurement;
  measurement.benchmark.name = benchmark;
  measurement.metric = well_known_metric(metric).value_or(Metric{std::string(metric), "", Better::undeclared, {}});
  return measurement;
}

std::vector<std::string> names(const std::vector<Matched>& all) {
  std::vector<std::string> result;
  for (const Matched& matched : all) result.push_back(matched.benchmark + " " + matched.metric);
  return result;
}

TEST(MatchRuns, WithoutAPolicyTimeAndCountsAreJudged) {
  SideRun run;
  for (const auto metric : {"peak_rss", "allocations", "instructions", "cpu_time", "real_time"}) {
    run.measurements.push_back(of("b", metric));
  }
  std::vector<std::string> undirected;
  EXPECT_THAT(names(match_runs(run, run, {}, undirected)),
              ElementsAre("b real_time", "b instructions", "b allocations"));
  EXPECT_THAT(undirected, IsEmpty());
}

TEST(MatchRuns, APolicyNamesWhatIsJudgedAndWhatNobodyMeasuredIsAnEntryOfItsOwn) {
  SideRun run;
  run.measurements = {of("b", "real_time"), of("b", "cpu_time")};
  ComparisonPolicy policy;
  policy.metrics = {"cpu_time", "bandwidth", "bandwidth"};
  std::vector<std::string> undirected;
  const auto all = match_runs(run, run, policy, undirected);
  ASSERT_THAT(names(all), ElementsAre("(all) bandwidth", "b cpu_time"));
  EXPECT_EQ(all[0].unjudged, why::Unjudged(why::MeasuredByNobody{}));
  EXPECT_FALSE(all[1].unjudged);
}

TEST(MatchRuns, AnUndeclaredDirectionThatNobodyNamedIsWarnedAboutAndNotJudged) {
  SideRun run;
  run.measurements = {of("b", "hits")};
  run.measurements.front().metric.kind = MetricKind::counted;
  std::vector<std::string> undirected;
  EXPECT_THAT(match_runs(run, run, {}, undirected), IsEmpty());
  EXPECT_THAT(undirected, ElementsAre("hits"));
}

TEST(MatchRuns, AnUndeclaredDirectionOfANamedMetricIsAnEntryThatSaysSo) {
  SideRun run;
  run.measurements = {of("b", "hits"), of("c", "hits"), of("c", "real_time")};
  ComparisonPolicy policy;
  policy.metrics = {"hits", "real_time"};
  std::vector<std::string> undirected;
  const auto all = match_runs(run, run, policy, undirected);
  ASSERT_THAT(names(all), ElementsAre("(all) hits", "c real_time"));
  EXPECT_EQ(all[0].unjudged, why::Unjudged(why::WithoutDirection{2}));
  EXPECT_THAT(undirected, IsEmpty());
}

TEST(MatchRuns, AFailedBenchmarkTouchesEachOfItsMetrics) {
  SideRun baseline;
  baseline.measurements = {of("b", "real_time"), of("b", "instructions"), of("c", "real_time")};
  SideRun candidate;
  candidate.failures.push_back({of("b", "").benchmark, "", -1, "crash"});
  std::vector<std::string> undirected;
  const auto all = match_runs(baseline, candidate, {}, undirected);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].candidate.failures.size(), 1U);
  EXPECT_EQ(all[1].candidate.failures.size(), 1U);
  EXPECT_THAT(all[2].candidate.failures, IsEmpty());
}

TEST(MatchRuns, AFailedMetricTouchesThatOne) {
  SideRun run;
  run.measurements = {of("b", "real_time")};
  run.failures.push_back({of("b", "").benchmark, "instructions", -1, "nothing collected"});
  std::vector<std::string> undirected;
  const auto all = match_runs(run, run, {}, undirected);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0].baseline.failures, IsEmpty());
  EXPECT_EQ(all[1].metric, "instructions");
  EXPECT_EQ(all[1].baseline.failures.size(), 1U);
}

TEST(MatchRuns, AFailedProgramExplainsAllThatItsSideLacks) {
  SideRun baseline;
  baseline.measurements = {of("b", "real_time"), of("c", "real_time")};
  SideRun candidate;
  candidate.measurements = {of("c", "real_time")};
  candidate.failures.push_back({{}, "", -1, "killed"});
  std::vector<std::string> undirected;
  const auto all = match_runs(baseline, candidate, {}, undirected);
  EXPECT_EQ(all[0].candidate.failures.size(), 1U);
  EXPECT_THAT(all[1].candidate.failures, IsEmpty());
}

TEST(MatchRuns, AFailedProgramExplainsNothingOfAnotherSuite) {
  SideRun baseline;
  for (const auto& [name, suite] : {std::pair("old", "a"), std::pair("b", "b"), std::pair("c", "bb")}) {
    baseline.measurements.push_back(of(name, "real_time"));
    baseline.measurements.back().benchmark.suite = suite;
  }
  SideRun candidate;
  BenchmarkId program;
  program.suite = "b";
  candidate.failures.push_back({program, "", -1, "killed"});
  std::vector<std::string> undirected;
  auto all = match_runs(baseline, candidate, {}, undirected);
  ASSERT_THAT(names(all), ElementsAre("b [suite=b] real_time", "c [suite=bb] real_time", "old [suite=a] real_time"));
  EXPECT_EQ(all[0].candidate.failures.size(), 1U);
  EXPECT_THAT(all[1].candidate.failures, IsEmpty());
  EXPECT_THAT(all[2].candidate.failures, IsEmpty());
  // Of an archive that does not say whose failure it was.
  candidate.failures.front().benchmark.suite.clear();
  all = match_runs(baseline, candidate, {}, undirected);
  for (const Matched& matched : all) EXPECT_EQ(matched.candidate.failures.size(), 1U) << matched.benchmark;
}

TEST(MatchRuns, AFailedProgramOfASuiteThatNobodyMeasuredIsARowOfItsOwn) {
  SideRun baseline;
  baseline.measurements = {of("a", "real_time")};
  baseline.measurements.front().benchmark.suite = "a";
  SideRun candidate;
  BenchmarkId program;
  program.suite = "b";
  candidate.failures.push_back({program, "", -1, "killed"});
  std::vector<std::string> undirected;
  const auto all = match_runs(baseline, candidate, {}, undirected);
  ASSERT_THAT(names(all), ElementsAre("(the whole program) real_time", "a [suite=a] real_time"));
  EXPECT_EQ(all[0].candidate.failures.size(), 1U);
  EXPECT_THAT(all[1].candidate.failures, IsEmpty());
  const auto before = match_runs(baseline, candidate, {}, undirected, Rules::rounds_6);
  ASSERT_THAT(names(before), ElementsAre("a [suite=a] real_time"));
  EXPECT_EQ(before[0].candidate.failures.size(), 1U) << "as it was kept";
}

}  // namespace
}  // namespace steelyard::regress::match_test
