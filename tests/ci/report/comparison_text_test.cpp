#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/model/kept_words.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/function_lines.hpp"
#include "ci/report/headline.hpp"
#include "ci/report/reason_text.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::comparison_text_test {
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

using testing::ElementsAre;
using testing::HasSubstr;

Comparison with(const std::vector<ComparisonRow>& rows) {
  Comparison comparison;
  comparison.rows = rows;
  return comparison;
}

std::string story_of(const Comparison& comparison, const std::string& benchmark) {
  return combined_explanation(RowIndex(comparison), benchmark);
}

std::vector<FunctionLine> lines_of(const Comparison& comparison, const ComparisonRow& row) {
  return function_lines(RowIndex(comparison), row);
}

Comparison moved_by(const std::vector<double>& ratios) {
  Comparison comparison = sample::quiet_comparison(0);
  for (const double ratio : ratios) {
    comparison.rows.push_back(
        sample::time_row("BM_" + std::to_string(comparison.rows.size()), ratio, Verdict::inconclusive));
  }
  comparison.drifts = {{"real_time", 1.041, 0.005, static_cast<std::int64_t>(ratios.size()), false}};
  return comparison;
}

TEST(DriftLine, TellsTheDistanceOfTheFarthestRowUnlessTheMoveIsSmallOrWasTakenOff) {
  Comparison comparison = moved_by({1.041, 1.045, 1.0484, 1.039, 1.041});
  EXPECT_EQ(drift_line(comparison),
            "all 5 benchmarks moved by +4.10 % together in real_time, each within 0.74 points of that");
  comparison.rows.push_back(sample::time_row("BM_gone", 1, Verdict::missing));
  comparison.rows.back().ratio.reset();
  EXPECT_EQ(drift_line(comparison),
            "5 of 6 benchmarks moved by +4.10 % together in real_time, each within 0.74 points of that");
  comparison.drifts[0].removed = true;
  EXPECT_EQ(drift_line(comparison), "");
  comparison = moved_by({1.004, 1.004, 1.004, 1.004, 1.004});
  comparison.drifts[0].ratio = 1.004;
  EXPECT_EQ(drift_line(comparison), "");
}

// The deviation that is kept with the drift is a floor of the method, no finding about these rows.
TEST(DriftLine, SaysNothingWhereBenchmarksWentTheirOwnWays) {
  EXPECT_EQ(drift_line(moved_by({3.48, 2.53, 1.048, 0.986, 0.993, 1.0007})), "");
  EXPECT_EQ(drift_line(moved_by({1.041, 1.041, 1.041, 1.041, 1.0})), "") << "one did not move";
  Comparison lacking = moved_by({1.041, 1.041, 1.041, 1.041, 1.041});
  lacking.rows.pop_back();
  EXPECT_EQ(drift_line(lacking), "") << "of one that the drift was told from there is no row";
}

TEST(DriftLine, HoldsOfLargeMovesInPoints) {
  const auto moved = [](const std::vector<double>& ratios, double shared) {
    Comparison comparison = moved_by(ratios);
    comparison.drifts[0].ratio = shared;
    return drift_line(comparison);
  };
  EXPECT_EQ(moved({3.69, 4.09, 4.49, 4.1, 4.09}, 4.09),
            "all 5 benchmarks moved by +309 % together in real_time, each within 40 points of that");
  EXPECT_EQ(moved({2.5, 4.09, 8, 4.1, 4.09}, 4.09), "");
  EXPECT_EQ(moved({0.04, 0.053, 0.07, 0.05, 0.06}, 0.053),
            "all 5 benchmarks moved by -94.7 % together in real_time, each within 1.7 points of that");
  EXPECT_EQ(moved({0.04, 0.053, 0.2, 0.05, 0.06}, 0.053), "") << "the third is four times as much";
}

TEST(AtMostText, IsNeverLessThanWhatItBounds) {
  EXPECT_EQ(at_most_text(0.0072), "0.72 %");
  EXPECT_EQ(at_most_text(0.00721), "0.73 %");
  EXPECT_EQ(at_most_text(0), "0 %");
}

