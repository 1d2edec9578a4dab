#include "ci/report/row_order.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/ci/report/sample_results.hpp"

namespace steelyard {
namespace {

TEST(WorstFirst, NamesEveryVerdictOnce) {
  EXPECT_EQ(std::set<Verdict>(kWorstFirst.begin(), kWorstFirst.end()).size(), kVerdictCount);
}

TEST(WorstFirst, OrdersByVerdictThenBySizeOfTheChangeInEitherDirection) {
  Comparison comparison;
  comparison.rows = {
      sample::time_row("small", 1.02, Verdict::regression),     sample::time_row("same", 1.0, Verdict::unchanged),
      sample::time_row("better", 0.5, Verdict::improvement),    sample::time_row("large", 1.3, Verdict::regression),
      sample::time_row("throughput", 0.7, Verdict::regression),
  };
  std::vector<std::string> names;
  for (const RowGroup& group : worst_first(comparison)) names.push_back(group.benchmark);
  EXPECT_EQ(names, (std::vector<std::string>{"throughput", "large", "small", "better", "same"}));
}

TEST(WorstFirst, PutsWhatIsSurerBeforeWhatIsLarger) {
  Comparison comparison;
  comparison.rows = {sample::time_row("doubtful", 1.3, Verdict::regression),
                     sample::time_row("sure", 1.02, Verdict::regression),
                     sample::time_row("certain", 1.03, Verdict::regression)};
  comparison.rows[0].discovery_q = 0.04;
  comparison.rows[1].discovery_q = 0.0009;
  comparison.rows[2].discovery_q = 1e-9;
  std::vector<std::string> names;
  for (const RowGroup& group : worst_first(comparison)) names.push_back(group.benchmark);
  EXPECT_EQ(names, (std::vector<std::string>{"certain", "sure", "doubtful"}));
}

TEST(WorstFirst, KeepsTheMetricsOfOneBenchmarkTogetherAsLongAsTheirVerdictsAgree) {
  Comparison comparison;
  comparison.rows = {
      sample::instructions_row("a", 100, 105),
      sample::time_row("a", 1.01, Verdict::regression),
      sample::time_row("b", 1.02, Verdict::regression),
      sample::instructions_row("b", 100, 100),
  };
  const std::vector<RowGroup> groups = worst_first(comparison);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].benchmark, "a");
  ASSERT_EQ(groups[0].rows.size(), 2U);
  EXPECT_EQ(groups[0].rows[0]->metric.name, kRealTime);
  EXPECT_EQ(groups[2].verdict, Verdict::unchanged);
}

TEST(RowIndex, FindsARowByBenchmarkAndMetric) {
  const Comparison comparison = sample::comparison_with_every_verdict();
  const RowIndex index(comparison);
  ASSERT_NE(index.find("BM_trim/8", kInstructions), nullptr);
  EXPECT_EQ(index.find("BM_trim/8", kInstructions)->baseline, 642);
  EXPECT_EQ(index.find("BM_trim/8", kCpuTime), nullptr);
  EXPECT_EQ(index.find("BM_trim", kInstructions), nullptr);
}

TEST(WorstFirst, TakesARatioThatIsNoneAsNoChange) {
  ComparisonRow row = sample::time_row("a", 1.0, Verdict::failed);
  row.ratio = std::nullopt;
  EXPECT_EQ(size_of_change(row), 0);
  row.ratio = 0;
  EXPECT_EQ(size_of_change(row), 0);
}

}  // namespace
}  // namespace steelyard
