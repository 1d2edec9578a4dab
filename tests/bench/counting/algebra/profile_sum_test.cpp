#include "bench/counting/algebra/profile_sum.hpp"

#include <limits>

#include "tests/bench/counting/algebra/golden_part.hpp"

namespace steelyard::bench::profile_sum_test {
namespace {

CountedProfile simple(const std::string& name, std::int64_t cost) {
  CountedProfile profile{BenchmarkId{}, 0, {"Ir"}, {cost}, {{"o", "f", name, 1, 2, {cost}, {cost}}}, {}};
  profile.arcs = {{0, 0, 2, {cost}}};
  profile.sources = {{0, "f", name, 7, {cost}}};
  return profile;
}

TEST(ProfileSum, AddsUpWhatIsOfOneFunctionAndKeepsTheRestApart) {
  const auto sum = sum_of_profiles({simple("f", 5), simple("g", 7), simple("f", 11)});
  ASSERT_TRUE(sum) << sum.error().text();
  EXPECT_EQ(sum->totals, std::vector<std::int64_t>{23});
  const std::vector<ProfiledFunction> functions{{"o", "f", "f", 1, 4, {16}, {16}}, {"o", "f", "g", 1, 2, {7}, {7}}};
  EXPECT_EQ(sum->functions, functions);
  const std::vector<CallArc> arcs{{0, 0, 4, {16}}, {1, 1, 2, {7}}};
  EXPECT_EQ(sum->arcs, arcs);
  const std::vector<SourceCost> sources{{0, "f", "f", 7, {16}}, {1, "f", "g", 7, {7}}};
  EXPECT_EQ(sum->sources, sources);
}

TEST(ProfileSum, OfTheThreadsOfAProgramIsItsTotal) {
  std::vector<CountedProfile> threads;
  for (const char* thread : {"01", "02", "03"}) {
    threads.push_back(whole_profile(golden_part("05_threads/callgrind.out-" + std::string(thread))));
  }
  const auto sum = sum_of_profiles(threads);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->totals, std::vector<std::int64_t>{1715363 + 12224 + 22392});
  std::int64_t self = 0;
  for (const ProfiledFunction& function : sum->functions) self += function.self[0];
  EXPECT_EQ(self, sum->totals[0]);
}

TEST(ProfileSum, OfOneIsThatOne) {
  const CountedProfile profile = whole_profile(golden_part("08_recursion/default.callgrind.out"));
  const auto sum = sum_of_profiles({profile});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->functions, profile.functions);
  EXPECT_EQ(sum->arcs, profile.arcs);
  EXPECT_EQ(*sum_of_profiles({}), CountedProfile{});
}

TEST(ProfileSum, WhatDoesNotAddUpIsAnError) {
  CountedProfile other_events = simple("f", 1);
  other_events.events = {"Dr"};
  CountedProfile other_iterations = simple("f", 1);
  other_iterations.iterations = 3;
  CountedProfile bad_arc = simple("f", 1);
  bad_arc.arcs[0].callee = 9;
  for (const CountedProfile& bad :
       {other_events, other_iterations, bad_arc, simple("f", std::numeric_limits<std::int64_t>::max())}) {
    EXPECT_FALSE(sum_of_profiles({simple("f", 1), bad}));
  }
}

}  // namespace
}  // namespace steelyard::bench::profile_sum_test
