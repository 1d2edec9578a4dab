#include "regress/ab/counted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <utility>

namespace steelyard::regress::counted_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Values = std::vector<double>;

ComparisonRow judged(const Values& baseline, const Values& candidate, Better better = Better::lower) {
  ComparisonRow row;
  row.metric = *well_known_metric(kInstructions);
  row.metric.better = better;
  (void)judge_counted({baseline}, {candidate}, row);
  return row;
}

ComparisonRow judged_on(const Values& baseline, const CountBasis& baseline_basis, const Values& candidate,
                        const CountBasis& candidate_basis) {
  ComparisonRow row;
  row.metric = *well_known_metric(kInstructions);
  (void)judge_counted({baseline, baseline_basis}, {candidate, candidate_basis}, row);
  return row;
}

RowFacts facts_on(const CountedSide& baseline, const CountedSide& candidate) {
  ComparisonRow row;
  row.metric = *well_known_metric(kInstructions);
  return judge_counted(baseline, candidate, row);
}

why::CountAnswer answer_on(const CountedSide& baseline, const CountedSide& candidate) {
  return std::get<why::Counted>(facts_on(baseline, candidate).reason).answer;
}

TEST(Counted, OneInstructionMoreIsARegressionWithoutJitter) {
  const ComparisonRow row = judged({1000000, 1000000}, {1000001});
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_EQ(*row.jitter, 0);
  EXPECT_EQ(row.interval->low, row.interval->high);
  EXPECT_FALSE(row.p.has_value());
}

TEST(Counted, FewerIsAnImprovementAndMoreIsWhereHigherIsBetter) {
  EXPECT_EQ(judged({100}, {90}).verdict, Verdict::improvement);
  EXPECT_EQ(judged({100}, {110}, Better::higher).verdict, Verdict::improvement);
}

TEST(Counted, JitterIsTheOnlyTolerance) {
  EXPECT_EQ(judged({1000, 1004}, {1003}).verdict, Verdict::unchanged);
  EXPECT_EQ(judged({1000, 1004}, {1007}).verdict, Verdict::regression);
  EXPECT_NEAR(*judged({1000, 1004}, {1003}).jitter, 4.0 / 1002, 1e-12);
}

TEST(Counted, ACountThatIsNotDeterministicShowsNothing) {
  const ComparisonRow row = judged({100, 113}, {105, 106});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(answer_on({{100, 113}}, {{105, 106}}), why::CountAnswer::not_deterministic);
}

TEST(Counted, FromZeroThereIsAVerdictAndNoRatio) {
  const ComparisonRow row = judged({0}, {5});
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_FALSE(row.ratio.has_value());
  EXPECT_EQ(judged({0}, {0}).verdict, Verdict::unchanged);
}

TEST(Counted, RepeatsThatDifferAboutZeroAreJitterToo) {
  const auto verdict = [](const Values& baseline, const Values& candidate, Rules rules = kNewestRules) {
    ComparisonRow row;
    row.metric = *well_known_metric(kInstructions);
    (void)judge_counted({baseline}, {candidate}, row, rules);
    return row.verdict;
  };
  for (const auto& [one, other] : {std::pair<Values, Values>{{0, 0, 0}, {0, 1, 1}}, {{0, 0, 5}, {0, 5, 5}}}) {
    EXPECT_EQ(verdict(one, other), Verdict::inconclusive);
    EXPECT_EQ(verdict(other, one), Verdict::inconclusive);
    EXPECT_EQ(judged(one, other).jitter, 1);
    EXPECT_EQ(judged(other, one).jitter, 1);
    EXPECT_EQ(verdict(one, other, Rules::rounds_6), Verdict::regression);
  }
  EXPECT_EQ(verdict({5, 5, 5}, {0, 0, 5}), Verdict::inconclusive) << "one repeat was as the baseline";
  EXPECT_EQ(verdict({5, 5, 5}, {0, 0, 5}, Rules::rounds_6), Verdict::improvement);
  // What is beyond the range of the repeats is a change.
  EXPECT_EQ(verdict({0, 0, 5}, {100, 100, 100}), Verdict::regression);
  EXPECT_EQ(verdict({100, 100, 100}, {0, 0, 5}), Verdict::improvement);
  EXPECT_EQ(verdict({0, 0, 0}, {5, 5, 5}), Verdict::regression);
  // Nothing is there that the repeats could be relative to.
  EXPECT_EQ(verdict({0, 0, 5}, {0, 0, 0}), Verdict::inconclusive);
  EXPECT_EQ(verdict({0, 0, 5}, {0, 0, 5}), Verdict::inconclusive);
  EXPECT_EQ(judged({0, 0, 5}, {0, 0, 0}).jitter, std::nullopt);
  EXPECT_EQ(answer_on({{0, 0, 5}}, {{0, 0, 0}}), why::CountAnswer::not_deterministic);
  EXPECT_EQ(verdict({0, 0, 5}, {0, 0, 0}, Rules::rounds_6), Verdict::unchanged);
}

