#include "ci/report/headline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ci/report/comparison.hpp"
#include "ci/report/judgement_text.hpp"
#include "ci/report/published_files.hpp"
#include "ci/report/row_text.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::headline_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SummaryLine, CountsWhatThereIsAndLeavesOutWhatIsNot) {
  EXPECT_EQ(summary_line(sample::comparison_with_every_verdict()),
            "3 regressions (1 reported, not gating), 1 failed, 1 missing, 1 incomparable, 2 improvements, 1 new, 1 "
            "skipped, 4 unchanged, 1 inconclusive");
  EXPECT_EQ(summary_line(sample::quiet_comparison(8)), "8 unchanged");
  EXPECT_EQ(summary_line(Comparison{}), "nothing to compare");
}

TEST(HeadlineVerdict, IsNoFailureOfACountThatNobodyAskedFor) {
  Comparison comparison = sample::comparison_of(
      {sample::time_row("BM_a", 1, Verdict::unchanged), sample::instructions_row("BM_a", 1000, 1000)});
  comparison.rows[1].verdict = Verdict::failed;
  EXPECT_EQ(headline_verdict(comparison), Verdict::failed);
  EXPECT_EQ(summary_line(comparison), "1 failed, 1 unchanged");
  excuse_in_words(comparison.rows[1]);
  EXPECT_EQ(headline_verdict(comparison), Verdict::unchanged);
  EXPECT_EQ(summary_line(comparison), "1 failed (reported, not gating), 1 unchanged");
  comparison.rows[0] = sample::time_row("BM_a", 1, Verdict::failed);
  comparison.rows[0].gates = false;
  EXPECT_EQ(headline_verdict(comparison), Verdict::failed) << "its program failed";
}

// As with gates = ["real_time"] and --counts always.
TEST(HeadlineVerdict, IsAFailureOfACountThatWasDemandedThoughItDoesNotGate) {
  Comparison comparison = sample::comparison_of(
      {sample::time_row("BM_a", 1, Verdict::unchanged), sample::instructions_row("BM_a", 1000, 1000)});
  ComparisonRow& count = comparison.rows[1];
  count.verdict = Verdict::failed;
  count.gates = false;
  count.gate_note = gate_note_text(count, regress::ungated::MetricNotAsked{});
  EXPECT_EQ(headline_verdict(comparison), Verdict::failed);
  EXPECT_EQ(summary_line(comparison), "1 failed, 1 unchanged");
  EXPECT_EQ(no_change_answer(comparison), std::nullopt);
  const std::string report = terminal_report(comparison, {});
  EXPECT_THAT(report, HasSubstr("run what failed alone"));
  EXPECT_THAT(report, Not(HasSubstr("Nothing changed")));
  excuse_in_words(count);
  const std::string excused = terminal_report(comparison, {});
  EXPECT_THAT(excused, Not(HasSubstr("run what failed alone")));
  EXPECT_THAT(excused, HasSubstr("Nothing changed"));
}

// So many benchmarks of each verdict.
Comparison of_times(const std::vector<std::pair<int, Verdict>>& verdicts) {
  Comparison comparison = sample::comparison_of({});
  for (const auto& [count, verdict] : verdicts) {
    for (int i = 0; i < count; ++i) {
      comparison.rows.push_back(sample::time_row("BM_" + std::to_string(comparison.rows.size()), 1.01, verdict));
      if (verdict == Verdict::inconclusive) comparison.rows.back().rounds_wanted = 64;
    }
  }
  return comparison;
}

std::string text_of(const Comparison& comparison) {
  const auto answer = no_change_answer(comparison);
  return answer ? answer->text : "";
}

