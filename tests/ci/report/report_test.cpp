// The whole texts, byte for byte; what a change does to them is seen in the diff of tests/golden.
#include "ci/report/comparison.hpp"
#include "ci/report/reason_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "ci/app/terminal_text.hpp"
#include "ci/report/alerts.hpp"
#include "ci/report/benchmark_lines.hpp"
#include "ci/report/changes.hpp"
#include "ci/report/history.hpp"
#include "ci/report/reason_text.hpp"
#include "ci/report/row_text.hpp"
#include "ci/report/run_report.hpp"
#include "ci/report/store.hpp"
#include "regress/compare_runs.hpp"
#include "tests/ci/report/golden.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::report_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TerminalReport, ShowsEveryVerdictWorstFirst) {
  golden::expect_equal(terminal_report(sample::comparison_with_every_verdict(), {false, true, 100}),
                       "report/every_verdict_100.out");
}

TEST(TerminalReport, ShowsEveryRowAndWhatIsBehindItWhereDetailsAreAskedFor) {
  golden::expect_equal(terminal_report(sample::comparison_with_every_verdict(), {false, true, 100}, {}, Extent::whole),
                       "report/every_verdict_details_100.out");
}

TEST(TerminalReport, UsesAsciiOnlyWhereTheTerminalHasNoMore) {
  const std::string text = terminal_report(sample::comparison_with_every_verdict(), {false, false, 100});
  EXPECT_EQ(text.find_first_not_of("\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                                   "abcdefghijklmnopqrstuvwxyz{|}~"),
            std::string::npos);
  golden::expect_equal(text, "report/every_verdict_ascii.out");
}

TEST(TerminalReport, MarksColourWithoutChangingAWord) {
  golden::expect_equal(terminal_report(sample::comparison_with_every_verdict(), {true, true, 120}),
                       "report/every_verdict_color.out");
}

TEST(TerminalReport, TakesShortNamesOddNumbersAndEveryWidth) {
  Comparison comparison;
  EXPECT_NE(terminal_report(comparison, {false, true, 100}).find("nothing to compare"), std::string::npos);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ComparisonRow odd = sample::time_row("b", 0, Verdict::regression);
  odd.interval = Interval{0, kInfinity};
  odd.candidate = kInfinity;
  odd.q = 0;
  odd.minimum_effect = -1;
  odd.functions = {FunctionChange{}};
  comparison.rows = {sample::time_row("a", 1, Verdict::unchanged), odd, sample::instructions_row("", 0, 1)};
  for (int width = -1; width < 200; ++width) {
    const Comparison every = sample::comparison_with_every_verdict();
    for (const std::string& text : {terminal_report(comparison, {false, true, width}),
                                    terminal_report(comparison, {false, true, width}, {}, Extent::whole),
                                    terminal_report(every, {false, true, width}),
                                    terminal_report(every, {false, true, width}, {}, Extent::whole)}) {
      std::size_t longest = 0;
      for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        const std::string line = text.substr(at, text.find('\n', at) - at);
        // A command is whole even where it does not fit, and so is a long word of a sentence.
        if (line.find("--") == std::string::npos && line.find("BM_") != std::string::npos) {
          longest = std::max(longest, columns_of(line));
        }
      }
      EXPECT_LE(longest, static_cast<std::size_t>(std::max(width, 80)));
    }
  }
}

TEST(TerminalReport, SaysAReasonThatSeveralBenchmarksShareOnce) {
  Comparison comparison;
  for (const char* name : {"BM_a", "BM_b", "BM_c"}) {
    comparison.rows.push_back(sample::time_row(name, 1, Verdict::inconclusive));
    comparison.rows.back().reason = "one invocation a side";
  }
  comparison.rows.push_back(sample::time_row("BM_d", 1, Verdict::inconclusive));
  comparison.rows.back().reason = "too noisy";
  const std::string text = terminal_report(comparison, {false, true, 100}, {}, Extent::whole);
  const std::size_t shared = text.find("these 3 benchmarks: one invocation a side");
  ASSERT_NE(shared, std::string::npos);
  EXPECT_GT(shared, text.find("BM_c"));
  EXPECT_LT(shared, text.find("BM_d"));
  EXPECT_EQ(text.find("one invocation a side", shared + 30), std::string::npos);
  EXPECT_NE(text.find("  too noisy"), std::string::npos);
}