TEST(Counted, WhatIsNoCountFails) {
  EXPECT_EQ(judged({std::numeric_limits<double>::quiet_NaN()}, {5}).verdict, Verdict::failed);
  EXPECT_EQ(judged({5}, {-1}).verdict, Verdict::failed);
  const auto none = std::get<why::WithoutCount>(facts_on({{5}}, {}).reason);
  EXPECT_EQ(none.side, WhichSide::candidate);
  EXPECT_FALSE(none.found);
  const auto negative = std::get<why::WithoutCount>(facts_on({{-1}}, {{5}}).reason);
  EXPECT_EQ(negative.side, WhichSide::baseline);
  EXPECT_EQ(negative.found, -1);
}

TEST(Counted, StatedJitterIsTheToleranceWhereItIsLargerThanTheRangeSeen) {
  CountBasis learned;
  learned.jitter = 0.004;
  EXPECT_EQ(judged_on({1000}, {}, {1003}, learned).verdict, Verdict::unchanged);
  EXPECT_EQ(judged_on({1000}, learned, {1003}, {}).verdict, Verdict::unchanged);
  EXPECT_EQ(judged_on({1000}, learned, {1005}, {}).verdict, Verdict::regression);
  EXPECT_EQ(*judged_on({1000}, learned, {1005}, {}).jitter, 0.004);
  EXPECT_EQ(judged_on({1000, 1010}, learned, {1009}, {}).verdict, Verdict::unchanged) << "the range seen is larger";
  EXPECT_EQ(answer_on({{1000}, learned}, {{1003}}), why::CountAnswer::unchanged);
}

TEST(Counted, JitterThatIsNoNumberIsNone) {
  CountBasis broken;
  broken.jitter = std::numeric_limits<double>::infinity();
  EXPECT_EQ(judged_on({1000}, broken, {1001}, {}).verdict, Verdict::regression);
}

TEST(Counted, DifferentScopesAreIncomparable) {
  CountBasis whole;
  whole.scope = CountScope::whole_functions;
  const ComparisonRow row = judged_on({1000}, {}, {1000}, whole);
  EXPECT_EQ(row.verdict, Verdict::incomparable);
  EXPECT_EQ(row.test, TestKind::none);
  const auto scopes = std::get<why::ScopesDiffer>(facts_on({{1000}}, {{1000}, whole}).reason);
  EXPECT_EQ(scopes.baseline, CountScope::timed_region);
  EXPECT_EQ(scopes.candidate, CountScope::whole_functions);
}

TEST(Counted, TheRowSaysWhatWasCountedOver) {
  CountBasis whole;
  whole.scope = CountScope::whole_functions;
  const ComparisonRow functions = judged_on({1000}, whole, {1010}, whole);
  EXPECT_EQ(functions.count_scope, CountScope::whole_functions);
  whole.scope = CountScope::whole_program;
  EXPECT_EQ(judged_on({1000}, whole, {1000}, whole).count_scope, CountScope::whole_program);
}

TEST(Counted, WhatProvesACountThatWasNotTakenIsToldOfItsSide) {
  CountBasis proven;
  proven.proof = "every loaded section is equal: sha256 0123";
  const RowFacts of_candidate = facts_on({{1000}}, {{1000}, proven});
  EXPECT_EQ(of_candidate.proof.value().side, WhichSide::candidate);
  EXPECT_EQ(of_candidate.proof->proof, proven.proof);
  CountBasis kept;
  kept.proof = "counted before on this machine";
  EXPECT_EQ(facts_on({{1000}, kept}, {{1000}}).proof.value().side, WhichSide::baseline);
  EXPECT_FALSE(facts_on({{1000}}, {{1000}}).proof);
}

TEST(RelativeJitter, IsTheRangeOverTheMedian) {
  EXPECT_EQ(relative_jitter(Values{}), 0);
  EXPECT_EQ(relative_jitter(Values{7}), 0);
  EXPECT_EQ(relative_jitter(Values{7, 7, 7}), 0);
  EXPECT_DOUBLE_EQ(relative_jitter(Values{90, 100, 110}), 0.2);
}

TEST(CountKeyDifference, ShowsOnlyWhatDiffers) {
  const auto libraries = count_key_difference("libc=2.36;valgrind=3.19", "libc=2.41;valgrind=3.19");
  EXPECT_THAT(libraries.baseline, ElementsAre("libc=2.36"));
  EXPECT_THAT(libraries.candidate, ElementsAre("libc=2.41"));
  const auto more = count_key_difference("", "a=1");
  EXPECT_THAT(more.baseline, IsEmpty());
  EXPECT_THAT(more.candidate, ElementsAre("a=1"));
}

}  // namespace
}  // namespace steelyard::regress::counted_test