TEST(LevelsLine, NamesTheRowsWhoseLevelsAndChangeDisagreeInSign) {
  Comparison comparison = moved_by({1.048, 1.02});
  EXPECT_EQ(levels_line(comparison), "");
  comparison.rows[0].baseline = 7.08;
  comparison.rows[0].candidate = 7.01;
  EXPECT_EQ(levels_line(comparison),
            "levels are medians of each side by itself, the change holds the sides of each round against each other: "
            "they point in opposite directions for BM_0");
  comparison.rows[0].test = TestKind::drift_widened;
  EXPECT_THAT(levels_line(comparison), HasSubstr("the change is estimated from all invocations"));
  comparison.drifts[0].removed = true;
  EXPECT_THAT(levels_line(comparison), HasSubstr("the change is less the common movement"));
  comparison.rows[0].candidate = 7.081;
  comparison.rows[0].ratio = 0.99;
  EXPECT_EQ(levels_line(comparison), "") << "both are printed as 7.08";
}

// 6.17 to 22.44 is no +33.9 %: who divides the cells is told why.
TEST(LevelsLine, NamesTheRowsWhoseLevelsLieOutsideOfTheInterval) {
  Comparison comparison = moved_by({1.339, 1.02, 1.05});
  comparison.rows[0].interval = Interval{1.21, 1.48};
  comparison.rows[0].baseline = 6170;
  comparison.rows[0].candidate = 22440;
  const std::string line =
      "levels are medians of each side by itself, the change holds the sides of each round against each other: "
      "the levels' ratio is outside the interval of BM_0";
  EXPECT_EQ(levels_line(comparison), line);
  const steelyard::Run none;
  TerminalStyle wide;
  wide.width = 300;
  for (const Extent extent : {Extent::brief, Extent::whole}) {
    EXPECT_THAT(terminal_report(comparison, wide, {}, extent), HasSubstr(line));
    EXPECT_THAT(markdown_report(comparison, {}, extent), HasSubstr("outside the interval of"));
  }
  EXPECT_THAT(html_report(comparison, {none, none, {}}), HasSubstr("outside the interval of BM_0"));
  comparison.rows[1].baseline = 7080;
  comparison.rows[1].candidate = 7010;
  EXPECT_THAT(levels_line(comparison), HasSubstr("each other: they point in opposite directions for BM_1; the levels' "
                                                 "ratio is outside the interval of BM_0"));
  comparison.rows[0].interval = Interval{1.21, 3.7};
  EXPECT_THAT(levels_line(comparison), testing::Not(HasSubstr("outside"))) << "the interval holds it";
  comparison.rows[2].interval = Interval{1.05, 1.05};
  comparison.rows[2].candidate = *comparison.rows[2].baseline * 1.0500001;
  EXPECT_THAT(levels_line(comparison), testing::Not(HasSubstr("BM_2"))) << "what is printed is equal";
}

// 35.5 to 58.8 is no +50.0 %, though the interval has room for both.
TEST(LevelsLine, NamesTheRowsWhoseLevelsAreFarFromTheChangeThoughWithinTheInterval) {
  Comparison comparison = moved_by({1.02, 1.5});
  comparison.rows[1].interval = Interval{1.306, 1.805};
  comparison.rows[1].baseline = 35.5;
  comparison.rows[1].candidate = 58.8;
  EXPECT_EQ(levels_line(comparison),
            "levels are medians of each side by itself, the change holds the sides of each round against each other: "
            "the levels' ratio is within the interval and off the change by more than the minimum effect for BM_1");
  comparison.rows[1].candidate = 35.5 * 1.51;
  EXPECT_EQ(levels_line(comparison), "") << "by less than 1 %";
}