ComparisonRow apart_row(const std::string& benchmark, double ratio, RowNote cause) {
  ComparisonRow row = sample::time_row(benchmark, ratio, Verdict::inconclusive);
  row.layout = Layout::sequential;
  row.test = TestKind::drift_widened;
  row.minimum_detectable_effect = std::abs(ratio - 1) * 2;
  row.reason = note_text(cause) + "the " + std::to_string(ratio);
  row.notes.add(cause);
  return row;
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Reports, ReasonsThatDifferInTheirFiguresAloneAreToldOnce) {
  Comparison comparison = sample::quiet_comparison(0);
  for (int i = 0; i < 29; ++i) {
    const RowNote cause = i % 3 == 0 ? RowNote::scatter_explains : RowNote::drift_explains;
    comparison.rows.push_back(apart_row("BM_" + std::to_string(i), 1.03 + 0.01 * i, cause));
  }
  const std::string text = terminal_report(comparison, {false, true, 100}, {}, Extent::whole);
  EXPECT_EQ(times_in(text, "could explain"), 2U) << text;
  EXPECT_NE(text.find("these 10 benchmarks: the scatter of invocations could explain each change (+3.00 %"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("these 19 benchmarks: drift between the sides could explain each change"), std::string::npos);
  EXPECT_NE(text.find("changes from 6 % on, of the noisiest from 60 % on, are found in 4 of 5 tries"),
            std::string::npos)
      << text;
  const std::string markdown = markdown_report(comparison, {}, Extent::whole);
  EXPECT_EQ(times_in(markdown, "could explain"), 2U) << markdown;
  EXPECT_NE(markdown.find(" and 11 more: drift between"), std::string::npos) << markdown;
}

// Without values: each side that skipped it did so for want of the same instructions.
ComparisonRow skipped_row(const char* name, Verdict verdict, regress::WhichSide skipped_by) {
  ComparisonRow row = sample::time_row(name, 1, verdict);
  row.baseline = row.candidate = row.ratio = row.p = row.q = row.minimum_detectable_effect = std::nullopt;
  row.interval = std::nullopt;
  row.test = TestKind::none;
  row.rounds = 0;
  regress::why::Skipped skipped;
  if (skipped_by != regress::WhichSide::candidate) skipped.baseline = {false, false, "no AVX-512 here"};
  if (skipped_by != regress::WhichSide::baseline) skipped.candidate = {false, false, "no AVX-512 here"};
  if (skipped_by == regress::WhichSide::baseline) row.notes.add(RowNote::skipped_by_baseline);
  regress::RowFacts facts;
  facts.reason = skipped;
  row.reason = reason_text(row, facts, {});
  return row;
}

// Two noise floors of a calibration, one of them beyond what may be called unchanged; a change that nothing showed
// alone; names that differ in what a narrow column cuts first; and skips on both sides and on either.
Comparison doubtful_comparison() {
  Comparison comparison = sample::quiet_comparison(1);
  comparison.rule_version = regress::to_text(regress::kNewestRules);
  Calibration& calibration = comparison.calibration.emplace();
  calibration.at_unix_s = 1'795'305'600;
  calibration.false_gates = {0, 10, {0, 0.308}};
  const auto add = [&](const char* name, double ratio, Interval interval, Verdict verdict, double floor) {
    ComparisonRow row = sample::time_row(name, ratio, verdict);
    row.interval = interval;
    row.margin = floor > 0 && floor <= kMaxCalibratedMargin ? floor : kDefaultMargin;
    comparison.rows.push_back(row);
    if (floor > 0)
      calibration.benchmarks.push_back(
          {name, std::string(kRealTime), {0, 10, {0, 0.308}}, floor, {}, {}, {}, {}, {}, ""});
  };
  add("BM_within", 1.0464, {1.0317, 1.0672}, Verdict::regression, 0.09);
  add("BM_beyond", 0.9736, {0.9584, 0.9867}, Verdict::improvement, 0.34);
  add("BM_wide", 1.0153, {0.9982, 1.0323}, Verdict::unchanged, 0.08);
  add("BM_beside", 1.149, {1.018, 1.358}, Verdict::inconclusive, 0);
  ComparisonRow& contradicted = comparison.rows.back();
  contradicted.reason = note_text(RowNote::contradicted_alone) +
                        "-0.02 % (-1.41 % to +1.28 %) with nothing beside it, which excludes all of +1.8 % to +35.8 % "
                        "side by side; measure in turns to tell (--layout interleaved); side by side: 14.9 % slower";
  contradicted.notes.add(RowNote::contradicted_alone);
  contradicted.solo = SoloCheck{0.9998, Interval{0.9859, 1.0128}, 10, false};
  add("BM_lookup<std::map<std::string, int>>/1000", 1.0012, {0.9958, 1.0067}, Verdict::unchanged, 0);
  add("BM_lookup<std::unordered_map<std::string, int>>/1000", 1.0483, {1.0371, 1.0596}, Verdict::regression, 0);
  comparison.rows.push_back(skipped_row("BM_sum/avx512", Verdict::skipped, regress::WhichSide::both));
  comparison.rows.push_back(skipped_row("BM_scan/avx512", Verdict::missing, regress::WhichSide::candidate));
  comparison.rows.push_back(skipped_row("BM_rank/avx512", Verdict::fresh, regress::WhichSide::baseline));
  return comparison;
}

// The terminal's is the example of docs/guide/report.md.
TEST(Reports, OfARunWithSkipsCutNamesACalibratedFloorAndAContradictedRowAreAsAStrangerReadsThem) {
  const std::string terminal = terminal_report(doubtful_comparison(), {false, true, 100});
  golden::expect_equal(terminal, "report/doubtful_100.out");
  golden::expect_equal(markdown_report(doubtful_comparison()), "report/doubtful.md");
}

TEST(Reports, WhatTheNumberOfComparisonsLeftOpenIsToldOnce) {
  Comparison comparison = sample::quiet_comparison(0);
  for (int i = 0; i < 7; ++i) {
    ComparisonRow row = sample::time_row("BM_" + std::to_string(i), 1.03, Verdict::inconclusive);
    row.test = TestKind::rounds;
    row.layout = Layout::interleaved;
    row.interval = Interval{1.01, 1.05};
    row.p = 0.031;
    row.q = 1;
    row.rounds_wanted = 14 + 2 * i;
    row.reason =
        "p = 0.031 alone, but 1 among 40 comparisons; about " + std::to_string(14 + 2 * i) + " rounds would tell";
    comparison.rows.push_back(row);
  }
  const std::string text = terminal_report(comparison, {false, true, 200});
  EXPECT_NE(text.find("BM_0, BM_1 and 5 more: p = 0.031 alone, but 1 among 7 comparisons; about 14 to 26 rounds would "
                      "tell"),
            std::string::npos)
      << text;
  EXPECT_EQ(times_in(text, "would tell"), 1U) << text;
  for (ComparisonRow& row : comparison.rows) row.q = 0.03;
  EXPECT_EQ(times_in(terminal_report(comparison, {false, true, 200}), "not shown to be more than the minimum effect"),
            1U);
}

TEST(Reports, WhatHasNoSymbolsIsToldInWordsAndOnceHowToHaveNames) {
  std::vector<ComparisonRow> rows{sample::row_changed_in("BM_a", "???", 0), sample::row_changed_in("BM_b", "???", 0)};
  rows[0].functions[0].name = "0x0000000000401234";
  rows[1].functions[0].name = "0x000000000040a000";
  const Comparison comparison = sample::comparison_of(std::move(rows));
  const steelyard::Run none;
  for (const std::string& text : {terminal_report(comparison, {false, true, 200}), markdown_report(comparison),
                                  html_report(comparison, {none, none, {}}, {})}) {
    EXPECT_NE(text.find("code at 0x401234 (no symbols)"), std::string::npos) << text;
    EXPECT_NE(text.find("code at 0x40a000 (no symbols)"), std::string::npos) << text;
    EXPECT_EQ(text.find("0x0000000000401234"), std::string::npos) << text;
    EXPECT_EQ(times_in(text, "no strip, no -s"), 1U) << text;
    EXPECT_EQ(times_in(text, "start at"), 0U) << text;
  }
}

TEST(Reports, ARowThatWasNotTimedSaysSoAndWhy) {
  Comparison comparison = sample::quiet_comparison(0);
  for (const char* name : {"BM_a", "BM_b"}) {
    ComparisonRow row = sample::time_row(name, 1, Verdict::unchanged);
    row.baseline = row.candidate = row.ratio = row.p = row.q = row.minimum_detectable_effect = std::nullopt;
    row.interval = std::nullopt;
    row.test = TestKind::none;
    row.reason = note_text(RowNote::not_timed) + "every loaded section is equal";
    row.notes.add(RowNote::not_timed);
    comparison.rows.push_back(row);
    comparison.rows.push_back(sample::instructions_row(name, 100, 100));
  }
  for (const std::string& text : {terminal_report(comparison, {false, true, 100}, {}, Extent::whole),
                                  markdown_report(comparison, {}, Extent::whole)}) {
    EXPECT_EQ(times_in(text, "every loaded section is"), 1U) << text;
    EXPECT_EQ(times_in(text, "not timed"), 3U) << text;
  }
}

TEST(TerminalReport, WhatIsFoldedIsBoundedByTheLargestChangeAndWhatWasNotTimedByNone) {
  Comparison comparison = sample::quiet_comparison(80);
  comparison.rows[3].ratio = 1.1;  // its logarithm is less
  for (ComparisonRow& row : comparison.rows) row.discovery_q = 0.5;
  comparison.rows[3].discovery_q = 0.9;
  const auto told = [&](Extent extent) { return terminal_report(comparison, {false, true, 100}, {}, extent); };
  EXPECT_THAT(told(Extent::brief), ContainsRegex("and [0-9]+ more unchanged \\(within 10 %\\)"));
  comparison.rows[3].ratio.reset();
  EXPECT_THAT(told(Extent::brief), ContainsRegex("and [0-9]+ more unchanged \\(1 not timed, the others within"));
  EXPECT_THAT(told(Extent::whole), Not(HasSubstr("more unchanged"))) << "which has every row";
}

TEST(TerminalReport, NamesThatDifferInTheMiddleAreToldApartAndWholeInAPipe) {
  Comparison comparison = sample::quiet_comparison(0);
  for (const char* dim : {"32", "64", "128", "256", "512"}) {
    comparison.rows.push_back(sample::time_row(
        std::string("mlp_training/f32/batch:16/dim:") + dim + "/layers:3/threads:4/steps:2", 1, Verdict::unchanged));
  }
  TerminalStyle style{false, true, 80};
  const std::string terminal = terminal_report(comparison, style, {}, Extent::whole);
  style.cuts_names = false;
  const std::string pipe = terminal_report(comparison, style, {}, Extent::whole);
  for (const ComparisonRow& row : comparison.rows) {
    const std::string dim = row.benchmark.substr(30, row.benchmark.find('/', 30) - 30);
    EXPECT_NE(terminal.find(":" + dim), std::string::npos) << terminal;
    EXPECT_NE(pipe.find(row.benchmark), std::string::npos) << pipe;
  }
}

TEST(TerminalRun, MetricsOfOneBenchmarkStandTogether) {
  steelyard::Run run = sample::run_with_a_failure();
  Measurement other = run.measurements[0];
  other.benchmark.name = "BM_other";
  run.measurements.insert(run.measurements.begin() + 1, other);
  const std::string text = terminal_run(run, {false, true, 100});
  EXPECT_LT(text.find("instructions"), text.find("BM_other")) << text;
}

TEST(TerminalHistory, TakesShortSubjectsSingleRunsAndNone) {
  storage::HistorySeries series = sample::history_of_four_commits();
  series.points.resize(1);
  series.points[0].subject = "Fix";
  series.points[0].commit = "";
  for (const int width : {-1, 0, 40, 300}) {
    EXPECT_NE(terminal_history({{series}, {}}, {true, true, width}).find("Fix"), std::string::npos);
  }
  series.points[0].value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(terminal_history({{series}, {}}, {false, true, 80}).find("no runs"), std::string::npos);
  EXPECT_NE(terminal_history(storage::Page<storage::HistorySeries>{}, {false, true, 80}).find("no series"),
            std::string::npos);
}

TEST(MarkdownReport, ShowsEveryVerdictWorstFirst) {
  golden::expect_equal(markdown_report(sample::comparison_with_every_verdict()), "report/every_verdict.md");
}

TEST(MarkdownReport, ShowsEveryRowAndWhatIsBehindItWhereDetailsAreAskedFor) {
  golden::expect_equal(markdown_report(sample::comparison_with_every_verdict(), {}, Extent::whole),
                       "report/every_verdict_details.md");
}

TEST(JsonReport, ShowsEveryVerdict) {
  golden::expect_equal(json_report(sample::comparison_with_every_verdict()), "report/every_verdict.json");
}

TEST(TerminalHistory, DrawsTheStepOfFourCommits) {
  golden::expect_equal(terminal_history({{sample::history_of_four_commits()}, {}}, {false, true, 100}),
                       "report/history_100.out");
  golden::expect_equal(terminal_history({{sample::history_of_four_commits()}, {}}, {false, false, 60}),
                       "report/history_ascii_60.out");
}

TEST(TerminalHistory, SaysWhoseTimeTheDatesAreWhereThereIsOne) {
  storage::HistorySeries series = sample::history_of_four_commits();
  const auto says_zone = [&series] {
    return terminal_history({{series}, {}}, {false, true, 100}).find("\n             UTC\n") != std::string::npos;
  };
  for (std::size_t i = 1; i < series.points.size(); ++i) series.points[i].at_unix_ns = 0;
  EXPECT_TRUE(says_zone());
  series.points[0].at_unix_ns = 0;
  EXPECT_FALSE(says_zone());
}

storage::HistorySeries history_of(std::size_t commits) {
  storage::HistorySeries series = sample::history_of_four_commits();
  const std::vector<storage::HistoryPoint> levels = series.points;
  series.points.clear();
  for (std::size_t i = 0; i < commits; ++i) {
    series.points.push_back(levels[i % levels.size()]);
    series.points.back().commit = std::string(40, "0123456789abcdef"[i % 16]);
  }
  return series;
}

// Its lines of the chart, and the one below that names commits; empty: none does.
struct DrawnHistory {
  explicit DrawnHistory(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_of("+|") != std::string::npos && axis.empty()) chart.push_back(line);
      const bool is_of_commits = line.find_first_not_of(" 0123456789abcdef") == std::string::npos;
      if (is_of_commits && !line.empty()) axis = line;
    }
  }
  bool has_point_at(std::size_t column) const {
    return std::any_of(chart.begin(), chart.end(),
                       [column](const std::string& line) { return line.size() > column && line[column] == 'o'; });
  }
  std::vector<std::string> chart;
  std::string axis;
};

