#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "regress/ab/permutations.hpp"
#include "regress/ab/sequential.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::sequential_test {
namespace {

double whole_share(const LookPlan& plan) {
  return std::accumulate(plan.looks.begin(), plan.looks.end(), 0.0,
                         [](double sum, const PlannedLook& look) { return sum + look.share; });
}

TEST(LookPlan, SharesOfAllLooksAddUpToOne) {
  for (const int most : {0, 2, 8, 12, 14, 16, 24, 30, 60, 100}) {
    const LookPlan plan = plan_looks({.max_rounds = most});
    EXPECT_NEAR(whole_share(plan), 1, 1e-9) << most;
    EXPECT_EQ(to_text(plan), to_text(*parse_look_plan(to_text(plan)))) << most;
  }
}

TEST(LookPlan, GrowsWithTheRounds) {
  EXPECT_EQ(to_text(plan_looks({})), "12:0.1 16:0.075 24:0.15 36:0.225 60:0.45");
  EXPECT_EQ(to_text(plan_looks({.max_rounds = 20})), "12:0.1 16:0.45 20:0.45");
  EXPECT_EQ(to_text(plan_looks({.max_rounds = 10})), "10:1");
}

TEST(LookPlan, PlansMoreThanTheUsualRoundsOnlyWhereTheBudgetPaysForThem) {
  EXPECT_EQ(plan_looks({.affordable_rounds = 37}).max_rounds(), 60);
  EXPECT_EQ(plan_looks({.affordable_rounds = 38}).max_rounds(), 100);
  EXPECT_EQ(plan_looks({.affordable_rounds = 59}).max_rounds(), 100);
  EXPECT_EQ(plan_looks({.affordable_rounds = 60}).max_rounds(), 160);
  EXPECT_EQ(plan_looks({.affordable_rounds = 5000}).max_rounds(), 160);
  EXPECT_EQ(plan_looks({.max_rounds = 20, .affordable_rounds = 5000}).max_rounds(), 20);
}

// Two one-sided tests at 5 % of the first look's share need p <= .01; 2 / C(12, 6) is .0022, 2 / C(10, 5) is .0079.
TEST(LookPlan, NeverLooksBeforeAnAnswerCanBeReached) {
  const PlannedLook first = plan_looks({}).looks.front();
  EXPECT_LE(min_split_p(static_cast<std::size_t>(first.rounds / 2), static_cast<std::size_t>(first.rounds)),
            0.10 * first.share);
  EXPECT_LE(min_split_p(static_cast<std::size_t>(first.rounds / 2), static_cast<std::size_t>(first.rounds)),
            0.05 * first.share);
}

TEST(LookPlan, ALoneChangeAmongVeryManyCanBeFoundAtTheLastLook) {
  const PlannedLook last = plan_looks({}).looks.back();
  for (const std::int64_t comparisons : {1, 100, 10000, 1000000}) {
    EXPECT_LE(min_split_p(static_cast<std::size_t>(last.rounds / 2), static_cast<std::size_t>(last.rounds)),
              0.05 / static_cast<double>(comparisons) * last.share);
  }
}

TEST(LookPlan, WhatIsNoPlanIsAbsent) {
  for (const char* text :
       {"", " ", "12", "12:", ":0.5", "12:0", "12:-0.1", "12:1.1", "0:1", "12:0.5 12:0.5", "16:0.5 12:0.5",
        "12:0.6 16:0.6", "12:0.5  16:0.5", "12:nan", "12:0.5x", "99999:1", "12:0.9 60:1e-20"}) {
    EXPECT_FALSE(parse_look_plan(text).has_value()) << text;
  }
}

TEST(LookPlan, BothSidesOfOneSessionMustHaveIt) {
  RunHeader baseline;
  baseline.session = "s";
  baseline.settings["looks"] = "12:0.5 16:0.5";
  RunHeader candidate = baseline;
  EXPECT_EQ(mutual_look_plan(baseline, candidate).max_rounds(), 16);
  candidate.settings["looks"] = "12:0.4 16:0.6";
  EXPECT_TRUE(mutual_look_plan(baseline, candidate).empty());
  candidate.settings.erase("looks");
  EXPECT_TRUE(mutual_look_plan(baseline, candidate).empty());
  candidate = baseline;
  candidate.session = "t";
  EXPECT_TRUE(mutual_look_plan(baseline, candidate).empty());
}

const LookPlan kPlan{{{12, 0.2}, {16, 0.3}, {24, 0.5}}};

// Rounds whose candidate lies `effect` higher, with differences of standard deviation `noise`.
PairedRounds rounds_of(int count, double effect, double noise, std::uint64_t seed) {
  Simulation simulation(seed);
  PairedRounds paired;
  for (int round = 0; round < count; ++round) {
    const int slot = round % 2;
    const double baseline = noise * simulation.normal();
    const double candidate = effect + noise * simulation.normal();
    paired.rounds.push_back({{round, slot, {baseline}, baseline}, {round, 1 - slot, {candidate}, candidate}});
  }
  return paired;
}

PairedRounds first_rounds(const PairedRounds& paired, int count) {
  return {{paired.rounds.begin(), paired.rounds.begin() + count}, 0};
}

// The slow, obvious way: every look on its own, by the public test.
TEST(EffectOfLooks, PIsTheLeastOfEachLooksPOverItsShare) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const PairedRounds paired = rounds_of(24, 0.01, 0.02, seed);
    const LookedAt seen = effect_of_looks(paired, 24, kPlan, {});
    ASSERT_EQ(seen.looks.size(), 3u);
    double least = 1;
    for (const Look& look : seen.looks) {
      const double p = *effect_of_rounds(first_rounds(paired, look.rounds), {}).p;
      EXPECT_DOUBLE_EQ(look.p, p);
      least = std::min(least, p / look.share);
    }
    EXPECT_DOUBLE_EQ(*seen.effect.p, least);
  }
}

