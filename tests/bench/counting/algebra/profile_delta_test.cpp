#include "bench/counting/algebra/profile_delta.hpp"

#include <gmock/gmock.h>

#include "bench/counting/algebra/profile_sum.hpp"
#include "tests/bench/counting/algebra/golden_part.hpp"

namespace steelyard::bench::profile_delta_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CountedProfile profile(std::int64_t iterations, std::vector<ProfiledFunction> functions) {
  CountedProfile result{BenchmarkId{}, iterations, {"Ir"}, {0}, std::move(functions), {}};
  for (const ProfiledFunction& function : result.functions) result.totals[0] += function.self[0];
  return result;
}

ProfiledFunction function(const std::string& name, std::int64_t calls, std::int64_t self, std::int64_t inclusive) {
  return {"o", "f.cpp", name, 3, calls, {self}, {inclusive}};
}

TEST(ProfileDelta, TellsSelfInclusiveAndCallsOfBothSides) {
  const auto delta = profile_delta(profile(10, {function("f", 10, 500, 900), function("gone", 10, 400, 400)}),
                                   profile(10, {function("f", 20, 1000, 1300), function("new", 5, 300, 300)}),
                                   {.match = {.renamed = false}});
  ASSERT_TRUE(delta) << delta.error().text();
  EXPECT_THAT(delta->total_change, ElementsAre(40));
  ASSERT_EQ(delta->functions.size(), 3u);
  const FunctionDelta& f = delta->functions[0];
  EXPECT_EQ(f.how, MatchedBy::same_name);
  EXPECT_EQ(f.baseline->calls, 10);
  EXPECT_EQ(f.candidate->calls, 20);
  EXPECT_THAT(f.self_change, ElementsAre(50));
  EXPECT_THAT(f.inclusive_change, ElementsAre(40));
  EXPECT_EQ(f.calls_change, 1);
  EXPECT_FALSE(f.within_noise);
  EXPECT_FALSE(delta->functions[1].baseline);
  EXPECT_EQ(delta->functions[1].shown().key.function, "new");
  EXPECT_THAT(delta->functions[1].self_change, ElementsAre(30));
  EXPECT_FALSE(delta->functions[2].candidate);
  EXPECT_EQ(delta->functions[2].shown().key.function, "gone");
  EXPECT_THAT(delta->functions[2].self_change, ElementsAre(-40));
}

TEST(ProfileDelta, EqualCostsOfAnIterationAreNoChangeHoweverManyRan) {
  // Neither third of 7 nor of 14 is a binary fraction.
  const auto delta = profile_delta(profile(3, {function("f", 3, 7, 7)}), profile(6, {function("f", 6, 14, 14)}));
  ASSERT_TRUE(delta);
  EXPECT_THAT(delta->functions[0].self_change, ElementsAre(0));
  EXPECT_EQ(delta->functions[0].calls_change, 0);
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  const auto large =
      profile_delta(profile(kLarge, {function("f", 1, kLarge, kLarge)}), profile(1, {function("f", 1, 1, 1)}));
  EXPECT_THAT(large->functions[0].self_change, ElementsAre(0));
}

TEST(ProfileDelta, AChangeThatRepeatsMakeIsMarked) {
  const auto learned = [](std::int64_t least, std::int64_t most) {
    return LearnedNoise{CountKind::self, {"Ir"}, 2, {{{"o", "f.cpp", "f"}, {most - least}}}};
  };
  const LearnedNoise of_baseline = learned(100, 130);
  const LearnedNoise of_candidate = learned(200, 210);
  const auto change_to = [&](std::int64_t candidate) {
    const auto delta =
        profile_delta(profile(3, {function("f", 1, 100, 100)}), profile(3, {function("f", 1, candidate, candidate)}),
                      {{}, &of_baseline, &of_candidate});
    return delta ? delta->functions.front() : FunctionDelta{};
  };
  EXPECT_TRUE(change_to(130).within_noise);
  EXPECT_TRUE(change_to(70).within_noise);
  EXPECT_FALSE(change_to(131).within_noise);
  EXPECT_FALSE(change_to(100).within_noise) << "nothing changed";
  EXPECT_THAT(change_to(130).noise, ElementsAre(10)) << "of an iteration";
}

TEST(ProfileDelta, ARenamedFunctionIsOneRowWithBothNames) {
  const auto with = [](const std::string& name) {
    CountedProfile result =
        profile(1, {function("main", 0, 10, 510), function(name, 5, 500, 500), function("other", 1, 3, 3)});
    result.arcs = {{0, 1, 5, {500}}};
    return result;
  };
  const auto delta = profile_delta(with("before"), with("after"));
  ASSERT_TRUE(delta);
  ASSERT_EQ(delta->functions.size(), 3u);
  EXPECT_EQ(delta->functions[1].how, MatchedBy::renamed);
  EXPECT_EQ(delta->functions[1].baseline->key.function, "before");
  EXPECT_EQ(delta->functions[1].candidate->key.function, "after");
  EXPECT_THAT(delta->functions[1].self_change, ElementsAre(0));
}

TEST(ProfileDelta, WhatCannotBeSubtractedIsAnError) {
  const CountedProfile good = profile(1, {function("f", 1, 5, 5)});
  CountedProfile other_events = good;
  other_events.events = {"Dr"};
  CountedProfile incomplete = good;
  incomplete.functions[0].self.clear();
  const LearnedNoise inclusive{CountKind::inclusive, {"Ir"}, 2, {}};
  EXPECT_THAT(profile_delta(good, other_events).error().text(), HasSubstr("different events"));
  EXPECT_THAT(profile_delta(good, profile(0, {})).error().text(), HasSubstr("a whole program"));
  EXPECT_THAT(profile_delta(incomplete, good).error().text(), HasSubstr("baseline's profile"));
  EXPECT_THAT(profile_delta(good, profile(-1, {})).error().text(), HasSubstr("negative"));
  EXPECT_FALSE(profile_delta(good, good, {{}, &inclusive, nullptr}));
}

// The first repeat against the second: 6 instructions of main.
TEST(ProfileDelta, OfTwoRepeatsOfARealProgramIsInOneFunction) {
  const auto delta = profile_delta(whole_profile(golden_part("06_parts_toggle/callgrind.out.1")),
                                   whole_profile(golden_part("06_parts_toggle/callgrind.out.2")));
  ASSERT_TRUE(delta);
  EXPECT_THAT(delta->total_change, ElementsAre(-6));
  for (const FunctionDelta& function : delta->functions) {
    EXPECT_EQ(function.self_change[0], function.shown().key.function == "main" ? -6 : 0)
        << function.shown().key.function;
  }
}

}  // namespace
}  // namespace steelyard::bench::profile_delta_test