TEST(TerminalHistory, NamesTheCommitsForWhichThereIsRoomEachBelowItsPoint) {
  const std::string text = terminal_history({{history_of(8)}, {}}, {false, false, 80});
  const DrawnHistory drawn(text);
  const std::size_t indent = drawn.axis.find('0');
  ASSERT_NE(indent, std::string::npos) << text;
  const std::string gap(9, ' ');
  EXPECT_EQ(drawn.axis.substr(indent),
            std::string(9, '0') + gap + std::string(9, '2') + gap + std::string(9, '4') + gap + std::string(9, '6'));
  for (const char digit : {'0', '2', '4', '6'}) EXPECT_TRUE(drawn.has_point_at(drawn.axis.find(digit))) << text;
  for (const int width : {60, 80}) {
    for (std::size_t commits = 1; commits <= 40; ++commits) {
      const DrawnHistory other(terminal_history({{history_of(commits)}, {}}, {false, false, width}));
      EXPECT_FALSE(other.axis.empty()) << commits;
      EXPECT_LE(other.axis.size(), static_cast<std::size_t>(width)) << commits;
    }
  }
  const DrawnHistory crowded(terminal_history({{history_of(100)}, {}}, {false, false, 80}));
  EXPECT_EQ(crowded.axis, "") << "several points share each column";
}

