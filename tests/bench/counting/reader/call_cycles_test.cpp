#include "bench/counting/reader/call_cycles.hpp"

#include <limits>

#include "tests/promised.hpp"

namespace steelyard::bench::call_cycles_test {
namespace {

std::vector<ProfiledFunction> functions_with_self(const std::vector<std::int64_t>& self) {
  std::vector<ProfiledFunction> functions(self.size());
  for (std::size_t i = 0; i < self.size(); ++i) functions[i].self = {self[i]};
  return functions;
}

std::vector<std::int64_t> inclusive_of(const std::vector<std::int64_t>& self, const std::vector<CallArc>& arcs) {
  std::vector<ProfiledFunction> functions = functions_with_self(self);
  EXPECT_TRUE(set_inclusive_costs(functions, arcs, 1));
  std::vector<std::int64_t> inclusive;
  for (const ProfiledFunction& function : functions) inclusive.push_back(function.inclusive[0]);
  return inclusive;
}

TEST(CallCycles, ARootCostsItselfAndWhatItCalls) {
  EXPECT_EQ(inclusive_of({10, 5, 3}, {{0, 1, 1, {8}}, {1, 2, 1, {3}}}), (std::vector<std::int64_t>{18, 8, 3}));
}

TEST(CallCycles, ArcsInsideACycleAreNotCounted) {
  // main -> f <-> g: f costs what came in from main, g is only called from within.
  EXPECT_EQ(inclusive_of({1, 4, 5}, {{0, 1, 1, {9}}, {1, 2, 3, {20}}, {2, 1, 3, {15}}}),
            (std::vector<std::int64_t>{10, 9, 0}));
}

TEST(CallCycles, AFunctionThatCallsItselfCountsOnce) {
  EXPECT_EQ(inclusive_of({1, 9}, {{0, 1, 1, {9}}, {1, 1, 5, {30}}}), (std::vector<std::int64_t>{10, 9}));
}

TEST(CallCycles, ACycleThatNothingEntersIsChargedToItsFirstMember) {
  // f <-> g and g -> h: collection began inside the cycle.
  EXPECT_EQ(inclusive_of({4, 5, 6}, {{0, 1, 1, {20}}, {1, 0, 1, {15}}, {1, 2, 1, {6}}}),
            (std::vector<std::int64_t>{15, 0, 6}));
  EXPECT_EQ(inclusive_of({4}, {{0, 0, 3, {9}}}), std::vector<std::int64_t>{4});
}

TEST(CallCycles, TellsTwoCyclesApart) {
  const CallCycles cycles =
      find_call_cycles(5, {{0, 1, 1, {}}, {1, 0, 1, {}}, {1, 2, 1, {}}, {2, 3, 1, {}}, {3, 4, 1, {}}, {4, 2, 1, {}}});
  EXPECT_EQ(cycles.cycle_of[0], cycles.cycle_of[1]);
  EXPECT_NE(cycles.cycle_of[0], cycles.cycle_of[2]);
  EXPECT_EQ(cycles.size_of[cycles.cycle_of[0]], 2u);
  EXPECT_EQ(cycles.size_of[cycles.cycle_of[3]], 3u);
}

TEST(CallCycles, ACallChainLongerThanTheStackIsFollowedToItsEnd) {
  constexpr std::uint32_t kDepth = 1'000'000;
  std::vector<CallArc> arcs;
  arcs.reserve(kDepth);
  for (std::uint32_t i = 0; i + 1 < kDepth; ++i) arcs.push_back({i, i + 1, 1, {}});
  arcs.push_back({kDepth - 1, 0, 1, {}});
  const CallCycles cycles = find_call_cycles(kDepth, arcs);
  ASSERT_EQ(cycles.size_of.size(), 1u);
  EXPECT_EQ(cycles.size_of[0], kDepth);
}

TEST(CallCycles, NothingCalledIsNoCycle) {
  EXPECT_TRUE(find_call_cycles(0, {}).size_of.empty());
  EXPECT_EQ(inclusive_of({7, 8}, {}), (std::vector<std::int64_t>{7, 8}));
}

TEST(CallCycles, ASumThatDoesNotFitIsReported) {
  std::vector<ProfiledFunction> functions = functions_with_self({1, 1, 1});
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(set_inclusive_costs(functions, {{0, 2, 1, {most}}, {1, 2, 1, {most}}}, 1));
}

std::int64_t unbalanced(const std::vector<std::int64_t>& self, const std::vector<CallArc>& arcs) {
  return find_unbalanced_costs(functions_with_self(self), arcs, 1)[0];
}

TEST(CallCycles, CallsThatCostWhatTheyLeadToAreBalanced) {
  EXPECT_EQ(unbalanced({10, 5, 3}, {{0, 1, 1, {8}}, {1, 2, 1, {3}}}), 0);
  EXPECT_EQ(unbalanced({1, 4, 5}, {{0, 1, 1, {9}}, {1, 2, 3, {20}}, {2, 1, 3, {15}}}), 0);
}

TEST(CallCycles, WhatCallsCostTooMuchOrTooLittleIsUnbalanced) {
  EXPECT_EQ(unbalanced({10, 5, 3}, {{0, 1, 1, {9}}, {1, 2, 1, {3}}}), 1);
  EXPECT_EQ(unbalanced({10, 5, 3}, {{0, 1, 1, {8}}, {1, 2, 1, {2}}}), 2);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(unbalanced({0, 0, 0}, {{0, 1, 1, {most}}, {0, 2, 1, {most}}}), most);
}

}  // namespace
}  // namespace steelyard::bench::call_cycles_test
