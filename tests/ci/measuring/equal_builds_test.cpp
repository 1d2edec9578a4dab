#include "ci/measuring/equal_builds.hpp"
#include "bench/model/kept_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "ci/report/comparison_text.hpp"

namespace steelyard::ci::equal_builds_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

EqualBuilds builds() {
  EqualBuilds builds;
  builds.same_program["BM_same"] = {"0123456789abcdef", 2};
  builds.same_code = {"BM_code", "BM_data"};
  builds.same_counts = {"BM_code"};
  return builds;
}

Comparison counted(const std::vector<std::string>& benchmarks) {
  Comparison comparison;
  for (const std::string& name : benchmarks) {
    ComparisonRow row;
    row.benchmark = name;
    row.metric = *well_known_metric(kInstructions);
    row.ratio = 1;
    row.verdict = Verdict::unchanged;
    row.reason = "counted";
    comparison.rows.push_back(row);
  }
  return comparison;
}

TEST(EqualBuilds, SkipTimeOnlyAsThePolicySays) {
  for (const char* name : {"BM_same", "BM_code", "BM_data", "BM_other"}) {
    EXPECT_FALSE(may_skip_time(builds(), name, SkipTime::never)) << name;
  }
  EXPECT_TRUE(may_skip_time(builds(), "BM_same", SkipTime::equal_binary));
  EXPECT_FALSE(may_skip_time(builds(), "BM_code", SkipTime::equal_binary));
  EXPECT_TRUE(may_skip_time(builds(), "BM_same", SkipTime::equal_code));
  EXPECT_TRUE(may_skip_time(builds(), "BM_code", SkipTime::equal_code));
  EXPECT_FALSE(may_skip_time(builds(), "BM_data", SkipTime::equal_code)) << "its data led it another way";
  EXPECT_FALSE(may_skip_time(builds(), "BM_other", SkipTime::equal_code));
}

std::pair<SkipTime, UntimedBy> skipping(const Configuration& configuration, BuildOrigin origin) {
  const TimeSkipping skipping = time_skipping(configuration, origin);
  return {skipping.what, skipping.by};
}

TEST(TimeSkipping, IsWhatThePolicySaysElseOfTheSameProgramOfTwoCommits) {
  Configuration configuration;
  EXPECT_EQ(skipping(configuration, BuildOrigin::unknown).first, SkipTime::never)
      << "who names programs has them timed";
  EXPECT_EQ(skipping(configuration, BuildOrigin::two_commits),
            std::pair(SkipTime::equal_binary, UntimedBy::equal_builds));
  EXPECT_EQ(skipping(configuration, BuildOrigin::one_build), std::pair(SkipTime::equal_binary, UntimedBy::one_build));
  for (const SkipTime said : {SkipTime::never, SkipTime::equal_binary, SkipTime::equal_code}) {
    configuration.policy.skip_time = said;
    for (const BuildOrigin origin : {BuildOrigin::unknown, BuildOrigin::two_commits, BuildOrigin::one_build}) {
      EXPECT_EQ(skipping(configuration, origin), std::pair(said, UntimedBy::policy));
    }
  }
}