// Two pairs without commits, of which the first is of an older program: it kept one time for both sides.
TEST(TerminalHistory, TellsTheChangeOfAPairWithoutCommitsFromItsOwnBaselineAlone) {
  storage::HistorySeries series = sample::history_of_four_commits();
  const std::int64_t then = series.points[0].at_unix_ns;
  const std::array<std::int64_t, 4> at{then, then, then + 60'000'000'000, then + 60'000'000'001};
  const std::array<double, 4> levels{100, 170, 110, 190};
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    series.points[i].run = std::string(64, static_cast<char>('a' + i));
    series.points[i].commit = series.points[i].subject = "";
    series.points[i].at_unix_ns = at.at(i);
    series.points[i].value = levels.at(i);
  }
  const std::string text = terminal_history({{series}, {}}, {false, false, 100});
  for (const char run : {'a', 'b', 'c', 'd'}) EXPECT_NE(text.find("  run " + std::string(9, run)), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '%'), 1) << text;
  EXPECT_NE(text.find("+72.7 %", text.find("  run ddddddddd")), std::string::npos) << text;
  EXPECT_EQ(text.find("ddd"), text.find("run ddd") + 4) << "it is no commit below the chart: " << text;
}

TEST(TerminalHistory, SaysAtItsCommitWhoAcceptedAChangeAndUntilWhen) {
  const storage::HistorySeries series = sample::history_of_four_commits();
  storage::Alert alert;
  alert.id = std::string(64, 'a');
  alert.subject = {"shop", "main", series.benchmark, series.metric.name};
  alert.state = storage::AlertState::accepted;
  alert.accepted_commit = "0123456789abcdef";
  alert.accepted_until = "2026-12-31";
  alert.life = {{"opened", 1, "comparison:aa", series.points[2].commit, ""},
                {"accepted", 2, "ada", alert.accepted_commit, "the \x1b[31mchecksum"}};
  storage::Alert other = alert;
  other.subject.metric = "another";
  const std::string text = terminal_history({{series}, {}}, {false, true, 100}, {alert, other});
  const std::string said =
      "\n    alert aaaaaaaaaaaa accepted by ada, commit 012345678, until 2026-12-31: the ?[31mchecksum\n";
  const std::size_t at = text.find(said);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NE(text.substr(0, at).find("Let the token list grow"), std::string::npos);
  EXPECT_EQ(text.substr(0, at).find("Reserve the token list"), std::string::npos);
  EXPECT_EQ(text.find("alert ", at + said.size()), std::string::npos) << "the other is about another metric";
  const std::string document = json_history({{series}, {}}, {alert});
  EXPECT_NE(document.find("\"accepted_until\": \"2026-12-31\""), std::string::npos) << document;
}