TEST(LevelsLine, NamesTheRowsThatChangedMostFirst) {
  Comparison comparison = moved_by({1.02, 1.03, 1.2, 1.1});
  for (ComparisonRow& row : comparison.rows) row.candidate = 2 * *row.baseline;
  EXPECT_THAT(levels_line(comparison), testing::EndsWith("outside the interval of BM_2, BM_3, BM_1 and 1 more"));
  comparison.rows[2].benchmark = std::string(2000, 'n');
  EXPECT_THAT(levels_line(comparison), testing::EndsWith("nnn, BM_3, BM_1 and 1 more"));
  EXPECT_LT(levels_line(comparison).size(), 300U);
  EXPECT_THAT(levels_line(comparison), HasSubstr("n...n")) << "on every terminal";
}

TEST(LevelsLine, NamesARowAsItsProgramDoes) {
  Comparison comparison = moved_by({1.02});
  comparison.rows[0].candidate = 2 * *comparison.rows[0].baseline;
  comparison.rows[0].benchmark = "BM_a %255B8]";
  EXPECT_THAT(levels_line(comparison), testing::EndsWith("outside the interval of BM_a %5B8]"));
}

TEST(ConditionsLine, GivesTheRangeOfRounds) {
  Comparison comparison = sample::quiet_comparison(2);
  EXPECT_EQ(conditions_line(comparison), "duet, 24 rounds, seed 7; minimum effect 1 %, intervals at 95 %");
  comparison.candidate.seed = 0;
  EXPECT_EQ(conditions_line(comparison), "duet, 24 rounds; minimum effect 1 %, intervals at 95 %");
  comparison.rows[0].rounds = 12;
  EXPECT_THAT(conditions_line(comparison), HasSubstr("duet, 12 to 24 rounds"));
}

TEST(EnvironmentLines, PutDecisiveFactsFirstAndNameWhatIsNotRecorded) {
  Comparison comparison;
  comparison.environment_differences = {{"host", "a", "b", false}, {"cpu.model", "x", "", true}};
  EXPECT_THAT(environment_lines(comparison), ElementsAre("cpu.model: x -> not recorded (decisive)", "host: a -> b"));
}

TEST(WarningLines, SayEachWarningOnce) {
  Comparison comparison;
  comparison.warnings = {"b", "a", "b"};
  EXPECT_THAT(warning_lines(comparison), ElementsAre("b", "a"));
}

struct StoryCase {
  const char* count;  // up, equal, down, undecided, absent
  const char* time;   // slower, faster, equal, undecided, absent
  const char* story;
};

ComparisonRow counted_as(const std::string& word) {
  ComparisonRow row = sample::instructions_row("a", 1000, word == "up" ? 1021 : word == "down" ? 979 : 1000);
  if (word == "undecided") row.verdict = Verdict::inconclusive;
  return row;
}

ComparisonRow timed_as(const std::string& word) {
  if (word == "slower") return sample::time_row("a", 1.02, Verdict::regression);
  if (word == "faster") return sample::time_row("a", 0.98, Verdict::improvement);
  return sample::time_row("a", 1.001, word == "equal" ? Verdict::unchanged : Verdict::inconclusive);
}

class CombinedExplanations : public testing::TestWithParam<StoryCase> {};

TEST_P(CombinedExplanations, SayWhatTheSignalsMeanTogether) {
  std::vector<ComparisonRow> rows;
  if (std::string(GetParam().time) != "absent") rows.push_back(timed_as(GetParam().time));
  if (std::string(GetParam().count) != "absent") rows.push_back(counted_as(GetParam().count));
  EXPECT_EQ(story_of(with(rows), "a"), GetParam().story);
}