// All that an effect has.
void expect_equal(const Effect& one, const Effect& other) {
  EXPECT_EQ(one.test, other.test);
  EXPECT_EQ(one.units, other.units);
  EXPECT_EQ(one.log_ratio, other.log_ratio);
  EXPECT_EQ(one.p, other.p);
  EXPECT_EQ(one.interval, other.interval);
  EXPECT_EQ(one.standard_error, other.standard_error);
  EXPECT_EQ(one.degrees, other.degrees);
  EXPECT_EQ(one.min_p, other.min_p);
  EXPECT_EQ(one.equivalence_interval, other.equivalence_interval);
  EXPECT_EQ(one.within_margin, other.within_margin);
  EXPECT_EQ(one.slot_effect, other.slot_effect);
  EXPECT_TRUE(one.noise == other.noise);
}

TEST(EffectMemory, ReckonsAnewWhateverDiffersInRoundsOrQuestion) {
  EffectMemory memory;
  const PairedRounds whole = rounds_of(24, 0.01, 0.02, 3);
  PairedRounds other = whole;
  other.rounds[5].candidate.logs[0] += 0.5;
  std::vector<EffectQuestion> questions(5);
  questions[1].confidence = 0.99;
  questions[2].margin = 0.2;
  questions[3].equivalence_alpha = 0.2;
  questions[4].disturbed = Disturbed::downwards;
  for (const PairedRounds& paired : {first_rounds(whole, 12), whole, other, first_rounds(other, 12), whole}) {
    for (const EffectQuestion& question : questions) {
      expect_equal(memory.of_rounds(paired, question), effect_of_rounds(paired, question));
      expect_equal(memory.of_rounds(paired, {}), effect_of_rounds(paired, {}));
    }
  }
}

TEST(EffectMemory, KeepsWhatALaterLookAsksAgain) {
  EffectMemory memory;
  const PairedRounds whole = rounds_of(24, 0.01, 0.02, 3);
  const PairedRounds half = first_rounds(whole, 12);
  memory.of_rounds(half, {});
  memory.of_rounds(whole, {});
  const Effect* const of_half = &memory.of_rounds(half, {});
  const Effect* const of_whole = &memory.of_rounds(whole, {});
  EXPECT_LT(of_half, of_whole) << "one after the other, as they were asked first";
  EXPECT_EQ(of_half, &memory.of_rounds(half, {}));
}

