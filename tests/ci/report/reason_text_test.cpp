#include "ci/report/reason_text.hpp"
#include "bench/model/kept_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "ci/report/judgement_text.hpp"
#include "ci/report/row_text.hpp"
#include "regress/ab/confirmation.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/judge_history.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::ci::reason_text_test {
namespace {

namespace why = regress::why;
using regress::AloneAnswer;
using regress::Reason;
using regress::RowFacts;
using regress::WhichSide;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A time, 5 % slower in 15 rounds of a duet.
ComparisonRow time_row() {
  ComparisonRow row;
  row.metric = *well_known_metric(kRealTime);
  row.layout = Layout::duet;
  row.rounds = 15;
  row.ratio = 1.05;
  row.interval = Interval{1.0418, 1.0583};
  row.p = 0.001;
  row.q = 0.01;
  return row;
}

ComparisonRow time_row(Layout layout) {
  ComparisonRow row = time_row();
  row.layout = layout;
  return row;
}

ComparisonRow count_row(double baseline, double candidate, std::optional<double> jitter = 0) {
  ComparisonRow row;
  row.metric = *well_known_metric(kInstructions);
  row.baseline = baseline;
  row.candidate = candidate;
  if (baseline > 0) row.ratio = candidate / baseline;
  row.jitter = jitter;
  return row;
}

std::string told(const RowFacts& facts, const ComparisonRow& row, const regress::Judged& judged = {}) {
  return reason_text(row, facts, judged);
}

std::string told(Reason reason, const ComparisonRow& row = time_row()) {
  RowFacts facts;
  facts.reason = std::move(reason);
  return told(facts, row);
}

Failure said(const std::string& words, std::int32_t round = -1, FailureKind kind = FailureKind::failed) {
  return {{}, "", round, words, kind};
}

TEST(ReasonText, SaysWhyNoValuesWereHeldAgainstEachOther) {
  EXPECT_EQ(told(Reason{}), "");
  EXPECT_EQ(told(why::WithoutDirection{2}),
            "it declares no better direction in 2 benchmarks, so it is recorded and not judged");
  EXPECT_EQ(told(why::MeasuredByNobody{}),
            "no benchmark measured it; the policy names it, so take it from the policy or let a benchmark report it");
  EXPECT_EQ(told(why::MeasuredByNobody{"\"BM_0\" (steelyard.toml:12)"}),
            "no benchmark measured it that the policy of \"BM_0\" (steelyard.toml:12) gates by it; take it from there "
            "or let such a benchmark report it");
  EXPECT_EQ(told(why::Failed{WhichSide::candidate, said("killed by signal 11", 2)}),
            "the candidate failed in round 3: killed by signal 11");
  EXPECT_EQ(told(why::Failed{WhichSide::candidate, said("no such file")}), "the candidate failed: no such file");
  EXPECT_EQ(told(why::Failed{WhichSide::both, said("no such file")}), "both sides failed, the candidate: no such file");
  EXPECT_EQ(told(why::NotReached{said("the budget was spent", -1, FailureKind::not_reached)}),
            "not reached: the budget was spent");
  EXPECT_EQ(told(why::OnOneSideOnly{WhichSide::baseline}), "the baseline has it, the candidate does not");
  EXPECT_EQ(told(why::OnOneSideOnly{WhichSide::candidate}), "the candidate has it, the baseline does not");
}

TEST(ReasonText, OfAFailureIsWordedAsItWasWhereItIsVerifiedByOlderRules) {
  RowFacts facts;
  facts.reason = why::Failed{WhichSide::baseline, said("no such file")};
  regress::Judged judged;
  for (const std::string rules : {"history-7", "history-6", "rounds-5", "history-3"}) {
    judged.comparison.rule_version = rules;
    const std::string words = told(facts, time_row(), judged);
    const bool is_newer = rules.ends_with('6') || rules.ends_with('7');
    EXPECT_EQ(words, is_newer ? "the baseline failed: no such file" : "the baseline failed no such file");
  }
}

TEST(ReasonText, OfWhatAChildSaidThreeHundredBytesAreShownAndNoHalfCharacter) {
  const std::string words = std::string(299, 'x') + "\xc3\xa4 and more";
  EXPECT_EQ(told(why::Failed{WhichSide::candidate, said(words, 0)}).size(),
            std::string("the candidate failed in round 1: ").size() + 299);
  EXPECT_EQ(told(why::NotReached{said(words)}).size(), 299U);
  why::Skipped skipped;
  skipped.candidate = why::OwnSkip{false, false, words};
  EXPECT_EQ(told(skipped).size(), std::string("the candidate skipped it: ; the baseline does not").size() + 299);
}

regress::Judged on_machines(bool is_sure, std::vector<FactDifference> facts) {
  regress::Judged judged;
  judged.machines = regress::MachineDifference{is_sure, std::move(facts)};
  return judged;
}

TEST(ReasonText, NamesThreeFactsInWhichMachinesDifferAndHowManyMore) {
  RowFacts facts;
  facts.reason = why::OnDifferentMachines{};
  EXPECT_EQ(told(facts, time_row(), on_machines(true, {{"cpu.model", "Xeon", "EPYC", true}})),
            "measured on different machines (cpu.model: Xeon against EPYC)");
  EXPECT_EQ(told(facts, time_row(), on_machines(false, {{"cpu.cores", "", "2", true}})),
            "not known to be measured on one machine (cpu.cores: not recorded against 2)");
  const std::vector<FactDifference> five{{"a", "1", "2", true},
                                         {"b", "1", "2", true},
                                         {"c", "1", "2", true},
                                         {"d", "1", "2", true},
                                         {"e", "1", "2", true}};
  EXPECT_EQ(told(facts, time_row(), on_machines(true, five)),
            "measured on different machines (a: 1 against 2; b: 1 against 2; c: 1 against 2; and 2 more)");
}

why::Skipped skipped_by(WhichSide side, why::OwnSkip skip) {
  why::Skipped skipped;
  if (side != WhichSide::candidate) skipped.baseline = skip;
  if (side != WhichSide::baseline) skipped.candidate = skip;
  return skipped;
}

TEST(ReasonText, SaysWhoSkippedItHowAndWhatTheOtherSideHas) {
  const why::OwnSkip skip{false, false, "no AVX10 here"};
  why::Skipped both = skipped_by(WhichSide::both, skip);
  EXPECT_EQ(told(both), "both sides skipped it: no AVX10 here");
  both.candidate = why::OwnSkip{true, false, "no license"};
  EXPECT_EQ(told(both), "the baseline skipped it: no AVX10 here; the candidate skipped it with an error: no license");
  both = skipped_by(WhichSide::both, {true, true, ""});
  both.some_conditions_only = true;
  EXPECT_EQ(told(both),
            "both sides skipped it with an error in part of its repetitions and did not say why; what is left of its "
            "values may be of some conditions only");
  why::Skipped one = skipped_by(WhichSide::candidate, skip);
  EXPECT_EQ(told(one), "the candidate skipped it: no AVX10 here; the baseline does not");
  one.other_failure = said("killed by signal 11");
  EXPECT_EQ(told(one), "the candidate skipped it: no AVX10 here; the baseline: killed by signal 11");
  one.other_lacks_it = true;
  EXPECT_EQ(told(one), "the candidate skipped it: no AVX10 here; the baseline does not have it");
  one = skipped_by(WhichSide::baseline, skip);
  EXPECT_EQ(told(one), "the baseline skipped it: no AVX10 here; the candidate does not");
  EXPECT_TRUE(read_notes(told(one)).has(RowNote::skipped_by_baseline)) << "as a store reads it back";
  one.some_conditions_only = true;
  EXPECT_THAT(told(one), EndsWith("no AVX10 here; what is left of its values may be of some conditions only"));
}

TEST(ReasonText, SaysWhichConditionsDiffer) {
  using enum why::MetricAspect;
  EXPECT_EQ(told(why::MetricsDiffer{unit, "ns", "us"}), "the baseline is in \"ns\", the candidate in \"us\"");
  EXPECT_EQ(told(why::MetricsDiffer{direction, "lower", "higher"}),
            "better is lower in the baseline, higher in the candidate");
  EXPECT_EQ(told(why::MetricsDiffer{kind, "noisy", "counted"}),
            "the baseline's values are noisy, the candidate's counted");
  EXPECT_EQ(told(why::MetricsDiffer{within_baseline}), "the baseline's own values differ in unit, direction or kind");
  EXPECT_EQ(told(why::InputsDiffer{"0123456789abcdef", "fedcba9876543210"}),
            "measured on different inputs: item 0123456789ab against fedcba987654");
  EXPECT_EQ(told(why::CountKeysDiffer{{"cpu=x", "libc=1"}, {}}),
            "counted under different conditions: the baseline has cpu=x, libc=1, the candidate has nothing more; count "
            "both on one machine: steelyard ab BASELINE CANDIDATE with the two programs or commits");
  EXPECT_THAT(told(why::CountKeysDiffer{{}, {std::string(500, 'k')}}),
              HasSubstr(" has " + std::string(120, 'k') + "...;"));
  EXPECT_EQ(told(why::ScopesDiffer{CountScope::timed_region, CountScope::whole_functions}),
            "counted over different things: the timed region in the baseline, the whole functions in the candidate");
}

TEST(ReasonText, SaysWhatIsWrongWithASide) {
  using regress::Defect;
  using regress::DefectKind;
  const auto of = [](const Defect& defect) { return told(why::WithDefect{WhichSide::candidate, defect}); };
  EXPECT_EQ(of({DefectKind::no_samples}), "the candidate cannot be judged: it has no samples");
  EXPECT_EQ(of({DefectKind::unknown_invocation, 3, 0}),
            "the candidate cannot be judged: its samples name invocation 3 of 0");
  EXPECT_EQ(of({DefectKind::impossible_round, 2, 0, -1}),
            "the candidate cannot be judged: its invocation 2 is of round -1, wanted 0 to 999999");
  EXPECT_EQ(of({DefectKind::no_logarithm, 0, 0, 4, 0, "ns"}),
            "the candidate cannot be judged: round 5 has the value 0 ns, which has no logarithm");
  EXPECT_EQ(told(why::WithDefect{WhichSide::baseline, {}}), "the baseline cannot be judged: it has no samples");
  EXPECT_EQ(told(why::WithoutCount{WhichSide::candidate}), "the candidate has no count");
  EXPECT_EQ(told(why::WithoutCount{WhichSide::baseline, -1}), "the baseline has the count -1");
  EXPECT_EQ(told(why::NoPlannedRound{16}), "none of the 16 planned rounds has both sides");
}

TEST(ReasonText, OfACountHasBothAndOverWhatTheyWereCounted) {
  using enum why::CountAnswer;
  EXPECT_EQ(told(why::Counted{changed}, count_row(11013, 12447)),
            "counted exactly: 11,013 -> 12,447 instructions an iteration (+13.0 %)");
  EXPECT_EQ(told(why::Counted{changed}, count_row(0, 5)), "counted exactly: 0 -> 5 instructions an iteration");
  EXPECT_EQ(told(why::Counted{changed}, count_row(1000, 1007, 0.004)),
            "counted: 1,000 -> 1,007 instructions an iteration (+0.70 %), beyond the jitter of 0.4 %");
  EXPECT_EQ(told(why::Counted{unchanged}, count_row(1000, 1000)),
            "counted exactly: 1,000 instructions an iteration on both sides");
  EXPECT_EQ(told(why::Counted{unchanged}, count_row(1000, 1003, 0.004)),
            "counted: 1,000 -> 1,003 instructions an iteration (+0.30 %), within the jitter of 0.4 %");
  EXPECT_EQ(told(why::Counted{not_deterministic}, count_row(100, 105, 0.12)),
            "repeats of one build differ by 12 %, more than the margin of 2 %: this count is not deterministic, and "
            "100 -> 105 instructions an iteration (+5.00 %) is within that");
  ComparisonRow row = count_row(1000, 1010);
  row.count_scope = CountScope::whole_functions;
  EXPECT_EQ(told(why::Counted{changed}, row),
            "counted over whole functions, set-up included: 1,000 -> 1,010 instructions an iteration (+1.00 %)");
  row.count_scope = CountScope::whole_program;
  row.metric = *well_known_metric("allocations");
  EXPECT_THAT(told(why::Counted{changed}, row),
              StartsWith("counted over the whole program: 1,000 -> 1,010 allocations"));
  EXPECT_THAT(told(why::Counted{not_deterministic}, count_row(0, 0, {})), HasSubstr("differ about a median of 0: "));
}

TEST(ReasonText, SaysWhyACountHoldsThatWasNotTaken) {
  RowFacts facts;
  facts.reason = why::Counted{why::CountAnswer::unchanged};
  facts.proof = regress::CountProof{WhichSide::candidate, "every loaded section is equal: sha256 0123"};
  EXPECT_EQ(told(facts, count_row(1000, 1000)),
            "counted exactly: 1,000 instructions an iteration on both sides; not counted again: every loaded section "
            "is equal: sha256 0123");
  facts.proof = regress::CountProof{WhichSide::baseline, "counted before on this machine"};
  EXPECT_THAT(told(facts, count_row(1000, 1000)),
              EndsWith("; the baseline was not counted again: counted before on this machine"));
}

TEST(ReasonText, OfAChangeHasSizeRoundsIntervalAndEvidence) {
  ComparisonRow row = time_row();
  EXPECT_EQ(told(why::Changed{}), "5 % slower in 15 rounds, 95 % interval +4.18 % to +5.83 %, adjusted p 0.01");
  row.ratio = 0.95;
  EXPECT_THAT(told(why::Changed{}, row), StartsWith("5 % faster in 15 rounds"));
  row.metric.unit = "bytes/s";
  EXPECT_THAT(told(why::Changed{}, row), StartsWith("5 % lower in 15 rounds"));
  EXPECT_EQ(told(why::ShownUnchanged{}),
            "shown to lie within the margin of 2 %: +5.00 % in 15 rounds, 95 % interval +4.18 % to +5.83 %");
}

TEST(ReasonText, IsShownWithTheFiguresOfTheCells) {
  const auto shown = [](Reason reason, ComparisonRow row) {
    row.reason = told(std::move(reason), row);
    return shown_reason(row);
  };
  ComparisonRow row = time_row();
  EXPECT_THAT(shown(why::Changed{}, row), StartsWith("5.00 % slower in 15 rounds, 95 % interval +4.18 % to"));
  row.ratio = 12.49;
  row.interval = Interval{11.9, 13};
  EXPECT_THAT(told(why::Changed{}, row), StartsWith("1149 % slower in 15 rounds, 95 % interval +1090 % to +1200 %"))
      << "kept as older programs kept it";
  EXPECT_THAT(shown(why::Changed{}, row), StartsWith("x 12.5 slower in 15 rounds, 95 % interval x 11.9 to x 13.0"));
  EXPECT_THAT(shown(why::ShownUnchanged{}, row), HasSubstr(": x 12.5 in 15 rounds, 95 % interval x 11.9 to"));
  EXPECT_THAT(shown(why::SignificantBelowMinimum{}, row), StartsWith("the change of x 12.5 is significant"));
  EXPECT_THAT(shown(why::ByHistory{why::HistoryAnswer::changed}, row), StartsWith("x 12.5 against the level of"));
  const why::Counted changed{why::CountAnswer::changed};
  EXPECT_EQ(told(changed, count_row(10'000'000, 10'000'300)),
            "counted exactly: 10,000,000 -> 10,000,300 instructions an iteration (+0.00 %)");
  EXPECT_EQ(shown(changed, count_row(10'000'000, 10'000'300)),
            "counted exactly: 10,000,000 -> 10,000,300 instructions an iteration (+0.003 %)");
  EXPECT_EQ(shown(changed, count_row(100, 1249)), "counted exactly: 100 -> 1,249 instructions an iteration (x 12.5)");
  row.reason = "measured on different machines (+1149 %)";
  EXPECT_EQ(shown_reason(row), row.reason) << "what is no figure of the row stays";
}

TEST(ReasonText, CountsTheRoundsThatLackASideAndTheInvocationsThatAreNoPairs) {
  RowFacts facts;
  facts.reason = why::Changed{};
  facts.dropped_rounds = 1;
  EXPECT_THAT(told(facts, time_row()), HasSubstr("in 15 rounds (1 round lacked a side), "));
  facts.dropped_rounds = 0;
  facts.unpaired = regress::SideInvocations{5, 5};
  EXPECT_EQ(told(facts, time_row(Layout::sequential)),
            "5 % slower in 15 unpaired invocations a side, 95 % interval +4.18 % to +5.83 %, adjusted p 0.01, more "
            "than drift between the sides explains");
  facts.movement = regress::CommonMovement{1.092, 1.041, 29};
  EXPECT_THAT(
      told(facts, time_row(Layout::sequential)),
      EndsWith(" explains (+9.20 % were seen, less +4.10 %, the common movement estimated from 29 benchmarks)"));
}

TEST(ReasonText, OfTooFewRoundsSaysHowManyAreWanted) {
  why::OneInvocation one{12};
  EXPECT_EQ(told(one),
            "one invocation a side: process-to-process variation is not in the data; measure at least 12 rounds");
  one.noise = why::SingleNoise{0.0406, 1.05, false};
  EXPECT_EQ(told(one),
            "one invocation a side: process-to-process variation is not in the data; on this machine two processes of "
            "one build lie up to 4.06 % apart (calibrated), and +5.00 % is beyond that; measure at least 12 rounds");
  one.noise->is_within = true;
  EXPECT_THAT(told(one), HasSubstr("+5.00 % is within that"));
  ComparisonRow row = time_row();
  row.rounds = 5;
  EXPECT_EQ(told(why::TooFewUnits{12}, row),
            "only 5 rounds, where fewer than 6 cannot reach p = 0.05 by exchanging sides; measure at least 12 rounds");
  RowFacts facts;
  facts.reason = why::TooFewUnits{12};
  facts.unpaired = regress::SideInvocations{5, 5};
  EXPECT_EQ(told(facts, row),
            "only 5 unpaired invocations a side, where at least 6 are wanted; measure at least 12 rounds");
  row.layout = Layout::sequential;
  EXPECT_EQ(told(facts, row),
            "only 5 unpaired invocations a side, where at least 6 are wanted; measure both builds together with "
            "`steelyard ab`");
}

TEST(ReasonText, OfAnOpenRowSaysWhatLeavesItOpenAndHowManyRoundsWouldTell) {
  ComparisonRow row = time_row();
  row.p = 0.01;
  row.q = 0.4;
  row.rounds_wanted = 48;
  EXPECT_EQ(told(why::AdjustedAway{40}, row),
            "p = 0.01 alone, but 0.4 among 40 comparisons; about 48 rounds would tell");
  EXPECT_EQ(told(why::SignificantBelowMinimum{}, row),
            "the change of +5.00 % is significant but below the minimum effect of 1 %, and its 90 % interval reaches "
            "beyond the margin of 2 %; about 48 rounds would tell");
  EXPECT_EQ(told(why::AboveLevel{0.05}, row), "p = 0.01 does not reach the level of 0.05; about 48 rounds would tell");
  row.rounds_wanted = regress::kMaxRoundsNamed;
  EXPECT_EQ(told(why::TooNoisy{}, row),
            "too noisy: in 15 rounds the 95 % interval +4.18 % to +5.83 % includes 0 % and reaches beyond the "
            "margin of 2 %; even 1,000 rounds of this noise may not tell");
  EXPECT_EQ(told(why::RoundsGiveNoInterval{14}), "15 rounds cannot give a 95 % interval; measure at least 14 rounds");
  EXPECT_EQ(told(why::FloorBeyond{0.342}),
            "equal builds of it were seen up to 34.2 % apart on this machine (calibrated), beyond the 10 % that may be "
            "called unchanged; calibrate again when it is quiet, or gate its instructions; seen: +5.00 % in 15 rounds, "
            "95 % interval +4.18 % to +5.83 %");
}

RowFacts apart_with(std::optional<RowNote> cause, why::Open open = {}) {
  RowFacts facts;
  why::Apart apart;
  apart.cause = cause;
  apart.open = open;
  apart.errors = {.scatter = 0.12, .drift = 0.037};
  facts.reason = apart;
  return facts;
}

TEST(ReasonText, OfUnevenSidesSaysHowManyInvocationsEachHas) {
  regress::RowFacts facts;
  facts.unpaired = regress::SideInvocations{1, 12};
  facts.reason = why::OneInvocation{12};
  EXPECT_EQ(told(facts, time_row()),
            "1 and 12 invocations: process-to-process variation is not in the data of one side; measure at least 12 "
            "rounds");
  facts.unpaired->baseline = 3;
  facts.reason = why::TooFewUnits{12};
  EXPECT_THAT(told(facts, time_row()), StartsWith("only 3 and 12 unpaired invocations, where at least 6 are wanted"));
}

TEST(ReasonText, OfSidesApartNamesWhatCouldExplainTheChange) {
  const ComparisonRow row = time_row(Layout::sequential);
  constexpr const char* kEnd =
      "; the sides count as measured one after the other; measure both builds together with `steelyard ab`";
  EXPECT_EQ(told(apart_with(RowNote::drift_explains), row),
            std::string("drift between the sides could explain the +5.00 % (standard error of drift 3.7 %)") + kEnd);
  EXPECT_EQ(
      told(apart_with(RowNote::scatter_explains), row),
      std::string("the scatter of invocations could explain the +5.00 % (standard error of scatter 12 %)") + kEnd);
  EXPECT_EQ(told(apart_with(RowNote::both_explain), row),
            std::string("drift and the scatter of invocations together could explain the +5.00 % (standard errors: "
                        "drift 3.7 %, scatter 12 %)") +
                kEnd);
  RowFacts unknown = apart_with(RowNote::drift_explains);
  std::get<why::Apart>(unknown.reason).occasions_unknown = true;
  unknown.movement = regress::CommonMovement{1.092, 1.041, 29};
  EXPECT_EQ(told(unknown, time_row(Layout::separate)),
            "drift between the sides could explain the remaining +5.00 % (no calibration tells how far apart equal "
            "builds lie on two occasions); the sides were measured on different occasions; +9.20 % were seen, less "
            "+4.10 %, the common movement estimated from 29 benchmarks; measure both builds together with `steelyard "
            "ab`");
}

TEST(ReasonText, OfSidesApartThatNothingExplainsSaysWhatTheDataLack) {
  const ComparisonRow row = time_row(Layout::sequential);
  EXPECT_THAT(told(apart_with({}, why::WithoutInterval{}), row),
              StartsWith("these invocations give no interval; the sides count"));
  EXPECT_THAT(told(apart_with({}, why::AdjustedAway{29}), row),
              StartsWith("p = 0.001 alone, but 0.01 among 29 comparisons; the sides count"));
  EXPECT_THAT(told(apart_with({}, why::NotBeyondMinimum{}), row),
              StartsWith("the 95 % interval +4.18 % to +5.83 % does not exclude a change below the minimum effect of "
                         "1 %; the sides count"));
}

TEST(ReasonText, WhatOlderRulesKeptIsToldInTheirWords) {
  RowFacts facts;
  facts.reason = why::ApartByRounds2{0.015};
  ComparisonRow row = time_row(Layout::sequential);
  row.ratio = 0.834;
  EXPECT_EQ(told(facts, row),
            "all of one side was measured before the other: drift of that kind (standard deviation 1.5 %) could "
            "explain the -16.6 %; measure both builds together with `steelyard ab`");
  facts.movement = regress::CommonMovement{0.868, 1.041, 29, true};
  EXPECT_EQ(told(facts, row),
            "all of one side was measured before the other: -13.2 % were seen, of which all 29 benchmarks share "
            "+4.10 %; the drift of one alone (standard deviation 1.5 %) could explain the remaining -16.6 %; measure "
            "both builds together with `steelyard ab`");
  row.layout = Layout::separate;
  EXPECT_THAT(told(facts, row), StartsWith("the sides were measured on different occasions: "));
}

TEST(ReasonText, SaysWhyAnUndecidedMeasurementEnded) {
  RowFacts facts;
  const auto ended = [&](regress::LookEnd end) {
    facts.ended = regress::EndOfLooks{end, 14, 400};
    return told(facts, time_row());
  };
  EXPECT_EQ(ended(regress::LookEnd::plan_done), "; all 400 planned rounds were measured");
  EXPECT_EQ(ended(regress::LookEnd::futile), "; stopped after 14 rounds, as a decision within 400 was unlikely");
  EXPECT_EQ(ended(regress::LookEnd::interrupted), "; interrupted after 14 rounds of up to 400");
  EXPECT_EQ(ended(regress::LookEnd::budget_spent), "; budget spent after 14 rounds of up to 400");
  facts.ended.reset();
  facts.first_look_only = facts.slots_confounded = true;
  EXPECT_EQ(told(facts, time_row()),
            "; no rounds beyond the first look: counting has shown both builds to be equal here; no round is known to "
            "have the other order, so an effect of the slot is part of this figure");
}

TEST(ReasonText, OfAMachineWhoseCalibrationFailedSaysWhatWasSeenAndWhatWouldHelp) {
  RowFacts facts;
  facts.reason = why::Changed{};
  facts.calibration_failed = true;
  regress::Judged judged;
  judged.comparison.calibration.emplace().reason = "9 of 20 A/A gates called a change";
  EXPECT_EQ(told(facts, time_row(), judged),
            "no verdicts on this machine, because its calibration failed (9 of 20 A/A gates called a change): fix "
            "what `steelyard doctor` finds, then run `steelyard calibrate` again; seen: 5 % slower in 15 rounds, 95 % "
            "interval +4.18 % to +5.83 %, adjusted p 0.01");
  judged.comparison.calibration->reason.clear();
  EXPECT_THAT(told(facts, time_row(), judged), HasSubstr("calibration failed: fix what"));
}

TEST(ReasonText, SaysWhyThereIsNoBaselineInAHistory) {
  using enum why::BaselineLack;
  EXPECT_EQ(told(why::NoBaseline{values, "main"}),
            "no baseline: the store has no measurement of it on branch main; measure it here (steelyard run), or "
            "beside its parent (steelyard gate without --against-history)");
  EXPECT_THAT(told(why::NoBaseline{direction}),
              StartsWith("no baseline: nobody said which direction of it is better;"));
  EXPECT_THAT(told(why::NoBaseline{this_machine}), StartsWith("no baseline: it was measured on other machines only;"));
  EXPECT_THAT(told(why::NoBaseline{this_unit}),
              StartsWith("no baseline: the store has it in another unit or direction only;"));
}

TEST(ReasonText, SaysWhyAHistoryCannotJudge) {
  using enum why::PredictionObstacle;
  ComparisonRow row = time_row();
  row.rounds = 5;
  EXPECT_EQ(told(why::NotPredicted{too_few_occasions}, row),
            "cannot be judged by its history: its level stands on 5 occasions, and 8 are needed to know how far "
            "occasions lie apart; measure it beside its parent (steelyard gate without --against-history)");
  EXPECT_THAT(told(why::NotPredicted{no_finite_value}), HasSubstr("history: the candidate has no finite value;"));
  EXPECT_THAT(told(why::NotPredicted{no_level}), HasSubstr("nothing of it was measured on this machine before;"));
  EXPECT_THAT(told(why::NotPredicted{not_positive}),
              HasSubstr("not all of its values are positive, so that there is no ratio;"));
  EXPECT_THAT(told(why::NotPredicted{no_ratio}),
              HasSubstr("it lies so far off its level that no number holds the ratio;"));
  EXPECT_THAT(told(why::NotPredicted{one_process}),
              HasSubstr("the candidate is one process, where its points stand on more;"));
}

TEST(ReasonText, OfAHistorySaysWhichLevelAndWhatItsSpreadTells) {
  using enum why::HistoryAnswer;
  ComparisonRow row = time_row(Layout::separate);
  row.rounds = 23;
  row.minimum_detectable_effect = 0.08;
  const std::string since = "1a2b3c4d5e6f";
  EXPECT_EQ(told(why::ByHistory{same_value, since}, row), "the same value as on 23 occasions since 1a2b3c4d5");
  EXPECT_EQ(told(why::ByHistory{within_margin}, row), "within 2 % of the level of 23 occasions");
  EXPECT_EQ(told(why::ByHistory{never_differed}, row),
            "+5.00 % against the level of 23 occasions, which never differed: how far occasions may lie apart is not "
            "known");
  EXPECT_EQ(told(why::ByHistory{changed, since}, row),
            "+5.00 % against the level of 23 occasions since 1a2b3c4d5, more than their own spread explains; measured "
            "alone, so that steelyard gate beside its parent is the surer measurement");
  EXPECT_EQ(told(why::ByHistory{tells_nothing, "", 0.031}, row),
            "+5.00 % against the level of 23 occasions tells nothing: one occasion of this benchmark lies within 3.1 % "
            "of the others as a rule, and a change of 8 % could be seen; measure it beside its parent");
  EXPECT_EQ(told(why::ByHistory{floor_beyond, "", 0, 0.34}, row),
            "equal builds of it were seen up to 34 % apart on this machine (calibrated), beyond the 10 % that may be "
            "called unchanged; calibrate again when it is quiet, or gate its instructions; seen: +5.00 % against the "
            "level of 23 occasions");
}

TEST(ReasonText, OfALostSeriesSaysWhenItWasLastMeasuredBehindWhyItWasSkipped) {
  RowFacts facts;
  facts.lost.emplace();
  EXPECT_EQ(told(facts, time_row()), "neither the candidate nor the newest run of the history has it");
  facts.lost->last_occasion = "0123456789abcdef";
  facts.reason = skipped_by(WhichSide::both, {false, false, "no AVX10 here"});
  EXPECT_EQ(told(facts, time_row()),
            "both sides skipped it: no AVX10 here; neither the candidate nor the newest run of the history has it; it "
            "was last measured at 012345678");
}

std::string told_alone(AloneAnswer answer, const SoloCheck& solo, bool before_rounds_4 = false) {
  RowFacts facts;
  facts.reason = why::NotReached{said("5 % slower")};
  facts.alone = regress::AloneFact{answer, before_rounds_4};
  ComparisonRow row = time_row();
  row.solo = solo;
  return told(facts, row);
}

TEST(ReasonText, SaysWhatTheChangeIsAlone) {
  const SoloCheck smaller{1.02, Interval{1.015, 1.03}, 10, true};
  EXPECT_EQ(told_alone(AloneAnswer::told, smaller),
            "5 % slower; alone: +2.00 % (+1.50 % to +3.00 %), a change as well, and surely a smaller one");
  EXPECT_EQ(told_alone(AloneAnswer::told, smaller, true),
            "5 % slower; alone: +2.00 % (+1.50 % to +3.00 %), which agrees")
      << "as older rules told it";
  EXPECT_THAT(told_alone(AloneAnswer::told, {1.2, Interval{1.1, 1.3}, 10, true}),
              EndsWith("a change as well, and surely a larger one"));
  EXPECT_EQ(told_alone(AloneAnswer::told, {1.2, std::nullopt, 10, {}}),
            "5 % slower; alone: +20.0 % (no interval), too wide to tell");
  EXPECT_EQ(told_alone(AloneAnswer::not_measured, {}),
            "5 % slower; not confirmed alone: nothing was measured of it alone");
  EXPECT_EQ(told_alone(AloneAnswer::too_seldom, {}),
            "5 % slower; not confirmed alone: it ran too seldom alone to be compared");
  EXPECT_EQ(told_alone(AloneAnswer::not_reached, {}), "5 % slower; not confirmed alone: the budget was spent");
}

TEST(ReasonText, OfAChangeThatIsNotThereAloneSaysSoFirst) {
  const SoloCheck none{1.001, Interval{0.998, 1.004}, 10, false};
  EXPECT_EQ(told_alone(AloneAnswer::below_minimum, none),
            "contradicted alone: +0.10 % (-0.20 % to +0.40 %) with nothing beside it, which leaves less than the "
            "minimum effect of 1 %; measure in turns to tell (--layout interleaved); side by side: 5 % slower");
  EXPECT_THAT(told_alone(AloneAnswer::opposite, none),
              HasSubstr("with nothing beside it, which is the opposite; measure"));
  EXPECT_THAT(told_alone(AloneAnswer::excludes_all, none),
              HasSubstr("with nothing beside it, which excludes all of +4.18 % to +5.83 % side by side; measure in"));
}

TEST(ReasonText, OfRounds2SaysAsTheyDidWhatTheChangeIsAlone) {
  const auto by_rounds_2 = [](std::optional<bool> agrees) {
    return told_alone(AloneAnswer::told_by_rounds_2, {1.001, Interval{0.998, 1.004}, 10, agrees}, true);
  };
  EXPECT_EQ(by_rounds_2(true), "5 % slower; alone: +0.10 % (-0.20 % to +0.40 %)");
  EXPECT_EQ(by_rounds_2({}), "5 % slower; alone: +0.10 % (-0.20 % to +0.40 %), which does not tell");
  EXPECT_EQ(by_rounds_2(false),
            "5 % slower; alone it is less than the minimum effect (+0.10 %, -0.20 % to +0.40 %): it is an effect of "
            "running beside another process");
}

TEST(ReasonText, SaysWhatTheCyclesOfADeviceTellOfItsTime) {
  RowFacts facts;
  facts.device = regress::DeviceClock{1.001, true, 1.98e9, 1.65e9};
  EXPECT_EQ(told(facts, time_row()),
            "; the device's cycles did not change (+0.10 %): its clock did, 1.98 GHz before and 1.65 GHz now");
  facts.device = regress::DeviceClock{1.2, false};
  EXPECT_EQ(told(facts, time_row()), "; the device's cycles changed by +20.0 %");
}

// Judged and not made by hand: what a store reads back from the sentence is what the judgement noted.
TEST(ReasonText, TellsEachNoteOfTheRow) {
  std::set<std::size_t> reasons;
  for (int i = 0; i < 60; ++i) {
    regress::SimulationOptions options;
    options.layout = static_cast<Layout>(i % 4);
    options.rounds = 4 + i % 20;
    options.benchmarks = 1 + i % 3;
    options.changed_benchmarks = i % 2;
    options.ratio = 1 + 0.02 * (i % 7);
    options.noise.process = 0.003 * (1 + i % 20);
    const regress::SimulatedPair pair = regress::Simulation(static_cast<std::uint64_t>(i)).draw(options);
    const regress::Judged judged = regress::compare_runs(pair.baseline, pair.candidate, {});
    const Comparison comparison = worded(judged);
    for (std::size_t k = 0; k < comparison.rows.size(); ++k) {
      const ComparisonRow& row = comparison.rows[k];
      EXPECT_EQ(read_notes(row.reason), row.notes) << row.reason;
      EXPECT_THAT(row.reason, Not(HasSubstr("  ")));
      reasons.insert(judged.facts[k].reason.index());
    }
    EXPECT_EQ(comparison, worded(regress::compare_runs(pair.baseline, pair.candidate, {}))) << "same input, same words";
  }
  EXPECT_GE(reasons.size(), 5U);
}

TEST(EqualProgramText, NamesTheFilesThatWereReadAndTheHash) {
  const std::string all = "every loaded section of program and libraries is equal";
  EXPECT_EQ(equal_program_text({"0123456789abc", 0}), all + " (sha256 0123456789ab)");
  EXPECT_EQ(equal_program_text({"0123456789abc", 1}), all + ", and so is the file it reads (sha256 0123456789ab)");
  EXPECT_EQ(equal_program_text({"0123456789abc", 2}), all + ", and so are the 2 files it reads (sha256 0123456789ab)");
  EXPECT_EQ(read_count_origin(equal_program_text({"0123456789abc", 2})), CountOrigin::equal_program);
  EXPECT_EQ(read_count_origin(kCountedBeforeText), CountOrigin::reused);
}

}  // namespace
}  // namespace steelyard::ci::reason_text_test