INSTANTIATE_TEST_SUITE_P(
    EveryCombination, CombinedExplanations,
    testing::Values(
        StoryCase{"up", "slower", "instructions +2.10 %, time +2.00 %: real"},
        StoryCase{"up", "faster", "instructions +2.10 %, time -2.00 %: more work in less time"},
        StoryCase{"up", "equal", "instructions +2.10 %, time equal: the time does not show it"},
        StoryCase{"up", "undecided", "instructions +2.10 %, time undecided: more work for certain, its time not shown"},
        StoryCase{"up", "absent", ""},  //
        StoryCase{"equal", "slower", "instructions equal, time +2.00 %: layout, memory, waiting or the machine"},
        StoryCase{"equal", "faster", "instructions equal, time -2.00 %: layout, memory, waiting or the machine"},
        StoryCase{"equal", "equal", ""}, StoryCase{"equal", "undecided", ""}, StoryCase{"equal", "absent", ""},
        StoryCase{"down", "slower", "instructions -2.10 %, time +2.00 %: less work in more time"},
        StoryCase{"down", "faster", "instructions -2.10 %, time -2.00 %: improved"},
        StoryCase{"down", "equal", "instructions -2.10 %, time equal: the time does not show it"},
        StoryCase{"down", "undecided",
                  "instructions -2.10 %, time undecided: less work for certain, its time not shown"},
        StoryCase{"down", "absent", ""},  //
        StoryCase{"undecided", "slower", "instructions undecided, time +2.00 %: what changed the time is not shown"},
        StoryCase{"undecided", "faster", "instructions undecided, time -2.00 %: what changed the time is not shown"},
        StoryCase{"undecided", "equal", ""}, StoryCase{"undecided", "undecided", ""},
        StoryCase{"undecided", "absent", ""},  //
        StoryCase{"absent", "slower", ""}, StoryCase{"absent", "faster", ""}, StoryCase{"absent", "equal", ""},
        StoryCase{"absent", "undecided", ""}, StoryCase{"absent", "absent", ""}),
    [](const auto& tested) {
      return "Count_" + std::string(tested.param.count) + "_time_" + std::string(tested.param.time);
    });

TEST(CombinedExplanation, DoesNotClaimThatTimeWouldHaveShownWhatItsMarginHides) {
  const auto rows = with({sample::time_row("a", 1.001, Verdict::unchanged), sample::instructions_row("a", 1000, 1001)});
  EXPECT_EQ(story_of(rows, "a"), "instructions +0.10 %, time equal: too little to show in the time");
}

TEST(CombinedExplanation, SaysHowEqualACountWithJitterIs) {
  ComparisonRow count = sample::instructions_row("a", 10000, 10001);
  count.verdict = Verdict::unchanged;
  count.jitter = 0.0002;
  EXPECT_EQ(story_of(with({sample::time_row("a", 1.03, Verdict::regression), count}), "a"),
            "instructions equal to 0.02 %, time +3.00 %: layout, memory, waiting or the machine");
  count.jitter = 2e-6;
  EXPECT_EQ(story_of(with({sample::time_row("a", 1.03, Verdict::regression), count}), "a"),
            "instructions equal to 0.0002 %, time +3.00 %: layout, memory, waiting or the machine");
}

TEST(CombinedExplanation, SaysMoreWhereTheBuildsAreKnownToBeEqual) {
  ComparisonRow count = sample::instructions_row("a", 1000, 1000);
  const ComparisonRow time = sample::time_row("a", 1.03, Verdict::regression);
  count.reason = "counted exactly; the code it executes is equal in both builds; data may differ";
  count.notes = read_notes(count.reason);
  EXPECT_EQ(story_of(with({time, count}), "a"),
            "instructions equal, time +3.00 %: layout, memory, waiting or the machine; the code it executes is equal, "
            "its data may differ");
  EXPECT_EQ(equality_line(with({time, count})), "1 of 1 count: the code that was executed is equal, data may differ");
  count.reason =
      "counted exactly; not counted again: every loaded section of program and libraries is equal (sha256 0)";
  count.notes = read_notes(count.reason);
  EXPECT_EQ(story_of(with({time, count}), "a"),
            "instructions equal, time +3.00 %: the machine; both builds are one program");
  EXPECT_EQ(equality_line(with({time, count})),
            "1 of 1 count not taken again: every loaded section of program and libraries is equal");
  EXPECT_EQ(equality_line(with({time})), "");
}

