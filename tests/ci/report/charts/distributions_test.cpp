#include "ci/report/charts/distributions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "regress/compare_runs.hpp"

namespace steelyard::ci::distributions_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ComparisonRow slower() {
  ComparisonRow row;
  row.benchmark = "BM<x>";
  row.metric = *well_known_metric(kRealTime);
  row.baseline = 101;
  row.candidate = 111;
  row.ratio = 1.1;
  row.interval = Interval{1.08, 1.12};
  row.verdict = Verdict::regression;
  row.reason = "slower";
  return row;
}

RowSamples samples() {
  RowSamples all;
  for (int i = 0; i < 12; ++i) {
    all.baseline.invocations.push_back({100.0 + i % 3, 100.5 + i % 3, 99.5 + i % 3});
    all.candidate.invocations.push_back({110.0 + i % 3, 110.5 + i % 3, 109.5 + i % 3});
  }
  return all;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(DistributionPicture, TheSvgHoldsEverySampleAndMedianAndTellsTheVerdictInWords) {
  const std::string svg = svg_distributions(slower(), samples());
  EXPECT_EQ(count_of(svg, "class=\"dot baseline\""), 36U);
  EXPECT_EQ(count_of(svg, "class=\"median candidate\""), 12U);
  EXPECT_THAT(svg, AllOf(HasSubstr("regression, +10.0 % [+8.00, +12.0] %"), HasSubstr("BM&lt;x&gt;"),
                         HasSubstr("prefers-color-scheme"), Not(HasSubstr("<x>")), Not(HasSubstr("script"))));
}

TEST(DistributionPicture, ItsBandIsTheMinimumEffectAlsoBeyondTheMarginAndCutOffAtTheFrame) {
  ComparisonRow row = slower();
  row.ratio = 1.02;
  row.interval = Interval{1.01, 1.03};
  row.minimum_effect = 0.1;
  EXPECT_THAT(svg_distributions(row, samples()),
              HasSubstr("y=\"95.3\" width=\"202\" height=\"224.6\" class=\"minimum\""))
      << "from 0.9 to 1.1";
  row.minimum_effect = 1.5;
  EXPECT_THAT(svg_distributions(row, samples()),
              AllOf(HasSubstr("y=\"95.3\" width=\"202\" height=\"234.7\" class=\"minimum\""), Not(HasSubstr("nan")),
                    Not(HasSubstr("inf"))));
}

TEST(DistributionPicture, ManySamplesAreThinned) {
  RowSamples many;
  many.baseline.invocations.assign(10, std::vector<double>(10'000, 5.0));
  EXPECT_LE(count_of(svg_distributions(slower(), many), "class=\"dot baseline\""), kMaxDots);
}

TEST(DistributionPicture, FarSamplesAreDrawnAtTheEdgeAndCountedThere) {
  RowSamples disturbed = samples();
  const std::string calm = svg_distributions(slower(), disturbed);
  disturbed.candidate.invocations[3] = {5000, 7000, 110};
  const std::string svg = svg_distributions(slower(), disturbed);
  EXPECT_THAT(calm, Not(HasSubstr("beyond")));
  EXPECT_THAT(svg, AllOf(HasSubstr(">2 samples beyond the axis<"), Not(HasSubstr(">4 us<"))));
}

TEST(DistributionPicture, InAPageItHasNoStyleNoIdsAndFewElements) {
  const std::string svg = svg_distributions(slower(), samples(), SvgForm::inlined);
  EXPECT_EQ(count_of(svg, "<path class=\"dot baseline dots\""), 1U);
  EXPECT_EQ(count_of(svg, "<circle"), 1U);  // the estimate
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("<style")), Not(HasSubstr(" id=")), Not(HasSubstr("<x>")),
                         HasSubstr("aria-label=\"BM&lt;x&gt;")));
}

TEST(DistributionPicture, TheTerminalShowsTwoHistogramsAndTheInterval) {
  const TerminalStyle ascii{false, false, 80};
  const std::string text = terminal_distributions(slower(), samples(), ascii);
  EXPECT_THAT(text, AllOf(HasSubstr("baseline"), HasSubstr("candidate"), HasSubstr("101 ns, 12 processes"),
                          HasSubstr("+10.0 %  [+8.00, +12.0] %")));
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 128);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    EXPECT_LE(end - begin, 80U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

// Of an even number of processes the judge's middle is the geometric one: 4 of 2 and 8, and not 5.
TEST(DistributionPicture, SaysTheLevelsThatTheRowSays) {
  steelyard::Run baseline;
  baseline.invocations = {{}, {1, 0, -1, 0, 0}};
  Measurement measurement;
  measurement.benchmark.name = "BM<x>";
  measurement.metric = *well_known_metric(kRealTime);
  measurement.invocations = {{0, {2000, 2000}, {}}, {1, {8000, 8000}, {}}};
  baseline.measurements = {measurement};
  steelyard::Run candidate = baseline;
  candidate.measurements[0].invocations = {{0, {2000, 12500}, {}}, {1, {5000, 5000}, {}}};
  const Comparison comparison = regress::compare_runs(baseline, candidate, {}).comparison;
  ASSERT_EQ(comparison.rows.size(), 1U);
  const ComparisonRow& row = comparison.rows.front();
  EXPECT_NEAR(*row.baseline, 4000, 1e-6);
  EXPECT_NEAR(*row.candidate, 5000, 1e-6);
  const RowSamples samples = SampleIndex(baseline, candidate).of(row);
  const std::string text = terminal_distributions(row, samples, {false, false, 80});
  EXPECT_THAT(text, AllOf(HasSubstr("4.00 us, 2 processes"), HasSubstr("5.00 us, 2 processes")));
  const std::string svg = svg_distributions(row, samples);
  EXPECT_THAT(svg, AllOf(HasSubstr(">2 processes, 4.00 us<"), HasSubstr(">2 processes, 5.00 us<"),
                         HasSubstr("process 1: 5.00 us"), Not(HasSubstr("7.25"))));
}

TEST(DistributionPicture, HoldsWhateverARowHolds) {
  ComparisonRow bare;
  EXPECT_THAT(svg_distributions(bare, {}), HasSubstr("no samples"));
  EXPECT_THAT(terminal_distributions(bare, {}, {}), HasSubstr("no samples"));
  RowSamples odd;
  odd.baseline.invocations = {{0.0}, {-1e308, 1e308}};
  odd.candidate.invocations = {{0.0}};
  ComparisonRow row = slower();
  row.interval = Interval{0, 1e308};
  EXPECT_THAT(svg_distributions(row, odd), AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  EXPECT_THAT(terminal_distributions(row, odd, {}), HasSubstr("candidate"));
}

TEST(DistributionPicture, TakesTheSamplesThatWereJudged) {
  steelyard::Run run;
  Measurement measurement;
  measurement.benchmark.name = "BM<x>";
  measurement.metric = *well_known_metric(kRealTime);
  measurement.invocations = {{0, {1, NAN, 2}, {}}, {1, {NAN}, {}}};
  measurement.excluded = {{2, {9}, {}}};
  run.measurements.push_back(measurement);
  const RowSamples found = SampleIndex(run, steelyard::Run{}).of(slower());
  ASSERT_EQ(found.baseline.invocations.size(), 1U);
  EXPECT_THAT(found.baseline.invocations[0], testing::ElementsAre(1, 2));
  EXPECT_TRUE(found.candidate.invocations.empty());
}

}  // namespace
}  // namespace steelyard::ci::distributions_test