TEST(EffectOfLooks, SeesNoRoundBeforeItsTime) {
  PairedRounds paired = rounds_of(24, 0.0, 0.02, 3);
  const LookedAt before = effect_of_looks(first_rounds(paired, 16), 16, kPlan, {});
  for (std::size_t r = 16; r < 24; ++r) paired.rounds[r].candidate.logs[0] += 5;
  const LookedAt after = effect_of_looks(paired, 24, kPlan, {});
  ASSERT_EQ(before.looks.size(), 2u);
  EXPECT_EQ(before.looks[0], after.looks[0]);
  EXPECT_EQ(before.looks[1], after.looks[1]);
}

TEST(EffectOfLooks, IntervalExcludesNoEffectExactlyWhenPIsSmall) {
  int excluded = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const LookedAt seen = effect_of_looks(rounds_of(24, 0.012, 0.02, seed), 24, kPlan, {});
    ASSERT_TRUE(seen.effect.interval.has_value());
    const bool excludes = seen.effect.interval->low > 0 || seen.effect.interval->high < 0;
    EXPECT_EQ(excludes, *seen.effect.p <= 0.05) << seed;
    EXPECT_GE(seen.effect.log_ratio, seen.effect.interval->low);
    EXPECT_LE(seen.effect.log_ratio, seen.effect.interval->high);
    excluded += excludes ? 1 : 0;
  }
  EXPECT_GT(excluded, 5);
  EXPECT_LT(excluded, 55);
}

TEST(EffectOfLooks, WhatTheBudgetCutShortSpendsTheRestAtItsEnd) {
  const PairedRounds paired = rounds_of(20, 0.01, 0.02, 5);
  const LookedAt seen = effect_of_looks(paired, 20, kPlan, {});
  ASSERT_EQ(seen.looks.size(), 3u);
  EXPECT_EQ(seen.looks.back().rounds, 20);
  EXPECT_DOUBLE_EQ(seen.looks.back().share, 0.5);
}

TEST(EffectOfLooks, ABudgetBeforeTheFirstLookLeavesTheFixedTest) {
  const PairedRounds paired = rounds_of(8, 0.05, 0.02, 5);
  const LookedAt seen = effect_of_looks(paired, 8, kPlan, {});
  const Effect fixed = effect_of_rounds(paired, {});
  ASSERT_EQ(seen.looks.size(), 1u);
  EXPECT_EQ(*seen.effect.p, *fixed.p);
  EXPECT_EQ(seen.effect.interval, fixed.interval);
  EXPECT_EQ(seen.effect.equivalence_interval, fixed.equivalence_interval);
}

TEST(EffectOfLooks, FourRoundsShowThePOfTheirTTest) {
  const LookedAt seen = effect_of_looks(rounds_of(4, 0.05, 0.02, 5), 4, kPlan, {});
  EXPECT_EQ(seen.effect.test, TestKind::levels);
  ASSERT_EQ(seen.looks.size(), 1u);
  EXPECT_LT(*seen.effect.p, 1);
  EXPECT_EQ(seen.looks[0].p, *seen.effect.p);
}

TEST(EffectOfLooks, RoundsBeyondThePlanAreNotUsed) {
  PairedRounds paired = rounds_of(30, 0, 0.02, 5);
  for (std::size_t r = 24; r < 30; ++r) paired.rounds[r].candidate.logs[0] += 5;
  const LookedAt seen = effect_of_looks(paired, 30, kPlan, {});
  EXPECT_EQ(seen.effect.units, 24);
  EXPECT_EQ(seen.looks.size(), 3u);
}