TEST(CombinedExplanation, IsSilentWhereASignalWasNotJudgedOrCountedMoreThanTheTimedRegion) {
  ComparisonRow count = sample::instructions_row("a", 1, 2);
  count.verdict = Verdict::incomparable;
  EXPECT_EQ(story_of(with({sample::time_row("a", 1.1, Verdict::regression), count}), "a"), "");
  ComparisonRow whole = sample::instructions_row("a", 1000, 1100);
  whole.count_scope = CountScope::whole_program;
  EXPECT_EQ(story_of(with({sample::time_row("a", 1.1, Verdict::regression), whole}), "a"), "");
}

TEST(CombinedExplanation, IsSilentWhereTheLibraryRanOtherCodeUnderTheCounter) {
  ComparisonRow count = sample::instructions_row("a", 1000, 1100);
  count.reason = "counted exactly; library dispatch: SkylakeX natively, Haswell under Valgrind";
  count.notes = read_notes(count.reason);
  EXPECT_EQ(story_of(with({sample::time_row("a", 1.1, Verdict::regression), count}), "a"), "");
  count.reason = "counted exactly; not counted again: the file dispatch.bin is equal";
  count.notes = read_notes(count.reason);
  EXPECT_NE(story_of(with({sample::time_row("a", 1.1, Verdict::regression), count}), "a"), "");
}

// What a change of f says, in a benchmark of 1000 instructions.
std::string what_of(const FunctionChange& function) {
  ComparisonRow row = sample::instructions_row("a", 1000, 1100);
  row.functions = {function};
  return lines_of(with({row}), row).at(0).what;
}

FunctionChange changed(double self, double inclusive, double calls) {
  return {"f(int)", "src/f.cpp", 7, self, inclusive, calls, 1, true};
}

FunctionChange split(double calls, double from_calls, double from_cost) {
  FunctionChange function = changed(from_calls + from_cost, from_calls + from_cost, calls);
  function.from_calls = from_calls;
  function.from_cost_per_call = from_cost;
  return function;
}

TEST(FunctionLines, TellMoreCallsFromDearerCalls) {
  EXPECT_EQ(what_of(split(0, 0, 100)), "each call costs more");
  EXPECT_EQ(what_of(split(0, 0, -100)), "each call costs less");
  EXPECT_EQ(what_of(split(1, 100, 0)), "called 1 time more");
  EXPECT_EQ(what_of(split(1024, 100, 0)), "called 1,024 times more");
  EXPECT_EQ(what_of(split(-0.5, -100, 0)), "called 0.50 times less");
  EXPECT_EQ(what_of(split(0.0004, 100, 0)), "called 0.0004 times more");
  EXPECT_EQ(what_of(split(2, 80, 43)), "called 2 times more (+8.00 %), each costs more (+4.30 %)");
  EXPECT_EQ(what_of(split(-2, -50, 150)), "called 2 times less (-5.00 %), each costs more (+15.0 %)");
  EXPECT_EQ(what_of(split(2, 100, 9)), "called 2 times more") << "what explains less than a tenth is left out";
}

TEST(FunctionLines, SayWhatOneSideAloneHas) {
  EXPECT_EQ(what_of(changed(100, 100, 3)), "new: called 3 times");
  EXPECT_EQ(what_of(changed(-100, -100, -3)), "gone: was called 3 times");
  EXPECT_EQ(what_of(changed(100, 100, 0)), "costs more");
}

TEST(FunctionLines, SayWhereWorkMoved) {
  FunctionChange function = changed(100, 100, 0);
  function.inlined_into = "void run<int>(int)";
  EXPECT_EQ(what_of(function), "inlined into run<>");
  function.calls_change = -10;
  EXPECT_EQ(what_of(function), "now inlined into run<>");
  FunctionChange lost = changed(100, 100, 10);
  lost.once_inlined_into = "run";
  EXPECT_EQ(what_of(lost), "no longer inlined into run");
  FunctionChange renamed = split(0, 0, 100);
  renamed.renamed_from = "old_name(int)";
  EXPECT_EQ(what_of(renamed), "renamed from old_name; each call costs more");
  EXPECT_EQ(what_of(changed(100, 0, 0)), "more work of its own, less in what it calls");
}

