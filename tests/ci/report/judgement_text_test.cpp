#include "ci/report/judgement_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/counting/count.hpp"
#include "bench/model/kept_words.hpp"
#include "ci/report/row_text.hpp"

namespace steelyard::ci::judgement_text_test {
namespace {

namespace caution = regress::caution;
namespace ungated = regress::ungated;
using regress::WhichSide;
using ::testing::ElementsAre;
using ::testing::StartsWith;

ComparisonRow row_of(std::string_view metric) {
  ComparisonRow row;
  row.benchmark = "BM_x";
  row.metric = *well_known_metric(metric);
  return row;
}

TEST(GateNoteText, SaysWhyARowDoesNotGate) {
  const auto note = [](const regress::GateNote& why) { return gate_note_text(row_of(kRealTime), why); };
  EXPECT_EQ(note({}), "");
  EXPECT_EQ(note(ungated::MetricNotAsked{}), "real_time is not among the metrics that gate");
  EXPECT_EQ(note(ungated::MetricNotAsked{"\"BM_0\" (steelyard.toml:12)"}),
            "real_time is not among the metrics that gate by the policy of \"BM_0\" (steelyard.toml:12)");
  EXPECT_EQ(note(ungated::ChangeAccepted{"Jane", "635ea12a0f", "", "spread is worth it"}),
            "accepted by commit 635ea12a0 (Jane): spread is worth it");
  EXPECT_EQ(note(ungated::ChangeAccepted{"jane", "", "2026-12-31", "for a while"}),
            "accepted by jane, until 2026-12-31: for a while");
  EXPECT_EQ(note(ungated::BelowCountedMinimum{0.01}), "it is below the minimum effect of counts, 1 %");
  EXPECT_EQ(note(ungated::LevelAccepted{"abcdef0123456789"}), "commit abcdef012 accepted this level");
  EXPECT_EQ(note(ungated::OtherSignalDecides{Witness::time}), "the policy lets time alone decide");
  EXPECT_EQ(note(ungated::OtherSignalDecides{Witness::instructions}), "the policy lets instructions alone decide");
  EXPECT_EQ(note(ungated::TimeDecides{Verdict::unchanged}),
            "time decides where it is decided, and it is shown unchanged");
  EXPECT_EQ(note(ungated::TimeDecides{Verdict::improvement}), "time decides where it is decided, and it is better");
  EXPECT_EQ(note(ungated::NotConfirmed{true, Verdict::unchanged}),
            "the policy wants both signals, and the count is unchanged");
  EXPECT_EQ(note(ungated::NotConfirmed{false, Verdict::improvement}),
            "the policy wants both signals, and the time is better");
  EXPECT_EQ(note(ungated::CountsNotAsked{}), "nobody asked for counts, and neither side has one");
  EXPECT_EQ(note(ungated::StepsNotConfirmed{}), "the policy wants both signals, and time cannot tell of single steps");
}

TEST(WarningText, SaysWhatIsToBeKnownOfTheWhole) {
  EXPECT_EQ(warning_text(caution::PolicyOutOfRange{"", "false_alarm_rate", -1, 1e-6, 0.5, 0.05}),
            "policy false_alarm_rate: found -1, wanted 1e-06 to 0.5; 0.05 was used");
  EXPECT_EQ(warning_text(caution::PolicyOutOfRange{"\"*\" (steelyard.toml:12)", "margin", -1, 1e-6, 10, 0.02}),
            "policy of \"*\" (steelyard.toml:12) margin: found -1, wanted 1e-06 to 10; 0.02 was used");
  EXPECT_EQ(warning_text(caution::CalibrationOfTooFewGates{{0, 3, {0, 0.708}}}),
            "the machine's calibration was not used: it is of 3 A/A gates, by which up to 70.8 % of all gates may be "
            "false; at least 6 are wanted (steelyard calibrate)");
  EXPECT_EQ(warning_text(caution::MachineNotNamed{WhichSide::both}),
            "neither side says what machine it was measured on; one machine was assumed");
  EXPECT_THAT(warning_text(caution::MachineNotNamed{WhichSide::baseline}),
              StartsWith("the baseline does not say what"));
  EXPECT_THAT(warning_text(caution::MachineNotNamed{WhichSide::candidate}),
              StartsWith("the candidate does not say what"));
  EXPECT_EQ(warning_text(caution::FactIgnored{{"cpu.model", "Xeon", "", true}}),
            "cpu.model differs (Xeon against not recorded) and was ignored as the policy says");
  EXPECT_EQ(warning_text(caution::Disturbances{{2, 2, 0, {{"steal time", 2}}}}),
            "2 of 2 processes were disturbed (2 by steal time): 2 are used");
  EXPECT_EQ(warning_text(caution::BusyMachine{0.342}),
            "other programs had 34.2 % of the cores' time in the middle of what was measured: noise is larger for it, "
            "and a small change may stay undecided; stop what else runs, or name cores that nothing else uses (taskset "
            "--cpu-list A,B steelyard ...)");
  EXPECT_EQ(warning_text(caution::RoundsCutShort{18, 18, 60}),
            "18 of 60 rounds: the budget was spent; allow more time (--budget)");
  EXPECT_EQ(warning_text(caution::RoundsCutShort{12, 18, 60}),
            "12 to 18 of 60 rounds: the budget was spent; allow more time (--budget)");
  EXPECT_EQ(warning_text(caution::WithoutLookPlan{}),
            "the two sides do not have one plan of looks that can be read (setting \"looks\"): p was taken as if the "
            "number of rounds had been fixed beforehand, and may be too small; measure again");
  EXPECT_EQ(warning_text(caution::MetricWithoutDirection{"hits"}),
            "metric hits: it declares no better direction, so it is recorded and not judged");
  EXPECT_EQ(warning_text(caution::TablesWithoutBenchmark{{"\"a/*\" (steelyard.toml:3)", "\"b\" (steelyard.toml:5)"}}),
            "no benchmark here matches the policy of \"a/*\" (steelyard.toml:3), \"b\" (steelyard.toml:5)");
}

TEST(WarningText, SaysWhoLeftProcessesBehindAndWhatBecameOfThem) {
  LeftProcesses left;
  EXPECT_EQ(left_processes_text(left, "the program"), "");
  left.build = {4, 0};
  EXPECT_EQ(warning_text(caution::ProcessesLeft{WhichSide::candidate, left}),
            "processes that the candidate left behind were ended: 4 by its build");
  left.benchmarks["BM_a"] = {12, 0};
  left.benchmarks["BM_b"] = {96, 0};
  EXPECT_EQ(warning_text(caution::ProcessesLeft{WhichSide::baseline, left}),
            "processes that the baseline left behind were ended: 4 by its build, 96 by BM_b and 12 by BM_a");
  left.benchmarks["BM_c"] = {5, 3};
  left.benchmarks["BM_d"] = {6, 0};
  left.benchmarks[""] = {7, 0};
  EXPECT_EQ(
      left_processes_text(left, "the program"),
      "processes that the program left behind were ended: 4 by its build, 96 by BM_b, 12 by BM_a, 7 by benchmarks "
      "that share processes and 11 by 2 more; processes that the program left behind could not be ended, being "
      "another user's or stuck, and may disturb what is measured: 3 by BM_c");
}

TEST(WarningText, SaysHowAllBenchmarksMovedTogether) {
  EXPECT_EQ(warning_text(caution::MovedTogether{"real_time", 13, 1.05, 0.004, true}),
            "the common movement of 13 benchmarks in real_time is estimated as +5.00 % (standard error 0.4 %): the "
            "machine, or a change that touches most of them; it was taken off every row; measure both sides together "
            "to tell (steelyard ab)");
  EXPECT_EQ(warning_text(caution::MovedTogether{"real_time", 13, 1.4, 0.004, false}),
            "the common movement of 13 benchmarks in real_time is estimated as +40.0 % (standard error 0.4 %): that is "
            "more than a machine drifts, and was not taken off");
  EXPECT_EQ(warning_text(caution::MovedAgainstHistory{"real_time", 6, 1.042}),
            "half of 6 benchmarks moved by +4.20 % or more in real_time: the machine, or a change that touches many; "
            "measure beside the parent to tell");
  EXPECT_EQ(warning_text(caution::JudgedByHistory{}),
            "judged against what the store knows of this machine, not beside a baseline measured at the same time: "
            "what differs between occasions is part of the noise here");
}

TEST(TooFewGatesText, SaysHowManyAreWanted) {
  EXPECT_EQ(too_few_gates_text({0, 3, {0, 0.708}}),
            "it is of 3 A/A gates, by which up to 70.8 % of all gates may be false; at least 6 are wanted");
}

TEST(Worded, FillsReasonsGateNotesAndWarningsEachInItsPlace) {
  regress::Judged judged;
  judged.comparison.rows = {row_of(kRealTime), row_of(kInstructions)};
  judged.facts.resize(2);
  judged.facts[1].reason = regress::why::OnOneSideOnly{WhichSide::baseline};
  judged.gate_notes = {ungated::MetricNotAsked{}, {}};
  judged.cautions = {caution::MetricWithoutDirection{"hits"}};
  const Comparison comparison = worded(judged);
  EXPECT_EQ(comparison.rows[0].reason, "");
  EXPECT_EQ(comparison.rows[1].reason, "the baseline has it, the candidate does not");
  EXPECT_EQ(comparison.rows[0].gate_note, "real_time is not among the metrics that gate");
  EXPECT_EQ(comparison.rows[1].gate_note, "");
  EXPECT_THAT(comparison.warnings,
              ElementsAre("metric hits: it declares no better direction, so it is recorded and not judged"));
}

TEST(DecideGatesInWords, ReplacesANoteThatNoLongerHolds) {
  Comparison comparison;
  comparison.rows = {row_of(kRealTime), row_of(kCpuTime)};
  comparison.rows[0].gate_note = "time decides where it is decided, and it is better";
  comparison.rows[0].gates = false;
  decide_gates_in_words(comparison);
  EXPECT_TRUE(comparison.rows[0].gates);
  EXPECT_EQ(comparison.rows[0].gate_note, "");
  EXPECT_FALSE(comparison.rows[1].gates);
  EXPECT_EQ(comparison.rows[1].gate_note, "cpu_time is not among the metrics that gate");
}

TEST(ExcuseInWords, IsKnownByItsNoteAndBeforeThereWasOneByItsSentence) {
  ComparisonRow row = row_of(kInstructions);
  row.verdict = Verdict::failed;
  excuse_in_words(row);
  EXPECT_FALSE(row.gates);
  EXPECT_EQ(row.notes, RowNotes{RowNote::not_asked_for});
  ComparisonRow older = row;
  older.notes = {};
  read_gate_note(older);
  EXPECT_EQ(older, row);
}

Run labelled(const std::string& label) {
  Run run;
  run.labels["BM_x"] = label;
  return run;
}

TEST(AttributeInWords, NamesChangedKernelsBeforeTheTimeAndWarnsOfAll) {
  Comparison comparison;
  comparison.rows = {row_of(kRealTime), row_of(kCpuTime)};
  for (ComparisonRow& row : comparison.rows) row.reason = "20 % slower";
  comparison.rows[0].verdict = Verdict::unchanged;
  comparison.rows[1].verdict = Verdict::incomparable;
  attribute_in_words(comparison, labelled("kernels: a"), labelled("kernels: b"), {});
  EXPECT_EQ(comparison.rows[0].reason, "kernel a became b; 20 % slower");
  EXPECT_EQ(comparison.rows[1].reason, "20 % slower");
  EXPECT_THAT(comparison.warnings,
              ElementsAre("other kernels ran than before in 1 benchmark: BM_x (kernel a became b)"));
}

TEST(AttributeInWords, NamesThreeChangesOfABenchmarkAndFiveBenchmarks) {
  steelyard::Run baseline, candidate;
  for (const char* name : {"1", "2", "3", "4", "5", "6"}) {
    baseline.labels[name] = "kernels: a";
    candidate.labels[name] = "kernels: a, b, c, d, e";
  }
  Comparison comparison;
  attribute_in_words(comparison, baseline, candidate, {});
  const std::string change = " (kernel b is new; kernel c is new; kernel d is new; and 1 more changes of kernels)";
  EXPECT_THAT(comparison.warnings,
              ElementsAre("other kernels ran than before in 6 benchmarks: 1" + change + "; 2" + change + "; 3" +
                          change + "; 4" + change + "; 5" + change + "; and others"));
}

TEST(AttributeInWords, SaysWhoseLinesAnEarlierReaderMayHaveShifted) {
  const auto warned = [](bool of_baseline, bool of_candidate) {
    const auto counted = [](std::int64_t cost, bool is_shifted) {
      steelyard::Run run;
      CountedProfile profile;
      profile.benchmark.name = "BM_x";
      profile.events = {"Ir"};
      profile.totals = {cost};
      profile.functions.resize(1);
      profile.functions[0].name = "BM_x";
      profile.functions[0].line = 7;
      profile.functions[0].calls = 1;
      profile.functions[0].self = profile.functions[0].inclusive = {cost};
      run.profiles = {profile};
      if (!is_shifted) run.header.settings[std::string(bench::kCountReaderSetting)] = "2";
      return run;
    };
    Comparison comparison;
    comparison.rows = {row_of(kInstructions)};
    comparison.rows[0].verdict = Verdict::regression;
    attribute_in_words(comparison, counted(10, of_baseline), counted(20, of_candidate), {});
    return comparison.warnings;
  };
  const auto text = [](const std::string& whose) {
    return "functions are named without lines and inlined functions: those of " + whose +
           " were read by an earlier steelyard, which may have shifted them; count again to have them";
  };
  EXPECT_THAT(warned(false, false), ::testing::IsEmpty());
  EXPECT_THAT(warned(true, false), ElementsAre(text("the baseline")));
  EXPECT_THAT(warned(false, true), ElementsAre(text("the candidate")));
  EXPECT_THAT(warned(true, true), ElementsAre(text("both sides")));
}

}  // namespace
}  // namespace steelyard::ci::judgement_text_test