TEST(TimeSkipping, IsNoneWhereATimeIsAskedFor) {
  const auto times_all = [](const auto& ask, BuildOrigin origin) {
    Configuration configuration;
    ask(configuration);
    return skipping(configuration, origin).first == SkipTime::never;
  };
  const auto target = [](Configuration& asked) { asked.targets.emplace_back(); };
  const auto metric = [](Configuration& asked) { asked.policy.comparison.metrics = {"real_time", "peak_rss"}; };
  for (const BuildOrigin origin : {BuildOrigin::two_commits, BuildOrigin::one_build}) {
    EXPECT_TRUE(times_all(target, origin)) << "a rate has to be measured";
    EXPECT_TRUE(times_all(metric, origin)) << "only timing has it";
    EXPECT_FALSE(times_all([](Configuration& asked) { asked.policy.comparison.gates = {"real_time"}; }, origin));
  }
  // The same that keeps counting from steering how long a time is measured.
  const auto rounds = [](Configuration& asked) { asked.run.rounds = 2; };
  const auto all_rounds = [](Configuration& asked) { asked.run.no_early_stop = true; };
  const auto decision = [](Configuration& asked) { asked.policy.demand_decision = true; };
  EXPECT_TRUE(times_all(rounds, BuildOrigin::two_commits));
  EXPECT_TRUE(times_all(all_rounds, BuildOrigin::two_commits));
  EXPECT_TRUE(times_all(decision, BuildOrigin::two_commits));
  EXPECT_FALSE(times_all(rounds, BuildOrigin::one_build)) << "a copy has no time of its own";
  const auto layouts = [](Configuration& asked) { asked.run.relink = "make"; };
  EXPECT_TRUE(times_all(layouts, BuildOrigin::two_commits));
  EXPECT_FALSE(times_all(layouts, BuildOrigin::one_build)) << "there is nothing else to compare";
}

TEST(EqualBuilds, SayOfARowOfOneBuildThatNobodyAskedForItsTime) {
  Comparison comparison = counted({"BM_same"});
  annotate_equal_builds(builds(), {"BM_same"}, comparison, UntimedBy::one_build);
  ASSERT_EQ(comparison.rows.size(), 2U);
  const ComparisonRow& row = comparison.rows[1];
  EXPECT_THAT(row.reason, ::testing::StartsWith("not timed: the candidate's build is the baseline's, as only "
                                                "documentation changed; every loaded section"));
  EXPECT_EQ(row.notes, read_notes(row.reason));
  EXPECT_TRUE(row.notes.has(RowNote::not_timed));
  Comparison of_two = counted({"BM_same"});
  annotate_equal_builds(builds(), {"BM_same"}, of_two, UntimedBy::equal_builds);
  ASSERT_EQ(of_two.rows.size(), 2U);
  EXPECT_THAT(of_two.rows[1].reason,
              ::testing::StartsWith("not timed: both commits build the same program; every loaded section"));
  EXPECT_EQ(of_two.rows[1].notes, read_notes(of_two.rows[1].reason));
  EXPECT_TRUE(of_two.rows[1].notes.has(RowNote::equal_program));
}

TEST(EqualBuilds, SayOfAnUntimedRowThatCodeAndCountsAreEqual) {
  Comparison comparison = counted({"BM_code"});
  annotate_equal_builds(builds(), {"BM_code"}, comparison);
  ASSERT_EQ(comparison.rows.size(), 2U);
  EXPECT_EQ(comparison.rows[1].reason,
            "not timed, as the policy says (skip_time): the code it executes is equal in both builds; data may differ; "
            "each of its functions costs the same; what sets it up may differ");
  EXPECT_EQ(comparison.rows[1].notes, read_notes(comparison.rows[1].reason));
}

TEST(EqualBuilds, AreProvenByTheProgramOrByCodeAndCountsTogether) {
  EXPECT_TRUE(builds().is_proven_equal("BM_same"));
  EXPECT_TRUE(builds().is_proven_equal("BM_code"));
  EXPECT_FALSE(builds().is_proven_equal("BM_data"));
  EXPECT_FALSE(builds().is_proven_equal("BM_other"));
}

TEST(EqualBuilds, AreToldInTheCountedRow) {
  Comparison comparison = counted({"BM_code", "BM_data", "BM_other"});
  annotate_equal_builds(builds(), {}, comparison);
  EXPECT_EQ(comparison.rows.size(), 3U);
  const std::string code = "counted; the code it executes is equal in both builds; data may differ";
  EXPECT_EQ(comparison.rows[0].reason, code + "; each of its functions costs the same; what sets it up may differ");
  EXPECT_EQ(comparison.rows[1].reason, code);
  EXPECT_EQ(comparison.rows[2].reason, "counted");
  for (const ComparisonRow& row : comparison.rows) EXPECT_EQ(row.notes, read_notes(row.reason));
}