TEST(FunctionLines, GiveTheirPartsOfTheBenchmarksInstructions) {
  const Comparison comparison = sample::comparison_with_every_verdict();
  for (const ComparisonRow& row : comparison.rows) {
    if (row.benchmark != "BM_tokenize/1024") continue;
    const std::vector<FunctionLine> lines = lines_of(comparison, row);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].name, "textkit::tokenize");
    EXPECT_EQ(lines[0].self, "+0.11 %");
    EXPECT_EQ(lines[0].inclusive, "+12.3 %");  // 1351 of 11013, for the row of time too
    EXPECT_EQ(lines[0].place, "src/tokenizer.cpp:41");
    EXPECT_EQ(lines[1].place, "vector.tcc:436");
    EXPECT_EQ(lines[2].place, "");
  }
}

TEST(FunctionLines, GivePartsAndNoFactorsHoweverLarge) {
  ComparisonRow row = sample::instructions_row("a", 100, 1600);
  row.functions = {changed(1500, 1500, 0)};
  EXPECT_EQ(lines_of(with({row}), row).at(0).self, "+1500 %");
}

TEST(FunctionLines, GiveInstructionsWhereTheBaselineHasNone) {
  ComparisonRow row = sample::instructions_row("a", 1000, 1100);
  row.baseline = 0;
  row.functions = {changed(100, 120, 0)};
  EXPECT_EQ(lines_of(with({row}), row).at(0).self, "+100.0");
}

TEST(CallPathNames, LeaveOutTheMiddleOfALongPathAndKeepItsEnd) {
  ComparisonRow row;
  for (int i = 0; i < 10; ++i) row.call_path.push_back("f" + std::to_string(i) + "(int)");
  EXPECT_EQ(call_path_names(row).size(), 10U);
  EXPECT_EQ(call_path_names(row).at(3), "f3");
  row.call_path.push_back("f10(int)");
  EXPECT_THAT(call_path_names(row), ElementsAre("f0", "f1", "f2", "(2 more)", "f5", "f6", "f7", "f8", "f9", "f10"));
}

TEST(GateNotes, SayWhyARegressionDoesNotGate) {
  ComparisonRow told = sample::instructions_row("a", 1000, 1001);
  told.gates = false;
  told.gate_note = "it is below the minimum effect of counts, 1 %";
  const ComparisonRow gating = sample::time_row("a", 1.1, Verdict::regression);
  EXPECT_THAT(gate_notes({&told, &gating}),
              ElementsAre("instructions does not gate: it is below the minimum effect of counts, 1 %"));
  EXPECT_EQ(summary_line(with({told, gating})), "2 regressions (1 reported, not gating)");
  EXPECT_EQ(summary_line(with({told})), "1 regression (reported, not gating)");
}

TEST(IntervalCell, HasTheMarginWhereItIsNotTheUsualOneAndDecides) {
  ComparisonRow row = sample::time_row("a", 1.002, Verdict::unchanged);
  EXPECT_EQ(interval_cell(row), "[-0.40, +0.80] %");
  row.margin = 0.052;
  EXPECT_EQ(interval_cell(row), "[-0.40, +0.80] %, margin 5.2 %");
  row.verdict = Verdict::inconclusive;
  EXPECT_EQ(interval_cell(row), "[-0.40, +0.80] %, margin 5.2 %");
  row.verdict = Verdict::regression;
  EXPECT_EQ(interval_cell(row), "[-0.40, +0.80] %, margin 5.2 %") << "it changed by less";
  row.ratio = 1.06;
  EXPECT_EQ(interval_cell(row), "[-0.40, +0.80] %") << "it changed by more";
  row.ratio = 1.002;
  row.verdict = Verdict::inconclusive;
  row.layout = Layout::sequential;
  EXPECT_EQ(interval_cell(row), "[-0.40, +0.80] %") << "of sides apart nothing is called unchanged";
}