TEST(NoChangeAnswer, CannotTellWhereMostBenchmarksAreUndecided) {
  const auto answer = no_change_answer(of_times({{48, Verdict::inconclusive}, {4, Verdict::unchanged}}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->answer, NoChange::cannot_tell);
  EXPECT_EQ(answer->text, "Cannot tell: 48 of 52 benchmarks undecided (4 shown unchanged)");
  EXPECT_EQ(text_of(of_times({{1200, Verdict::inconclusive}})), "Cannot tell: 1,200 of 1,200 benchmarks undecided");
  EXPECT_EQ(text_of(of_times({{1200, Verdict::unchanged}})), "Nothing changed: 1,200 benchmarks shown unchanged");
  EXPECT_EQ(text_of(of_times({{1, Verdict::inconclusive}})), "Cannot tell: 1 of 1 benchmark undecided");
  EXPECT_EQ(text_of(of_times({{3, Verdict::inconclusive}, {1, Verdict::missing}})),
            "Cannot tell: 3 of 4 benchmarks undecided, 1 could not be compared");
}

TEST(NoChangeAnswer, SaysThatNothingChangedOnlyWhereAllThatGatesIsShownUnchanged) {
  EXPECT_EQ(text_of(of_times({{8, Verdict::unchanged}})), "Nothing changed: 8 benchmarks shown unchanged");
  EXPECT_FALSE(doubtful_answer(of_times({{8, Verdict::unchanged}})));
  Comparison one = of_times({{8, Verdict::unchanged}, {1, Verdict::inconclusive}});
  EXPECT_EQ(text_of(one), "No change found in 9 benchmarks: 8 shown unchanged, 1 undecided");
  EXPECT_EQ(text_of(of_times({{5, Verdict::unchanged}, {5, Verdict::inconclusive}})),
            "No change found in 10 benchmarks: 5 shown unchanged, 5 undecided");
  one.rows.back().gates = false;
  EXPECT_EQ(text_of(one), "Nothing changed: 8 benchmarks shown unchanged");
  for (ComparisonRow& row : one.rows) row.gates = false;
  EXPECT_EQ(text_of(one), "No change found in 9 benchmarks: 8 shown unchanged, 1 undecided") << "nothing gates";
}

TEST(NoChangeAnswer, IsNoneWhereSomethingChangedOrWasNotJudged) {
  EXPECT_FALSE(no_change_answer(of_times({{48, Verdict::inconclusive}, {1, Verdict::regression}})));
  EXPECT_FALSE(no_change_answer(of_times({{48, Verdict::inconclusive}, {1, Verdict::improvement}})));
  for (const Verdict verdict : {Verdict::missing, Verdict::failed, Verdict::incomparable}) {
    EXPECT_FALSE(no_change_answer(of_times({{48, Verdict::unchanged}, {1, verdict}})));
  }
  EXPECT_FALSE(no_change_answer(of_times({{3, Verdict::fresh}, {1, Verdict::skipped}})));
  EXPECT_FALSE(no_change_answer(Comparison{}));
}

TEST(NoChangeAnswer, TellsWhatIsShownOfABenchmarkInOneMetricAlone) {
  Comparison comparison = of_times({{3, Verdict::inconclusive}, {1, Verdict::unchanged}});
  for (const std::size_t i : {0, 3}) {
    ComparisonRow count = sample::instructions_row(comparison.rows[i].benchmark, 1000, 1000);
    count.verdict = Verdict::unchanged;
    comparison.rows.push_back(count);
  }
  EXPECT_EQ(
      text_of(comparison),
      "No change found in 4 benchmarks: 1 shown unchanged, 1 shown unchanged in instructions, undecided in time, 2 "
      "undecided");
  comparison.rows.pop_back();
  comparison.rows.pop_back();
  comparison.rows.push_back(sample::time_row(comparison.rows[0].benchmark, 1, Verdict::unchanged));
  comparison.rows.back().metric.name = "cpu_time";
  comparison.rows.push_back(sample::time_row("BM_4", 1, Verdict::inconclusive));
  EXPECT_EQ(
      text_of(comparison),
      "Cannot tell: 3 of 5 benchmarks undecided (1 shown unchanged, 1 shown unchanged in cpu time, undecided in time)");
}

TEST(Reports, BeginWithWhatCannotBeToldAndWhatWouldDecideIt) {
  const Comparison comparison = of_times({{3, Verdict::inconclusive}, {1, Verdict::unchanged}});
  const std::string answer = "Cannot tell: 3 of 4 benchmarks undecided (1 shown unchanged)";
  const std::string advice = "; changes below 0.6 % could hide; measure longer: ";
  TerminalStyle wide;
  wide.width = 200;
  for (const Extent extent : {Extent::brief, Extent::whole}) {
    const std::string terminal = terminal_report(comparison, wide, {}, extent);
    EXPECT_LT(terminal.find(answer + advice + "--rounds 64\n"), terminal.find("inconclusive"));
    const std::string markdown = markdown_report(comparison, {}, extent);
    EXPECT_TRUE(markdown.starts_with("### ? " + answer + "\n\n1 unchanged, 3 inconclusive" + advice.substr(0, 20)))
        << markdown.substr(0, 400);
  }
  const std::string page = html_report(comparison, {steelyard::Run{}, steelyard::Run{}, {}});
  EXPECT_THAT(page, AllOf(HasSubstr(" " + answer + "</h1>\n<p>1 unchanged, 3 inconclusive" + advice),
                          HasSubstr("<p>" + answer + "</p>"), Not(HasSubstr("Nothing changed"))));
  const nlohmann::json json = nlohmann::json::parse(json_report(comparison));
  const nlohmann::json wanted{{"kind", "cannot tell"},
                              {"text", answer},
                              {"benchmarks", 4},
                              {"undecided", 3},
                              {"unchanged", 1},
                              {"unchanged_in_part", 0},
                              {"advice", "changes below 0.6 % could hide; measure longer"},
                              {"command", "steelyard ab OLD NEW --rounds 64"}};
  EXPECT_EQ(json["no_change"], wanted);
  EXPECT_EQ(headline_of(&comparison, 0), answer);
}

// What is advised in the first line can be read without the list of all steps.
TEST(Reports, BeginWithWhichCountsWereNotReachedWhereMoreTimeWouldDecide) {
  Comparison comparison = of_times({{1, Verdict::unchanged}});
  for (const char* name : {"BM_a", "BM_b"}) {
    ComparisonRow count = sample::instructions_row(name, 1000, 1000);
    count.verdict = Verdict::inconclusive;
    count.ratio = count.candidate = std::nullopt;
    count.interval.reset();
    comparison.rows.push_back(count);
  }
  TerminalStyle wide;
  wide.width = 200;
  const std::string answer = "Cannot tell: 2 of 3 benchmarks undecided (1 shown unchanged)";
  const std::string advice = "; 2 counts were not reached in time; allow more of it: --budget DURATION";
  EXPECT_THAT(terminal_report(comparison, wide), HasSubstr(answer + advice + "\n"));
  EXPECT_THAT(markdown_report(comparison),
              HasSubstr("1 unchanged, 2 inconclusive; 2 counts were not reached in time; allow more of it"));
}

TEST(Reports, TakeANameThatAProgramGaveForNoMarkup) {
  Comparison comparison = of_times({{1, Verdict::inconclusive}});
  ComparisonRow count = sample::instructions_row(comparison.rows[0].benchmark, 1000, 1000);
  count.verdict = Verdict::unchanged;
  count.metric.name = "[x](http://y)<i>";
  comparison.rows.push_back(count);
  const std::string markdown = markdown_report(comparison, {}, Extent::brief);
  const std::string title = markdown.substr(0, markdown.find('\n'));
  EXPECT_THAT(title, AllOf(HasSubstr("shown unchanged in"), Not(HasSubstr("[x](")), Not(HasSubstr("<i>")))) << title;
}

TEST(Reports, SayThatNothingChangedWhereThatIsShown) {
  const Comparison quiet = sample::quiet_comparison(3);
  EXPECT_THAT(html_report(quiet, {steelyard::Run{}, steelyard::Run{}, {}}),
              HasSubstr("<p>Nothing changed: 3 benchmarks shown unchanged</p>"));
  for (const Extent extent : {Extent::brief, Extent::whole}) {
    EXPECT_THAT(terminal_report(quiet, {}, {}, extent),
                HasSubstr("\n\nNothing changed: 3 benchmarks shown unchanged\n\n"));
    EXPECT_THAT(terminal_report(sample::comparison_with_every_verdict(), {}, {}, extent),
                Not(HasSubstr("Nothing changed")));
  }
  const nlohmann::json json = nlohmann::json::parse(json_report(quiet));
  EXPECT_EQ(json["no_change"]["kind"], "nothing changed");
  EXPECT_FALSE(json["no_change"].contains("advice"));
  EXPECT_FALSE(nlohmann::json::parse(json_report(sample::comparison_with_every_verdict())).contains("no_change"));
}

}  // namespace
}  // namespace steelyard::ci::headline_test