TEST(TerminalChanges, SeparateThousandsInAllTheirCounts) {
  ChangesReport report;
  report.series.resize(1200);
  report.changes.resize(1200);
  const std::string text = terminal_changes(report, {false, true, 100});
  EXPECT_NE(text.find("1,200 series: "), std::string::npos) << text;
  EXPECT_NE(text.find("0 suspected; 1,200 without a change\n"), std::string::npos) << text;
}

TEST(TerminalAlerts, ShowNoLevelsThatContradictTheChange) {
  storage::Alert alert;
  alert.id = std::string(64, 'a');
  alert.subject = {"shop", "main", "BM_sort", "real_time"};
  alert.verdict = "regression";
  alert.unit = "us";
  alert.life = {{"opened", 1, "comparison:aa", "", ""}};
  alert.baseline = 6.86;
  const auto text_of = [&](double ratio, double candidate) {
    alert.ratio = ratio;
    alert.candidate = candidate;
    return terminal_alerts({alert}, {}, {false, false, 100});
  };
  EXPECT_NE(text_of(1.4, 9.6).find("+40.0 %  (6.86 us to 9.60 us)"), std::string::npos) << text_of(1.4, 9.6);
  EXPECT_EQ(text_of(3.5, 7.07).find("7.07"), std::string::npos) << "much less";
  EXPECT_EQ(text_of(1.1, 9.6).find("9.60"), std::string::npos) << "much more";
  EXPECT_EQ(text_of(1.1, 6.5).find("6.50"), std::string::npos) << "the other way";
}