TEST(IntervalCell, OfAChangeThatReadsAsAFactorIsInFactorsInEachReport) {
  ComparisonRow row = sample::time_row("a", 12.49, Verdict::regression);
  row.interval = Interval{11.9, 13.04};
  row.margin = 0.052;
  const std::string cell = "[x 11.9, x 13.0]";
  EXPECT_EQ(interval_cell(row), cell);
  const Comparison comparison = sample::comparison_of({row});
  for (const Extent extent : {Extent::brief, Extent::whole}) {
    EXPECT_NE(terminal_report(comparison, {}, {}, extent).find(cell), std::string::npos);
  }
  EXPECT_NE(markdown_report(comparison, {}, Extent::whole).find("\\[x 11.9, x 13.0\\]"), std::string::npos);
  EXPECT_NE(markdown_report(comparison).find("x\u00a011.9,\u00a0x\u00a013.0"), std::string::npos);
  EXPECT_NE(html_report(comparison, {steelyard::Run{}, steelyard::Run{}, {}}).find(cell), std::string::npos);
}

// One table has intervals in percent and in factors, and counts that have none.
TEST(IntervalCell, HasItsUnitWhichTheHeadDoesNotClaimOfAllCells) {
  ComparisonRow factor = sample::time_row("a", 12.49, Verdict::regression);
  factor.interval = Interval{11.9, 13.04};
  const Comparison comparison = sample::comparison_of({factor, sample::time_row("b", 1.002, Verdict::inconclusive)});
  const std::string page = html_report(comparison, {steelyard::Run{}, steelyard::Run{}, {}});
  EXPECT_THAT(page, testing::AllOf(HasSubstr("<th>interval</th>"), HasSubstr(">[-0.40, +0.80] %<")));
  for (const Extent extent : {Extent::brief, Extent::whole}) {
    EXPECT_THAT(terminal_report(comparison, {}, {}, extent), HasSubstr("[-0.40, +0.80] %"));
    EXPECT_THAT(markdown_report(comparison, {}, extent), HasSubstr("| change | interval | "));
  }
  EXPECT_THAT(markdown_report(comparison, {}, Extent::whole), HasSubstr("| \\[-0.40, +0.80\\] % |"));
  EXPECT_THAT(markdown_report(comparison), HasSubstr("| \\[-0.40,\u00a0+0.80\\]\u00a0% |"));
}

TEST(MetricLabel, ReadsAsWords) {
  EXPECT_EQ(metric_label(*well_known_metric(kRealTime)), "time");
  EXPECT_EQ(metric_label(*well_known_metric(kCpuTime)), "cpu time");
}

TEST(SoloNotes, TellOfEachChangeWhatItIsAlone) {
  Comparison comparison = sample::comparison_with_every_verdict();
  ComparisonRow* changed = nullptr;
  for (ComparisonRow& row : comparison.rows) {
    if (row.verdict == Verdict::regression && row.metric.name == kRealTime) changed = &row;
  }
  ASSERT_NE(changed, nullptr);
  EXPECT_TRUE(solo_notes({changed}).empty());
  changed->solo = SoloCheck{1.048, Interval{1.031, 1.12}, 10, true};
  const std::string note = "time, alone: +4.80 % (+3.10 % to +12.0 %)";
  EXPECT_THAT(solo_notes({changed}), ::testing::ElementsAre(note + ", which agrees"));
  EXPECT_NE(terminal_report(comparison, {}, {}, Extent::whole).find(note), std::string::npos);
  EXPECT_NE(markdown_report(comparison, {}, Extent::whole).find(note), std::string::npos);
  changed->solo->agrees = std::nullopt;
  EXPECT_THAT(solo_notes({changed}),
              ::testing::ElementsAre("time, not confirmed alone: +4.80 % (+3.10 % to +12.0 %), too wide to tell"));
  changed->reason = "slower; alone: +4.80 % (+3.10 % to +12.0 %), too wide to tell";
  EXPECT_EQ(shown_reason(*changed), "slower; not confirmed alone: +4.80 % (+3.10 % to +12.0 %), too wide to tell");
}

}  // namespace

}  // namespace steelyard::ci::comparison_text_test
