#include "regress/ab/look_plan.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "regress/ab/relabelling.hpp"

namespace steelyard {
namespace {

double whole_share(const LookPlan& plan) {
  return std::accumulate(plan.looks.begin(), plan.looks.end(), 0.0,
                         [](double sum, const PlannedLook& look) { return sum + look.share; });
}

TEST(LookPlan, SharesOfAllLooksAddUpToOne) {
  for (const int most : {0, 2, 8, 12, 14, 16, 24, 30, 60, 100}) {
    for (const std::int64_t comparisons : {1, 23, 100, 100000}) {
      const LookPlan plan = plan_looks({0.05, comparisons, most});
      EXPECT_NEAR(whole_share(plan), 1, 1e-9) << most;
      EXPECT_EQ(to_text(plan), to_text(*parse_look_plan(to_text(plan)))) << most;
    }
  }
}

TEST(LookPlan, GrowsWithTheRounds) {
  EXPECT_EQ(to_text(plan_looks({})), "12:0.1 16:0.075 24:0.15 36:0.225 60:0.45");
  EXPECT_EQ(to_text(plan_looks({0.05, 1, 20})), "12:0.1 16:0.45 20:0.45");
  EXPECT_EQ(to_text(plan_looks({0.05, 1, 10})), "10:1");
}

TEST(LookPlan, PlansMoreThanTheUsualRoundsOnlyWhereTheBudgetPaysForThem) {
  EXPECT_EQ(plan_looks({0.05, 1, 0, 66}).most_rounds(), 60);
  EXPECT_EQ(plan_looks({0.05, 1, 0, 67}).most_rounds(), 100);
  EXPECT_EQ(plan_looks({0.05, 1, 0, 5000}).most_rounds(), 160);
  EXPECT_EQ(plan_looks({0.05, 1, 20, 5000}).most_rounds(), 20);
}

// Two one-sided tests at 5 % of the first look's share need p <= .01; 2 / C(12, 6) is .0022, 2 / C(10, 5) is .0079.
TEST(LookPlan, NeverLooksBeforeAnAnswerCanBeReached) {
  const PlannedLook first = plan_looks({}).looks.front();
  EXPECT_LE(least_split_p(static_cast<std::size_t>(first.rounds / 2), static_cast<std::size_t>(first.rounds)),
            0.10 * first.share);
  EXPECT_LE(least_split_p(static_cast<std::size_t>(first.rounds / 2), static_cast<std::size_t>(first.rounds)),
            0.05 * first.share);
}

TEST(LookPlan, ALoneChangeAmongVeryManyCanBeFoundAtTheLastLook) {
  for (const std::int64_t comparisons : {1, 100, 10000, 1000000}) {
    const PlannedLook last = plan_looks({0.05, comparisons, 0}).looks.back();
    EXPECT_LE(least_split_p(static_cast<std::size_t>(last.rounds / 2), static_cast<std::size_t>(last.rounds)),
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
  EXPECT_EQ(mutual_look_plan(baseline, candidate).most_rounds(), 16);
  candidate.settings["looks"] = "12:0.4 16:0.6";
  EXPECT_TRUE(mutual_look_plan(baseline, candidate).empty());
  candidate.settings.erase("looks");
  EXPECT_TRUE(mutual_look_plan(baseline, candidate).empty());
  candidate = baseline;
  candidate.session = "t";
  EXPECT_TRUE(mutual_look_plan(baseline, candidate).empty());
}

}  // namespace
}  // namespace steelyard