TEST(TerminalAlerts, OfSeveralMachinesSayOfWhichAndOneByItselfAlways) {
  storage::Alert alert;
  alert.id = std::string(64, 'a');
  alert.subject = {"shop", "main", "BM_sort", "real_time", "c18522b80aaaa", "1234"};
  alert.verdict = "regression";
  alert.ratio = 1.2;
  alert.life = {{"opened", 1, "change point", "", ""}};
  storage::Alert other = alert;
  other.subject.fingerprint = "3f2a91c05bbbb";
  const TerminalStyle plain{false, false, 100};
  const std::string both = terminal_alerts({alert, other}, {}, plain);
  EXPECT_NE(both.find("real_time  on shop main, machine c18522b80  +20"), std::string::npos) << both;
  EXPECT_NE(both.find("real_time  on shop main, machine 3f2a91c05  +20"), std::string::npos) << both;
  storage::Alert compared = other;
  compared.subject.fingerprint.clear();
  EXPECT_EQ(terminal_alerts({alert, alert, compared}, {}, plain).find("machine"), std::string::npos);
  EXPECT_NE(terminal_alert(alert, "", plain).find("on shop main, machine c18522b80  +20"), std::string::npos);
}

TEST(JsonHistory, ShowsTheStepOfFourCommits) {
  golden::expect_equal(json_history({{sample::history_of_four_commits()}, {}}), "report/history.json");
}