TEST(EqualBuilds, MakeARowOfTimeThatWasNotMeasured) {
  Comparison comparison = counted({"BM_a", "BM_same", "BM_z"});
  comparison.policy.minimum_effect = 0.03;
  annotate_equal_builds(builds(), {"BM_same"}, comparison);
  ASSERT_EQ(comparison.rows.size(), 4U);
  const ComparisonRow& row = comparison.rows[2];
  EXPECT_EQ(row.benchmark, "BM_same");
  EXPECT_EQ(row.metric.name, kRealTime);
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_EQ(row.test, TestKind::none);
  EXPECT_EQ(row.reason,
            "not timed, as the policy says (skip_time): every loaded section of program and libraries is equal, and "
            "so are the 2 files it reads (sha256 0123456789ab)");
  EXPECT_EQ(row.minimum_effect, 0.03);
  EXPECT_FALSE(row.ratio);
}

ComparisonRow missing_in_all(std::string_view metric) {
  ComparisonRow row;
  row.benchmark = kAllBenchmarks;
  row.metric = *well_known_metric(metric);
  row.verdict = Verdict::missing;
  return row;
}

TEST(EqualBuilds, NamedTimeIsNotMissingWhereAllWereLeftUntimed) {
  Comparison comparison = counted({"BM_same"});
  comparison.policy.gates = {std::string(kRealTime), std::string(kCpuTime)};
  for (const std::string& metric : comparison.policy.gates) {
    comparison.rows.insert(comparison.rows.begin(), missing_in_all(metric));
  }
  annotate_equal_builds(builds(), {"BM_same"}, comparison);
  ASSERT_EQ(comparison.rows.size(), 3U);
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.benchmark, "BM_same");
    EXPECT_EQ(row.verdict, Verdict::unchanged) << row.metric.name;
  }
}

TEST(EqualBuilds, UntimedRowGatesAsItsMetricDoes) {
  Comparison comparison = counted({"BM_same"});
  comparison.policy.metrics = {std::string(kRealTime), std::string(kCpuTime), std::string(kInstructions)};
  comparison.policy.gates = {std::string(kRealTime)};
  annotate_equal_builds(builds(), {"BM_same"}, comparison);
  ASSERT_EQ(comparison.rows.size(), 3U);
  for (const ComparisonRow& row : comparison.rows) EXPECT_EQ(row.gates, row.metric.name == kRealTime);
}

TEST(EqualBuilds, NamedTimeStaysMissingWhereSomethingWasToBeTimed) {
  Comparison comparison = counted({"BM_other", "BM_same"});
  comparison.policy.metrics = {std::string(kRealTime)};
  comparison.rows.insert(comparison.rows.begin(), missing_in_all(kRealTime));
  annotate_equal_builds(builds(), {"BM_same"}, comparison);
  EXPECT_EQ(comparison.rows.front().verdict, Verdict::missing);
}

TEST(EqualBuilds, AreRecognizedByTheReport) {
  Comparison comparison = counted({"BM_code"});
  annotate_equal_builds(builds(), {}, comparison);
  EXPECT_THAT(equality_line(comparison), HasSubstr("1 of 1 count: the code that was executed is equal"));
}

TEST(EqualBuilds, LeaveTimeAloneThatWasMeasuredOrIsNotJudged) {
  Comparison measured = counted({"BM_same"});
  measured.rows.push_back(measured.rows[0]);
  measured.rows[1].metric = *well_known_metric(kRealTime);
  measured.rows[1].reason = "timed";
  annotate_equal_builds(builds(), {"BM_same"}, measured);
  ASSERT_EQ(measured.rows.size(), 2U);
  EXPECT_EQ(measured.rows[1].reason, "timed");
  Comparison counts_only = counted({"BM_same"});
  counts_only.policy.metrics = {std::string(kInstructions)};
  annotate_equal_builds(builds(), {"BM_same"}, counts_only);
  EXPECT_EQ(counts_only.rows.size(), 1U);
}

}  // namespace
}  // namespace steelyard::ci::equal_builds_test
