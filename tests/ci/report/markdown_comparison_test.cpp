#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/report/comparison.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::markdown_comparison_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Comparison with(const std::vector<ComparisonRow>& rows) {
  Comparison comparison = sample::quiet_comparison(0);
  comparison.rows = rows;
  return comparison;
}

TEST(MarkdownReport, NamesCannotBreakOutOfTheirCell) {
  const std::string text = markdown_report(with({sample::time_row("BM_a|b`c`\n| x", 1.1, Verdict::regression)}));
  EXPECT_THAT(text, HasSubstr("| ``BM_a\\|b`c`?\\| x`` |"));
}

TEST(MarkdownReport, MessagesCannotFormatMentionOrLink) {
  ComparisonRow row = sample::time_row("BM_a", 1, Verdict::failed);
  row.reason = "<img src=x> @someone **bold** [a](https://b) #12 www.c.de";
  const std::string text = markdown_report(with({row}));
  EXPECT_THAT(text, HasSubstr("&lt;img src=x>"));
  for (const char* harmful : {"<img", "@someone", "**bold**", "[a]", "https://", "#12", "www.c"}) {
    EXPECT_THAT(text, Not(HasSubstr(harmful)));
  }
}

TEST(MarkdownReport, NoMarkBeginsAListOfItsOwn) {
  for (const Extent extent : {Extent::brief, Extent::whole}) {
    const std::string text = markdown_report(sample::comparison_with_every_verdict(), {}, extent);
    EXPECT_THAT(text, HasSubstr("- \\+ **new** `BM_rank_wide/8`"));
    for (const char* nested : {"- + ", "- - ", "- * "}) EXPECT_THAT(text, Not(HasSubstr(nested)));
  }
}

TEST(MarkdownReport, IsMarkedAsBadOnlyByARegressionThatFailsSomething) {
  ComparisonRow told = sample::instructions_row("BM_a", 1000, 1100);
  told.gates = false;
  const std::string good = markdown_report(with({told, sample::time_row("BM_a", 0.9, Verdict::improvement)}));
  EXPECT_THAT(good, HasSubstr("### \u2713 Performance: 1 regression (reported, not gating), 1 improvement"));
  told.gates = true;
  EXPECT_THAT(markdown_report(with({told})), HasSubstr("### \u2717 Performance: 1 regression"));
}

TEST(MarkdownReport, UnchangedRowsAreFolded) {
  const std::string text = markdown_report(sample::quiet_comparison(3));
  EXPECT_THAT(text, HasSubstr("<details><summary>3 benchmarks unchanged</summary>"));
  EXPECT_LT(text.find("<details>"), text.find("BM_case/0"));
}

TEST(MarkdownReport, NamesWhatItCounts) {
  Comparison comparison = sample::quiet_comparison(3);
  EXPECT_THAT(markdown_report(comparison), HasSubstr("Performance: 3 unchanged\n"));
  for (std::size_t i = 0; i < 3; ++i) {
    ComparisonRow count = sample::instructions_row(comparison.rows[i].benchmark, 1000, 1000);
    comparison.rows.push_back(count);
  }
  const std::string counted = "6 unchanged (6 rows of 3 benchmarks)\n";
  EXPECT_THAT(markdown_report(comparison),
              AllOf(HasSubstr("Performance: " + counted), HasSubstr("<summary>3 benchmarks unchanged</summary>")));
  EXPECT_THAT(markdown_report(comparison, {}, Extent::whole), HasSubstr("<summary>6 rows unchanged</summary>"));
  EXPECT_THAT(terminal_report(comparison, {}), HasSubstr(counted));
}

TEST(MarkdownReport, StaysWithinTheLimitAndCountsWhatItDrops) {
  std::vector<ComparisonRow> rows;
  for (int i = 0; i < 3000; ++i) {
    const bool is_bad = i % 3 == 0;
    rows.push_back(sample::time_row("BM_case/" + std::to_string(i), is_bad ? 1.1 + i * 1e-5 : 1.0,
                                    is_bad ? Verdict::regression : Verdict::unchanged));
  }
  const std::string text = markdown_report(with(rows), {}, Extent::whole);
  EXPECT_LE(text.size(), 65000U);
  EXPECT_GT(text.size(), 60000U);
  EXPECT_THAT(text, HasSubstr("1000 regressions"));
  EXPECT_THAT(text, HasSubstr("`BM_case/2997`"));  // the worst
  EXPECT_THAT(text, Not(HasSubstr("<details>")));  // no unchanged row where regressions were dropped
  std::size_t shown = 0;
  for (std::size_t at = text.find("| \xe2\x9c\x97 "); at != std::string::npos;
       at = text.find("| \xe2\x9c\x97 ", at + 1)) {
    ++shown;
  }
  const std::string hidden = std::to_string(3000 - shown);
  EXPECT_THAT(text, HasSubstr("\n" + hidden.substr(0, 1) + "," + hidden.substr(1) + " more rows"));
}

TEST(MarkdownReport, StaysWithinTheLimitWhateverTheWarnings) {
  Comparison comparison = sample::quiet_comparison(2000);
  comparison.warnings.assign(500, std::string(5000, '_'));
  for (ComparisonRow& row : comparison.rows) row.benchmark += std::string(2000, '`');
  EXPECT_LE(markdown_report(comparison, {}, Extent::whole).size(), 65000U);
  EXPECT_LE(markdown_report(comparison).size(), kBriefMarkdownBytes);
}

}  // namespace
}  // namespace steelyard::ci::markdown_comparison_test