TEST(TerminalRun, ShowsLevelsSpreadsAndFailures) {
  golden::expect_equal(terminal_run(sample::run_with_a_failure(), {false, true, 100}), "report/run_100.out");
}

// 6,018 for a whole program and 3,272 for the timed loop of one benchmark must not look alike.
TEST(TerminalRun, WhatTheBudgetDidNotReachHasNotFailedAndIsToldOnce) {
  steelyard::Run run = sample::run_with_a_failure();
  run.failures.clear();
  for (const char* name : {"BM_a", "BM_b", "BM_c", "BM_d", "BM_e"}) {
    run.failures.push_back({parse_google_benchmark_name(name), std::string(kInstructions), -1,
                            "the budget for counting was spent", FailureKind::not_reached});
  }
  const std::string text = terminal_run(run, {false, true, 200});
  EXPECT_NE(text.find("? not run  BM_a, BM_b, BM_c, BM_d and 1 more, instructions: not reached: the budget"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("failed"), std::string::npos) << text;
  EXPECT_EQ(text.find("not run"), text.rfind("not run"));
}

TEST(TerminalRun, LabelsCountsThatAreNotOfTheTimedLoopAlone) {
  steelyard::Run run = sample::run_with_a_failure();
  CountBasis& basis = run.measurements[1].count_basis;
  const std::string of_the_loop = terminal_run(run, {false, true, 100});
  EXPECT_EQ(of_the_loop.find("instructions, "), std::string::npos);
  EXPECT_EQ(json_run(run).find("count_scope"), std::string::npos);
  basis.scope = CountScope::whole_program;
  basis.jitter_from = "one thread, whole program: learned from 5 repeats; nothing could be wrapped; unstrip it";
  const std::string whole = terminal_run(run, {false, true, 100});
  EXPECT_NE(whole.find("instructions, whole program  "), std::string::npos) << whole;
  EXPECT_NE(whole.find("1 count of instructions is not of the timed loop alone, but of all that ran in its program"),
            std::string::npos)
      << whole;
  EXPECT_NE(whole.find("unstrip"), std::string::npos) << "what to do about it";
  EXPECT_NE(json_run(run).find("\"count_scope\": \"whole program\""), std::string::npos);
  basis.scope = CountScope::whole_functions;
  EXPECT_NE(terminal_run(run, {false, true, 100}).find("instructions, whole functions  "), std::string::npos);
}

// As where the budget ended before a command was counted.
TEST(BenchmarkLines, ARowWithoutAChangeStandsBehindOneThatHasOne) {
  Comparison comparison = sample::quiet_comparison(1);
  ComparisonRow count = sample::instructions_row("sort", 100, 100);
  count.verdict = Verdict::inconclusive;
  count.ratio.reset();
  comparison.rows = {count, sample::time_row("sort", 0.7, Verdict::improvement)};
  const BenchmarkLines lines = benchmark_lines(comparison);
  ASSERT_EQ(lines.leading.size(), 1U);
  EXPECT_EQ(lines.leading[0]->metric.name, kRealTime);
  EXPECT_EQ(lines.others_text(*lines.leading[0]), "undecided");
  comparison.rows.pop_back();
  EXPECT_EQ(benchmark_lines(comparison).leading.size(), 1U) << "where it is alone";
}

TEST(JsonRun, ShowsSamplesAndFailures) {
  golden::expect_equal(json_run(sample::run_with_a_failure()), "report/run.json");
}

TEST(Status, ShowsWhatWaits) {
  const storage::StoreStatus status{"embedded", "15.6", 3, 3, 12, 240, 57600, 6, 18'000'000, 2};
  golden::expect_equal(terminal_status(status, {false, true, 100}), "report/status.out");
  golden::expect_equal(json_status(status, {}), "report/status.json");
}

}  // namespace
}  // namespace steelyard::ci::report_test