TEST(EffectOfLooks, CountsTheRoundsThatWereTriedNotThoseThatHaveBothSides) {
  PairedRounds paired = rounds_of(16, 0, 0.02, 7);
  paired.rounds.erase(paired.rounds.begin() + 3);
  paired.rounds.pop_back();
  const LookedAt seen = effect_of_looks(paired, 16, kPlan, {});
  ASSERT_EQ(seen.looks.size(), 2u);
  EXPECT_EQ(seen.looks[0].rounds, 12);
  EXPECT_EQ(seen.looks[1].rounds, 16);
  EXPECT_EQ(seen.effect.units, 14);
}

TEST(AnswerOf, AClearChangeIsDecidedAtTheFirstLook) {
  const LookedAt seen = effect_of_looks(rounds_of(12, 0.2, 0.005, 1), 12, kPlan, {});
  EXPECT_EQ(answer_of(seen, kPlan, {}), LookAnswer::decided);
}

TEST(AnswerOf, TheWholeGatesLevelIsSharedByItsComparisons) {
  const LookedAt seen = effect_of_looks(rounds_of(12, 0.2, 0.005, 1), 12, kPlan, {});
  StopQuestion question;
  question.comparisons = 1000;  // 2 / C(12, 6) / .2 is .011
  EXPECT_EQ(answer_of(seen, kPlan, question), LookAnswer::undecided);
}

TEST(AnswerOf, QuietAndEqualIsUnchangedAtTheFirstLook) {
  const LookedAt seen = effect_of_looks(rounds_of(12, 0, 0.002, 1), 12, kPlan, {});
  EXPECT_TRUE(seen.effect.within_margin);
  EXPECT_EQ(answer_of(seen, kPlan, {}), LookAnswer::decided);
}

// 1.5 % is inside the margin of 2 % and above the minimum effect: whether it is a change is still to be found out.
TEST(AnswerOf, AChangeThatIsComingIsNotStoppedAsUnchanged) {
  const LookedAt seen = effect_of_looks(rounds_of(12, 0.015, 0.002, 1), 12, kPlan, {});
  EXPECT_TRUE(seen.effect.within_margin);
  StopQuestion question;
  question.comparisons = 1000;
  EXPECT_EQ(answer_of(seen, kPlan, question), LookAnswer::undecided);
}

TEST(AnswerOf, NoiseFarAboveTheMarginIsFutile) {
  int futile = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const LookedAt seen = effect_of_looks(rounds_of(12, 0, 0.2, seed), 12, kPlan, {});
    futile += answer_of(seen, kPlan, {}) == LookAnswer::futile ? 1 : 0;
  }
  EXPECT_GE(futile, 10);
}

TEST(AnswerOf, NothingIsLeftToDecideAfterTheLastLook) {
  const LookedAt seen = effect_of_looks(rounds_of(24, 0, 0.2, 1), 24, kPlan, {});
  EXPECT_EQ(answer_of(seen, kPlan, {}), LookAnswer::decided);
}

// Against counting: the estimate then is drawn around today's, and it decides or not.
TEST(ChanceOfDecision, AgreesWithDrawingTheFuture) {
  Simulation simulation(11);
  for (const double estimate : {0.0, 0.01, 0.03, 0.1}) {
    Effect effect;
    effect.units = 12;
    effect.log_ratio = estimate;
    effect.standard_error = 0.02;
    const LookPlan plan{{{12, 0.2}, {48, 0.8}}};
    int decided = 0;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      const double then = estimate + 0.02 * std::sqrt(0.75) * simulation.normal();
      const double error = 0.01;
      // z(1 - .05 * .8 / 2) = 2.0537, z(1 - .05 * .8) = 1.7507
      const bool change = std::fabs(then) > std::max(2.0537 * error, std::log1p(0.01));
      const bool unchanged = std::fabs(then) + 1.7507 * error < std::log1p(0.02);
      decided += change || unchanged ? 1 : 0;
    }
    EXPECT_NEAR(chance_of_decision(effect, plan, {}), static_cast<double>(decided) / kDraws, 0.015) << estimate;
  }
}

}  // namespace

}  // namespace steelyard::regress::sequential_test
